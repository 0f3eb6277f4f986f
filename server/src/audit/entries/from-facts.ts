// From what a log says to what the audit log records: pure, and exhaustive over every kind of fact.
//
// A new kind of fact does not compile until this file says which action it is, or that it is none.
import type { Address } from "viem";
import type { ConfirmedFact, StoredBody } from "../../chain/facts.ts";
import type { GOVERNANCE_ACTIONS, GovernanceBody, GovernanceEffect } from "../../chain/governance.ts";
import { timestampOrDigits } from "../../platform/http/time.ts";
import type { ActionDetails, ActionType } from "./details.ts";
import { type AuditEntryInput, ZERO_ADDRESS } from "./entries.ts";

/** The audit entries of one fact, in the order in which they are to be written: one for each thing that it did, or none. */
export function auditEntriesOf(fact: ConfirmedFact): AuditEntryInput[] {
  const { body } = fact;
  const shared = body.kind === "governance" && body.effects.some(({ vaults }) => vaults !== undefined);
  const actions = shared
    ? perVaultActionsOf(body)
    : actionsOf(body).map((action) => [fact.vaultAddress, action] as const);
  return actions.map(([vault, [action_type, details]], index) => {
    const isSame = (each: (typeof actions)[number]) => each[0] === vault && each[1][0] === action_type;
    const nth = actions.slice(0, index).filter(isSame).length;
    const submitted = body.kind === "governance" && !shared ? body.effects[index]?.submitted : undefined;
    return {
      action_type,
      details,
      vault_address: vault ?? ZERO_ADDRESS,
      chain_id: fact.chainId,
      actor_wallet: fact.actorWallet,
      block: {
        number: fact.blockNumber,
        timestamp: fact.blockTimestamp,
        hash: fact.blockHash,
        txHash: fact.txHash,
        logIndex: fact.logIndex,
        txFrom: fact.txFrom,
        ...(nth > 0 && { nth }),
        ...(shared && { isShared: true }),
      },
      ...(submitted && {
        submission: { blockNumber: submitted.block_number, logIndex: submitted.log_index },
      }),
      ...(fact.lacks && { notTold: fact.lacks }),
      ...(fact.toldLater && { toldLater: fact.toldLater }),
      ...(fact.isHistory && { occurredAt: fact.blockTimestamp }),
    } as AuditEntryInput;
  });
}

/** Of an account behind the roles of several vaults: one entry for each of them. */
function perVaultActionsOf(body: GovernanceBody): (readonly [Address, Action])[] {
  return body.effects.flatMap((effect) =>
    (effect.vaults ?? []).map(
      (vault) => [vault, [effect.action, governanceDetails(body, effect)] as Action] as const,
    ),
  );
}

type Action = { [A in ActionType]: readonly [A, ActionDetails[A]] }[ActionType];

