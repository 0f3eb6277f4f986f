// For tests: what each kind of fact must become in the audit log. Written by hand from the table of the chain's events, apart from the code
// under test.
import type { Address, Hash } from "viem";
import type { StoredBody } from "../../chain/facts.ts";

export const A = `0x${"11".repeat(20)}` as Address;
export const B = `0x${"22".repeat(20)}` as Address;
export const ROOT = `0x${"ab".repeat(32)}` as Hash;

/** Action and details of each kind of fact. */
export const EXPECTED_ENTRIES: [StoredBody, [string, object][]][] = [
  [
    {
      kind: "vault_deployed",
      vault: A,
      strategy: B,
      escrow: A,
      asset: B,
      name: "V",
      symbol: "v",
      nonce: "4",
      primaryManager: A,
      secondaryManagers: [B],
    },
    [
      [
        "vault_create",
        {
          strategy: B,
          escrow: A,
          asset: B,
          name: "V",
          symbol: "v",
          nonce: "4",
          primary_manager: A,
          secondary_managers: [B],
        },
      ],
    ],
  ],
  [
    { kind: "pps_updated", pps: "1000001", timestamp: "1777593600" },
    [["pps_update", { pps: "1000001", pps_timestamp: "2026-05-01T00:00:00.000000Z" }]],
  ],
  [
    { kind: "pps_updated_after_skim", oldPps: "9", newPps: "8", feeAmount: "1", timestamp: "0" },
    [
      ["pps_update", { pps: "8", old_pps: "9", pps_timestamp: "1970-01-01T00:00:00.000000Z" }],
      ["fee_skim", { fee_amount: "1", old_pps: "9", pps: "8" }],
    ],
  ],
  [
    { kind: "pps_update_rejected", reason: "StaleUpdate", message: null, timestamp: null, pps: "7" },
    [["pps_update_reject", { reason: "StaleUpdate", message: null, pps_timestamp: null, pps: "7" }]],
  ],
  [{ kind: "pps_stale" }, [["pps_stale", {}]]],
  [{ kind: "pps_stale_reset" }, [["pps_stale_reset", {}]]],
  [{ kind: "vault_paused", account: null }, [["vault_pause", { account: null }]]],
  [{ kind: "vault_unpaused", account: A }, [["vault_unpause", { account: A }]]],
  [
    { kind: "yield_source_added", source: A, oracle: B },
    [["yield_source_add", { yield_source: A, oracle: B }]],
  ],
  [{ kind: "yield_source_removed", source: A }, [["yield_source_remove", { yield_source: A }]]],
  [
    { kind: "yield_source_oracle_updated", source: A, oldOracle: B, newOracle: A },
    [["yield_source_oracle_update", { yield_source: A, old_oracle: B, oracle: A }]],
  ],
  [
    { kind: "hooks_root_proposed", proposer: A, root: ROOT, effectiveTime: "1777593600" },
    [
      [
        "merkle_root_propose",
        { scope: "strategy", proposer: A, root: ROOT, effective_at: "2026-05-01T00:00:00.000000Z" },
      ],
    ],
  ],
  [
    { kind: "hooks_root_updated", oldRoot: ROOT, newRoot: ROOT },
    [["merkle_root_update", { scope: "strategy", old_root: ROOT, root: ROOT }]],
  ],
  [
    { kind: "hooks_root_veto_changed", vetoed: true, root: ROOT, guardian: null },
    [["merkle_root_veto", { scope: "strategy", is_vetoed: true, root: ROOT, guardian: null }]],
  ],
  [{ kind: "secondary_manager_added", manager: A }, [["secondary_manager_add", { manager: A }]]],
  [{ kind: "secondary_manager_removed", manager: A }, [["secondary_manager_remove", { manager: A }]]],
  [
    // Whoever proposed may have put anything there: what no date can hold is kept as it is.
    {
      kind: "primary_manager_proposed",
      proposer: A,
      newManager: B,
      feeRecipient: null,
      effectiveTime: (2n ** 256n - 1n).toString(),
    },
    [
      [
        "primary_manager_change_propose",
        { proposer: A, new_manager: B, fee_recipient: null, effective_at: (2n ** 256n - 1n).toString() },
      ],
    ],
  ],
  [
    { kind: "primary_manager_change_cancelled", cancelledManager: A },
    [["primary_manager_change_cancel", { cancelled_manager: A }]],
  ],
  [
    { kind: "primary_manager_changed", oldManager: A, newManager: B, feeRecipient: A },
    [["primary_manager_change", { old_manager: A, new_manager: B, fee_recipient: A }]],
  ],
  [
    {
      kind: "fee_config_proposed",
      performanceFeeBps: "100",
      managementFeeBps: "5",
      recipient: A,
      effectiveTime: "1777593600",
    },
    [
      [
        "fee_config_propose",
        {
          performance_fee_bps: "100",
          management_fee_bps: "5",
          recipient: A,
          effective_at: "2026-05-01T00:00:00.000000Z",
        },
      ],
    ],
  ],
  [
    { kind: "fee_config_updated", performanceFeeBps: "100", managementFeeBps: "5", recipient: A },
    [["fee_config_update", { performance_fee_bps: "100", management_fee_bps: "5", recipient: A }]],
  ],
  [
    {
      kind: "pps_expiration_proposed",
      currentProposedThreshold: "1",
      currentExpiration: "9",
      ppsExpiration: "2",
      effectiveTime: "1777593600",
    },
    [
      [
        "pps_params_update",
        {
          parameter: "pps_expiration_proposed",
          current_pps_expiration_seconds: "9",
          replaced_pps_expiration_seconds: "1",
          pps_expiration_seconds: "2",
          effective_at: "2026-05-01T00:00:00.000000Z",
        },
      ],
    ],
  ],
  [
    { kind: "pps_expiration_updated", ppsExpiration: "2" },
    [["pps_params_update", { parameter: "pps_expiration", pps_expiration_seconds: "2" }]],
  ],
  [
    { kind: "deviation_threshold_updated", deviationThreshold: "7" },
    [["pps_params_update", { parameter: "deviation_threshold", deviation_threshold: "7" }]],
  ],
  [
    { kind: "min_update_interval_changed", oldMinUpdateInterval: "1", newMinUpdateInterval: "2" },
    [
      [
        "pps_params_update",
        {
          parameter: "min_update_interval",
          old_min_update_interval_seconds: "1",
          min_update_interval_seconds: "2",
        },
      ],
    ],
  ],
  [
    { kind: "upkeep_deposited", depositor: A, amount: "5" },
    [["upkeep_deposit", { depositor: A, amount: "5" }]],
  ],
  [
    { kind: "upkeep_withdrawal_proposed", mainManager: A, amount: "5", effectiveTime: "1777593600" },
    [["upkeep_withdraw_propose", { proposer: A, amount: "5", effective_at: "2026-05-01T00:00:00.000000Z" }]],
  ],
  [{ kind: "upkeep_withdrawal_cancelled" }, [["upkeep_withdraw_cancel", {}]]],
  [
    { kind: "upkeep_withdrawn", withdrawer: A, amount: "5" },
    [["upkeep_withdraw", { recipient: A, withdrawer: A, amount: "5" }]],
  ],
  [
    { kind: "upkeep_insufficient", balance: "1", cost: "2" },
    [["upkeep_insufficient", { balance: "1", cost: "2" }]],
  ],
  [
    { kind: "deposit", sender: A, owner: B, assets: "1", shares: "2" },
    [["deposit", { sender: A, owner: B, assets: "1", shares: "2" }]],
  ],
  [
    { kind: "withdraw", sender: A, receiver: B, owner: A, assets: "1", shares: "2" },
    [["withdraw", { sender: A, receiver: B, owner: A, assets: "1", shares: "2" }]],
  ],
  [
    { kind: "redeem_requested", controller: A, owner: B, requestId: "0", sender: A, shares: "2" },
    [["redeem_request", { controller: A, owner: B, request_id: "0", sender: A, shares: "2" }]],
  ],
  [
    { kind: "redeem_requests_fulfilled", controllers: [A, B], processedShares: "2", currentPps: "3" },
    [["redeem_fulfill", { controllers: [A, B], processed_shares: "2", pps: "3" }]],
  ],
  [
    { kind: "redeem_cancel_requested", controller: A, requestId: "0", sender: B },
    [["redeem_cancel_request", { controller: A, request_id: "0", sender: B }]],
  ],
  [
    { kind: "redeem_cancel_claimed", receiver: A, controller: B, requestId: "0", sender: A, shares: "2" },
    [["redeem_cancel", { receiver: A, controller: B, request_id: "0", sender: A, shares: "2" }]],
  ],
  [
    { kind: "pps_expiration_proposal_cancelled" },
    [["pps_params_update", { parameter: "pps_expiration_cancelled" }]],
  ],
  [
    {
      kind: "min_update_interval_proposed",
      proposer: A,
      newMinUpdateInterval: "2",
      effectiveTime: "1777593600",
    },
    [
      [
        "pps_params_update",
        {
          parameter: "min_update_interval_proposed",
          proposer: A,
          min_update_interval_seconds: "2",
          effective_at: "2026-05-01T00:00:00.000000Z",
        },
      ],
    ],
  ],
  [
    { kind: "min_update_interval_cancelled", cancelledInterval: "2" },
    [["pps_params_update", { parameter: "min_update_interval_cancelled", min_update_interval_seconds: "2" }]],
  ],
  [
    { kind: "min_update_interval_rejected", proposedInterval: "2", currentMaxStaleness: "1" },
    [
      [
        "pps_params_update",
        {
          parameter: "min_update_interval_rejected",
          min_update_interval_seconds: "2",
          max_staleness_seconds: "1",
        },
      ],
    ],
  ],
  [
    {
      kind: "hook_executed",
      hook: A,
      prevHook: null,
      yieldSource: B,
      usePrevHookAmount: false,
      calldata: "0x1234",
    },
    [
      [
        "hook_execute",
        { hook: A, prev_hook: null, yield_source: B, use_prev_hook_amount: false, calldata: "0x1234" },
      ],
    ],
  ],
  [
    { kind: "high_water_mark_updated", newHwmPps: "1", previousPps: null, profit: null, feeCollected: null },
    [["high_water_mark_reset", { hwm_pps: "1" }]],
  ],
  [
    { kind: "global_hooks_root_proposed", root: ROOT, effectiveTime: "1777593600" },
    [
      [
        "merkle_root_propose",
        { scope: "global", proposer: null, root: ROOT, effective_at: "2026-05-01T00:00:00.000000Z" },
      ],
    ],
  ],
  [
    { kind: "global_hooks_root_updated", oldRoot: ROOT, newRoot: ROOT },
    [["merkle_root_update", { scope: "global", old_root: ROOT, root: ROOT }]],
  ],
  [
    { kind: "global_hooks_root_veto_changed", vetoed: false, root: ROOT, guardian: null },
    [["merkle_root_veto", { scope: "global", is_vetoed: false, root: ROOT, guardian: null }]],
  ],
  [
    { kind: "global_leaves_changed", leaves: [ROOT], statuses: [true] },
    [["merkle_leaves_update", { leaves: [ROOT], is_banned: [true] }]],
  ],
  [{ kind: "fee_recipient_changed", newRecipient: A }, [["fee_recipient_change", { recipient: A }]]],
  [{ kind: "upkeep_claimed", superBank: A, amount: "5" }, [["upkeep_claim", { super_bank: A, amount: "5" }]]],
  [
    { kind: "emergency_withdrawal", recipient: A, assets: "5" },
    [["emergency_withdraw", { recipient: A, assets: "5" }]],
  ],
  [
    { kind: "redeem_cancel_fulfilled", controller: A, shares: "5" },
    [["redeem_cancel_fulfill", { controller: A, shares: "5" }]],
  ],
  [
    { kind: "redeem_request_cancelled", controller: A, sender: B, shares: null },
    [["redeem_cancel", { receiver: A, controller: A, request_id: "0", sender: B, shares: null }]],
  ],
  [
    { kind: "role_granted", role: ROOT, account: A, sender: B },
    [["role_grant", { role: ROOT, account: A, sender: B }]],
  ],
  [
    { kind: "role_revoked", role: ROOT, account: A, sender: B },
    [["role_revoke", { role: ROOT, account: A, sender: B }]],
  ],
  [
    { kind: "ownership_transfer_started", previousOwner: A, newOwner: B },
    [
      [
        "primary_manager_change_propose",
        { proposer: A, new_manager: B, fee_recipient: null, effective_at: null },
      ],
    ],
  ],
  [
    { kind: "ownership_transferred", previousOwner: A, newOwner: B },
    [["primary_manager_change", { old_manager: A, new_manager: B, fee_recipient: null }]],
  ],
  [
    { kind: "deposit_requested", controller: A, owner: B, requestId: "7", sender: A, assets: "5" },
    [["deposit_request", { controller: A, owner: B, request_id: "7", sender: A, assets: "5" }]],
  ],
  [
    { kind: "deposit_claimable", controller: A, requestId: "7", assets: "5", shares: "4" },
    [["deposit_fulfill", { controller: A, request_id: "7", assets: "5", shares: "4" }]],
  ],
  [
    { kind: "deposit_cancel_requested", controller: A, requestId: "7", sender: B },
    [["deposit_cancel_request", { controller: A, request_id: "7", sender: B }]],
  ],
  [
    { kind: "deposit_cancel_claimed", receiver: B, controller: A, requestId: "7", sender: B, assets: "5" },
    [["deposit_cancel", { receiver: B, controller: A, request_id: "7", sender: B, assets: "5" }]],
  ],
  [
    {
      kind: "redeem_claimable",
      controller: A,
      requestId: "7",
      assets: "5",
      shares: "4",
      averageWithdrawPrice: null,
      isOnlyNotice: true,
    },
    [
      [
        "redeem_fulfill",
        { controllers: [A], processed_shares: "4", pps: null, assets: "5", request_id: "7" },
      ],
    ],
  ],
  [
    { kind: "other", contract: "governor", event: "UpkeepPaymentsChanged", args: { enabled: false } },
    [
      [
        "parameter_change",
        { contract: "governor", event: "UpkeepPaymentsChanged", arguments: { enabled: false } },
      ],
    ],
  ],
];