function actionsOf(body: StoredBody): Action[] {
  switch (body.kind) {
    case "vault_deployed":
      return [
        [
          "vault_create",
          {
            strategy: body.strategy,
            escrow: body.escrow,
            asset: body.asset,
            name: body.name,
            symbol: body.symbol,
            nonce: body.nonce,
            primary_manager: body.primaryManager,
            secondary_managers: body.secondaryManagers,
          },
        ],
      ];
    case "primary_manager_proposed":
      return [
        [
          "primary_manager_change_propose",
          {
            proposer: body.proposer,
            new_manager: body.newManager,
            fee_recipient: body.feeRecipient,
            effective_at: timestampOrDigits(body.effectiveTime),
          },
        ],
      ];
    case "primary_manager_change_cancelled":
      return [["primary_manager_change_cancel", { cancelled_manager: body.cancelledManager }]];
    case "primary_manager_changed":
      return [
        [
          "primary_manager_change",
          { old_manager: body.oldManager, new_manager: body.newManager, fee_recipient: body.feeRecipient },
        ],
      ];
    case "secondary_manager_added":
      return [["secondary_manager_add", { manager: body.manager }]];
    case "secondary_manager_removed":
      return [["secondary_manager_remove", { manager: body.manager }]];
    case "pps_updated":
      return [["pps_update", { pps: body.pps, pps_timestamp: timestampOrDigits(body.timestamp) }]];
    case "pps_updated_after_skim":
      return [
        [
          "pps_update",
          { pps: body.newPps, old_pps: body.oldPps, pps_timestamp: timestampOrDigits(body.timestamp) },
        ],
        ["fee_skim", { fee_amount: body.feeAmount, old_pps: body.oldPps, pps: body.newPps }],
      ];
    case "pps_update_rejected":
      return [
        [
          "pps_update_reject",
          {
            reason: body.reason,
            message: body.message,
            pps_timestamp: body.timestamp === null ? null : timestampOrDigits(body.timestamp),
            // A fact that release 0.1 stored has none.
            pps: body.pps ?? null,
          },
        ],
      ];
    case "pps_stale":
      return [["pps_stale", {}]];
    case "pps_stale_reset":
      return [["pps_stale_reset", {}]];
    case "vault_paused":
      return [["vault_pause", { account: body.account }]];
    case "vault_unpaused":
      return [["vault_unpause", { account: body.account }]];
    case "yield_source_added":
      return [["yield_source_add", { yield_source: body.source, oracle: body.oracle }]];
    case "yield_source_removed":
      return [["yield_source_remove", { yield_source: body.source }]];
    case "yield_source_oracle_updated":
      return [
        [
          "yield_source_oracle_update",
          { yield_source: body.source, old_oracle: body.oldOracle, oracle: body.newOracle },
        ],
      ];
    case "hooks_root_proposed":
      return [
        [
          "merkle_root_propose",
          {
            scope: "strategy",
            proposer: body.proposer,
            root: body.root,
            effective_at: timestampOrDigits(body.effectiveTime),
          },
        ],
      ];
    case "global_hooks_root_proposed":
      return [
        [
          "merkle_root_propose",
          {
            scope: "global",
            proposer: null,
            root: body.root,
            effective_at: timestampOrDigits(body.effectiveTime),
          },
        ],
      ];
    case "hooks_root_updated":
    case "global_hooks_root_updated":
      return [
        ["merkle_root_update", { scope: scopeOf(body.kind), old_root: body.oldRoot, root: body.newRoot }],
      ];
    case "hooks_root_veto_changed":
    case "global_hooks_root_veto_changed":
      return [
        [
          "merkle_root_veto",
          {
            scope: scopeOf(body.kind),
            is_vetoed: body.vetoed,
            root: body.root,
            guardian: body.guardian,
          },
        ],
      ];
    case "global_leaves_changed":
      return [["merkle_leaves_update", { leaves: body.leaves, is_banned: body.statuses }]];
    case "hook_executed":
      return [
        [
          "hook_execute",
          {
            hook: body.hook,
            prev_hook: body.prevHook,
            yield_source: body.yieldSource,
            use_prev_hook_amount: body.usePrevHookAmount,
            calldata: body.calldata,
          },
        ],
      ];
    case "fee_config_proposed":
      return [
        [
          "fee_config_propose",
          {
            performance_fee_bps: body.performanceFeeBps,
            management_fee_bps: body.managementFeeBps,
            recipient: body.recipient,
            effective_at: timestampOrDigits(body.effectiveTime),
          },
        ],
      ];
    case "fee_config_updated":
      return [
        [
          "fee_config_update",
          {
            performance_fee_bps: body.performanceFeeBps,
            management_fee_bps: body.managementFeeBps,
            recipient: body.recipient,
          },
        ],
      ];
    case "pps_expiration_proposed":
      return [
        [
          "pps_params_update",
          {
            parameter: "pps_expiration_proposed",
            current_pps_expiration_seconds: body.currentExpiration ?? null,
            replaced_pps_expiration_seconds:
              body.currentProposedThreshold === "0" ? null : body.currentProposedThreshold,
            pps_expiration_seconds: body.ppsExpiration,
            effective_at: timestampOrDigits(body.effectiveTime),
          },
        ],
      ];
    case "pps_expiration_updated":
      return [
        ["pps_params_update", { parameter: "pps_expiration", pps_expiration_seconds: body.ppsExpiration }],
      ];
    case "pps_expiration_proposal_cancelled":
      return [["pps_params_update", { parameter: "pps_expiration_cancelled" }]];
    case "min_update_interval_proposed":
      return [
        [
          "pps_params_update",
          {
            parameter: "min_update_interval_proposed",
            proposer: body.proposer,
            min_update_interval_seconds: body.newMinUpdateInterval,
            effective_at: timestampOrDigits(body.effectiveTime),
          },
        ],
      ];
    case "min_update_interval_cancelled":
      return [
        [
          "pps_params_update",
          {
            parameter: "min_update_interval_cancelled",
            min_update_interval_seconds: body.cancelledInterval,
          },
        ],
      ];
    case "min_update_interval_rejected":
      return [
        [
          "pps_params_update",
          {
            parameter: "min_update_interval_rejected",
            min_update_interval_seconds: body.proposedInterval,
            max_staleness_seconds: body.currentMaxStaleness,
          },
        ],
      ];
    case "deviation_threshold_updated":
      return [
        [
          "pps_params_update",
          { parameter: "deviation_threshold", deviation_threshold: body.deviationThreshold },
        ],
      ];
    case "min_update_interval_changed":
      return [
        [
          "pps_params_update",
          {
            parameter: "min_update_interval",
            old_min_update_interval_seconds: body.oldMinUpdateInterval,
            min_update_interval_seconds: body.newMinUpdateInterval,
          },
        ],
      ];
    case "upkeep_deposited":
      return [["upkeep_deposit", { depositor: body.depositor, amount: body.amount }]];
    case "upkeep_withdrawal_proposed":
      return [
        [
          "upkeep_withdraw_propose",
          {
            proposer: body.mainManager,
            amount: body.amount,
            effective_at: timestampOrDigits(body.effectiveTime),
          },
        ],
      ];
    case "upkeep_withdrawal_cancelled":
      return [["upkeep_withdraw_cancel", {}]];
    case "upkeep_withdrawn":
      return [
        ["upkeep_withdraw", { recipient: body.withdrawer, withdrawer: body.withdrawer, amount: body.amount }],
      ];
    case "upkeep_claimed":
      return [["upkeep_claim", { super_bank: body.superBank, amount: body.amount }]];
    case "upkeep_insufficient":
      return [["upkeep_insufficient", { balance: body.balance, cost: body.cost }]];
    case "deposit":
      return [
        ["deposit", { sender: body.sender, owner: body.owner, assets: body.assets, shares: body.shares }],
      ];
    case "withdraw":
      return [
        [
          "withdraw",
          {
            sender: body.sender,
            receiver: body.receiver,
            owner: body.owner,
            assets: body.assets,
            shares: body.shares,
          },
        ],
      ];
    case "emergency_withdrawal":
      return [["emergency_withdraw", { recipient: body.recipient, assets: body.assets }]];
    case "redeem_requested":
      return [
        [
          "redeem_request",
          {
            controller: body.controller,
            owner: body.owner,
            request_id: body.requestId,
            sender: body.sender,
            shares: body.shares,
          },
        ],
      ];
    case "redeem_requests_fulfilled":
      return [
        [
          "redeem_fulfill",
          {
            controllers: body.controllers,
            processed_shares: body.processedShares,
            pps: body.currentPps,
          },
        ],
      ];
    case "redeem_cancel_requested":
      return [
        [
          "redeem_cancel_request",
          { controller: body.controller, request_id: body.requestId, sender: body.sender },
        ],
      ];
    case "redeem_cancel_claimed":
      return [
        [
          "redeem_cancel",
          {
            receiver: body.receiver,
            controller: body.controller,
            request_id: body.requestId,
            sender: body.sender,
            shares: body.shares,
          },
        ],
      ];
    case "redeem_cancel_fulfilled":
      return [["redeem_cancel_fulfill", { controller: body.controller, shares: body.shares }]];
    case "redeem_request_cancelled":
      return [
        [
          "redeem_cancel",
          {
            receiver: body.controller,
            controller: body.controller,
            request_id: "0",
            sender: body.sender,
            shares: body.shares,
          },
        ],
      ];
    case "fee_recipient_changed":
      return [["fee_recipient_change", { recipient: body.newRecipient }]];
    case "high_water_mark_updated":
      // With a fee it is part of a skim, which the aggregator's own event tells of.
      return body.feeCollected === null ? [["high_water_mark_reset", { hwm_pps: body.newHwmPps }]] : [];
    case "role_granted":
      return [["role_grant", { role: body.role, account: body.account, sender: body.sender }]];
    case "role_revoked":
      return [["role_revoke", { role: body.role, account: body.account, sender: body.sender }]];
    // The owner of a vault that has no manager of its own is its primary manager.
    case "ownership_transfer_started":
      return [
        [
          "primary_manager_change_propose",
          {
            proposer: body.previousOwner,
            new_manager: body.newOwner,
            fee_recipient: null,
            effective_at: null,
          },
        ],
      ];
    case "ownership_transferred":
      // Its first owner came with the contract: nobody was replaced.
      if (body.previousOwner === ZERO_ADDRESS) return [];
      return [
        [
          "primary_manager_change",
          { old_manager: body.previousOwner, new_manager: body.newOwner, fee_recipient: null },
        ],
      ];
    case "deposit_requested":
      return [
        [
          "deposit_request",
          {
            controller: body.controller,
            owner: body.owner,
            request_id: body.requestId,
            sender: body.sender,
            assets: body.assets,
          },
        ],
      ];
    case "deposit_claimable":
      return [
        [
          "deposit_fulfill",
          {
            controller: body.controller,
            request_id: body.requestId,
            assets: body.assets,
            shares: body.shares,
          },
        ],
      ];
    case "deposit_cancel_requested":
      return [
        [
          "deposit_cancel_request",
          { controller: body.controller, request_id: body.requestId, sender: body.sender },
        ],
      ];
    case "deposit_cancel_claimed":
      return [
        [
          "deposit_cancel",
          {
            receiver: body.receiver,
            controller: body.controller,
            request_id: body.requestId,
            sender: body.sender,
            assets: body.assets,
          },
        ],
      ];
    case "redeem_claimable":
      // Where another event tells of the settlement, that one is the entry.
      if (body.isOnlyNotice !== true) return [];
      return [
        [
          "redeem_fulfill",
          {
            controllers: [body.controller],
            processed_shares: body.shares,
            pps: null,
            assets: body.assets,
            request_id: body.requestId,
          },
        ],
      ];
    case "governance":
      return body.effects.map((effect) => [effect.action, governanceDetails(body, effect)] as Action);
    case "other":
      return hasParameters(body.contract) &&
        isParameterChange(body.contract, body.event) &&
        !("undecodable" in body.args)
        ? [["parameter_change", { contract: body.contract, event: body.event, arguments: body.args }]]
        : [];
    // Recorded as facts, for state and history; not operations of the audit log.
    case "old_primary_manager_removed":
    case "management_fee_paid":
    case "performance_fee_skimmed":
    case "upkeep_spent":
    case "shares_minted":
    case "shares_burned":
      return [];
    default:
      // A kind that another release stored is that release's to record.
      body satisfies never;
      return [];
  }
}

function governanceDetails(
  { contract, event, args }: GovernanceBody,
  { action: _, call, executable_at, vaults: __, submitted: ___, ...told }: GovernanceEffect,
): ActionDetails[keyof typeof GOVERNANCE_ACTIONS] {
  return {
    contract,
    event,
    event_arguments: args,
    ...told,
    ...call,
    ...(executable_at !== undefined && {
      executable_at: executable_at === null ? null : timestampOrDigits(executable_at),
    }),
  };
}

/** What governs the vaults, and what older versions knew: operations without a word of their own. */
const PARAMETERS = {
  aggregator: new Set([
    "HooksRootUpdateTimelockChanged",
    "PPSVerificationThresholdsUpdated",
    "UpkeepCostUpdated",
    "AuthorizedCallerAdded",
    "AuthorizedCallerRemoved",
    "PrimaryManagerChangedToSuperform",
    "StakeDeposited",
    "StakeWithdrawn",
    "StakeSlashed",
  ]),
  strategy: new Set([
    "EmergencyWithdrawableProposed",
    "EmergencyWithdrawableUpdated",
    "EmergencyWithdrawableProposalCanceled",
    "MaxPPSSlippageUpdated",
    "HookRootProposed",
    "HookRootUpdated",
  ]),
};

type WithParameters = keyof typeof PARAMETERS | "governor";

function hasParameters(contract: string): contract is WithParameters {
  return contract === "governor" || contract in PARAMETERS;
}

function isParameterChange(contract: WithParameters, event: string): boolean {
  return contract === "governor" || PARAMETERS[contract].has(event);
}

function scopeOf(kind: StoredBody["kind"]): "strategy" | "global" {
  return kind.startsWith("global_") ? "global" : "strategy";
}
