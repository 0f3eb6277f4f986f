// From the table of events and docs/decisions/0016 (actors): which entries each event becomes, with which details, and whom it names as the one
// who acted. Written from the documents, not from the service's code, which is held against it.
import { type EventEntry, readEventTable } from "../../demo/src/events.ts";

/** An event's arguments by name, as viem decodes them. */
export type Args = Record<string, unknown>;

export interface EntryRule {
  entries(args: Args): [action: string, details: Record<string, unknown>][];
  /** The parameter that names who acted. */
  actor?: string;
  /** The event names no strategy: it belongs to the one that its transaction's call names. */
  strategyOfCall?: true;
}

const text = (value: unknown) => String(value);
const time = (value: unknown) =>
  (value as bigint) <= 253_402_300_799n
    ? new Date(Number(value) * 1000).toISOString().replace(/\.\d+Z$/, ".000000Z")
    : String(value);

function one(action: string, details: (args: Args) => Record<string, unknown>, actor?: string): EntryRule {
  return { entries: (args) => [[action, details(args)]], ...(actor ? { actor } : {}) };
}

function rejection(
  reason: string,
  rest: (args: Args) => { message?: string; at?: unknown },
  actor?: string,
): EntryRule {
  return one(
    "pps_update_reject",
    (args) => {
      const { message, at } = rest(args);
      return {
        reason,
        message: message ?? null,
        pps_timestamp: at === undefined ? null : time(at),
        pps: null,
      };
    },
    actor,
  );
}

/** What each event becomes. Events that are not here become no entry. */
export const ENTRY_RULES: Record<string, EntryRule | undefined> = {
  "VaultDeployed(address indexed vault, address indexed strategy, address escrow, address asset, string name, string symbol, uint256 indexed nonce)":
    one("vault_create", (a) => ({
      strategy: a.strategy,
      escrow: a.escrow,
      asset: a.asset,
      name: a.name,
      symbol: a.symbol,
      nonce: text(a.nonce),
    })),
  "PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)": one("pps_update", (a) => ({
    pps: text(a.pps),
    pps_timestamp: time(a.timestamp),
  })),
  "PPSUpdatedAfterSkim(address indexed strategy, uint256 oldPPS, uint256 newPPS, uint256 feeAmount, uint256 timestamp)":
    {
      entries: (a) => [
        ["pps_update", { pps: text(a.newPPS), old_pps: text(a.oldPPS), pps_timestamp: time(a.timestamp) }],
        ["fee_skim", { fee_amount: text(a.feeAmount), old_pps: text(a.oldPPS), pps: text(a.newPPS) }],
      ],
    },
  "StrategyPaused(address indexed strategy)": one("vault_pause", () => ({ account: null })),
  "StrategyUnpaused(address indexed strategy)": one("vault_unpause", () => ({ account: null })),
  "StrategyCheckFailed(address indexed strategy, string reason)": rejection("StrategyCheckFailed", (a) => ({
    message: text(a.reason),
  })),
  "StrategyPPSStale(address indexed strategy)": one("pps_stale", () => ({})),
  "StrategyPPSStaleReset(address indexed strategy)": one("pps_stale_reset", () => ({})),
  "StaleUpdate(address indexed strategy, address indexed updateAuthority, uint256 timestamp)": rejection(
    "StaleUpdate",
    (a) => ({ at: a.timestamp }),
    "updateAuthority",
  ),
  "UpdateTooFrequent()": { ...rejection("UpdateTooFrequent", () => ({})), strategyOfCall: true },
  "TimestampNotMonotonic()": { ...rejection("TimestampNotMonotonic", () => ({})), strategyOfCall: true },
  "StaleSignatureAfterUnpause(address indexed strategy, uint256 signatureTimestamp, uint256 lastUnpauseTimestamp)":
    rejection("StaleSignatureAfterUnpause", (a) => ({
      at: a.signatureTimestamp,
      message: `last unpaused at ${a.lastUnpauseTimestamp}`,
    })),
  "ProvidedTimestampExceedsBlockTimestamp(address indexed strategy, uint256 argsTimestamp, uint256 blockTimestamp)":
    rejection("ProvidedTimestampExceedsBlockTimestamp", (a) => ({
      at: a.argsTimestamp,
      message: `block timestamp ${a.blockTimestamp}`,
    })),
  "UnknownStrategy(address indexed strategy)": rejection("UnknownStrategy", (a) => ({
    message: text(a.strategy),
  })),
  "PPSUpdateRejectedStrategyPaused(address indexed strategy)": rejection(
    "PPSUpdateRejectedStrategyPaused",
    () => ({}),
  ),
  "UpkeepDeposited(address indexed strategy, address indexed depositor, uint256 amount)": one(
    "upkeep_deposit",
    (a) => ({ depositor: a.depositor, amount: text(a.amount) }),
    "depositor",
  ),
  "UpkeepWithdrawn(address indexed strategy, address indexed withdrawer, uint256 amount)": one(
    "upkeep_withdraw",
    (a) => ({ recipient: a.withdrawer, withdrawer: a.withdrawer, amount: text(a.amount) }),
  ),
  "UpkeepClaimed(address indexed superBank, uint256 amount)": one("upkeep_claim", (a) => ({
    super_bank: a.superBank,
    amount: text(a.amount),
  })),
  "HooksRootUpdateTimelockChanged(uint256 newTimelock)": one("parameter_change", (a) => ({
    contract: "aggregator",
    event: "HooksRootUpdateTimelockChanged",
    arguments: { newTimelock: text(a.newTimelock) },
  })),
  "GlobalHooksRootUpdateProposed(bytes32 indexed root, uint256 effectiveTime)": one(
    "merkle_root_propose",
    (a) => ({ scope: "global", proposer: null, root: a.root, effective_at: time(a.effectiveTime) }),
  ),
  "GlobalHooksRootUpdated(bytes32 indexed oldRoot, bytes32 newRoot)": one("merkle_root_update", (a) => ({
    scope: "global",
    old_root: a.oldRoot,
    root: a.newRoot,
  })),
  "GlobalHooksRootVetoStatusChanged(bool vetoed, bytes32 indexed root)": one("merkle_root_veto", (a) => ({
    scope: "global",
    is_vetoed: a.vetoed,
    root: a.root,
    guardian: null,
  })),
  "GlobalLeavesStatusChanged(address indexed strategy, bytes32[] leaves, bool[] statuses)": one(
    "merkle_leaves_update",
    (a) => ({ leaves: a.leaves, is_banned: a.statuses }),
  ),
  "MinUpdateIntervalChangeProposed(address indexed strategy, address indexed proposer, uint256 newMinUpdateInterval, uint256 effectiveTime)":
    one(
      "pps_params_update",
      (a) => ({
        parameter: "min_update_interval_proposed",
        proposer: a.proposer,
        min_update_interval_seconds: text(a.newMinUpdateInterval),
        effective_at: time(a.effectiveTime),
      }),
      "proposer",
    ),
  "MinUpdateIntervalChangeRejected(address indexed strategy, uint256 proposedInterval, uint256 currentMaxStaleness)":
    one("pps_params_update", (a) => ({
      parameter: "min_update_interval_rejected",
      min_update_interval_seconds: text(a.proposedInterval),
      max_staleness_seconds: text(a.currentMaxStaleness),
    })),
  "MinUpdateIntervalChangeCancelled(address indexed strategy, uint256 cancelledInterval)": one(
    "pps_params_update",
    (a) => ({
      parameter: "min_update_interval_cancelled",
      min_update_interval_seconds: text(a.cancelledInterval),
    }),
  ),
  "PPSExpiryThresholdProposalCanceled()": one("pps_params_update", () => ({
    parameter: "pps_expiration_cancelled",
  })),
  "FeeRecipientChanged(address indexed newRecipient)": one("fee_recipient_change", (a) => ({
    recipient: a.newRecipient,
  })),
  "HighWaterMarkReset(uint256 newHwmPps)": one("high_water_mark_reset", (a) => ({
    hwm_pps: text(a.newHwmPps),
  })),
  "HookExecuted(address indexed hook, address indexed prevHook, address indexed targetedYieldSource, bool usePrevHookAmount, bytes hookCalldata)":
    one("hook_execute", (a) => ({
      hook: a.hook,
      prev_hook: /^0x0+$/.test(text(a.prevHook)) ? null : a.prevHook,
      yield_source: a.targetedYieldSource,
      use_prev_hook_amount: a.usePrevHookAmount,
      calldata: a.hookCalldata,
    })),
  "RedeemCancelRequestFulfilled(address indexed controller, uint256 shares)": one(
    "redeem_cancel_fulfill",
    (a) => ({ controller: a.controller, shares: text(a.shares) }),
  ),
  "UpkeepWithdrawalProposed(address indexed strategy, address indexed mainManager, uint256 amount, uint256 effectiveTime)":
    one(
      "upkeep_withdraw_propose",
      (a) => ({ proposer: a.mainManager, amount: text(a.amount), effective_at: time(a.effectiveTime) }),
      "mainManager",
    ),
  "UpkeepWithdrawalCancelled(address indexed strategy)": one("upkeep_withdraw_cancel", () => ({})),
  "InsufficientUpkeep(address indexed strategy, address indexed strategyAddr, uint256 balance, uint256 cost)":
    one("upkeep_insufficient", (a) => ({ balance: text(a.balance), cost: text(a.cost) })),
  "SecondaryManagerAdded(address indexed strategy, address indexed manager)": one(
    "secondary_manager_add",
    (a) => ({ manager: a.manager }),
  ),
  "SecondaryManagerRemoved(address indexed strategy, address indexed manager)": one(
    "secondary_manager_remove",
    (a) => ({ manager: a.manager }),
  ),
  "PrimaryManagerChanged(address indexed strategy, address indexed oldManager, address indexed newManager, address feeRecipient)":
    one("primary_manager_change", (a) => ({
      old_manager: a.oldManager,
      new_manager: a.newManager,
      fee_recipient: a.feeRecipient,
    })),
  "PrimaryManagerChangeProposed(address indexed strategy, address indexed proposer, address indexed newManager, address feeRecipient, uint256 effectiveTime)":
    one(
      "primary_manager_change_propose",
      (a) => ({
        proposer: a.proposer,
        new_manager: a.newManager,
        fee_recipient: a.feeRecipient,
        effective_at: time(a.effectiveTime),
      }),
      "proposer",
    ),
  "PrimaryManagerChangeCancelled(address indexed strategy, address indexed cancelledManager)": one(
    "primary_manager_change_cancel",
    (a) => ({ cancelled_manager: a.cancelledManager }),
  ),
  "StrategyHooksRootUpdateProposed(address indexed strategy, address indexed proposer, bytes32 root, uint256 effectiveTime)":
    one(
      "merkle_root_propose",
      (a) => ({
        scope: "strategy",
        proposer: a.proposer,
        root: a.root,
        effective_at: time(a.effectiveTime),
      }),
      "proposer",
    ),
  "StrategyHooksRootUpdated(address indexed strategy, bytes32 oldRoot, bytes32 newRoot)": one(
    "merkle_root_update",
    (a) => ({ scope: "strategy", old_root: a.oldRoot, root: a.newRoot }),
  ),
  "StrategyHooksRootVetoStatusChanged(address indexed strategy, bool vetoed, bytes32 indexed root)": one(
    "merkle_root_veto",
    (a) => ({ scope: "strategy", is_vetoed: a.vetoed, root: a.root, guardian: null }),
  ),
  "DeviationThresholdUpdated(address indexed strategy, uint256 deviationThreshold)": one(
    "pps_params_update",
    (a) => ({ parameter: "deviation_threshold", deviation_threshold: text(a.deviationThreshold) }),
  ),
  "MinUpdateIntervalChanged(address indexed strategy, uint256 oldMinUpdateInterval, uint256 newMinUpdateInterval)":
    one("pps_params_update", (a) => ({
      parameter: "min_update_interval",
      old_min_update_interval_seconds: text(a.oldMinUpdateInterval),
      min_update_interval_seconds: text(a.newMinUpdateInterval),
    })),
  "YieldSourceAdded(address indexed source, address indexed oracle)": one("yield_source_add", (a) => ({
    yield_source: a.source,
    oracle: a.oracle,
  })),
  "YieldSourceRemoved(address indexed source)": one("yield_source_remove", (a) => ({
    yield_source: a.source,
  })),
  "YieldSourceOracleUpdated(address indexed source, address indexed oldOracle, address indexed newOracle)":
    one("yield_source_oracle_update", (a) => ({
      yield_source: a.source,
      old_oracle: a.oldOracle,
      oracle: a.newOracle,
    })),
  "VaultFeeConfigProposed(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient, uint256 effectiveTime)":
    one("fee_config_propose", (a) => ({ ...fees(a), effective_at: time(a.effectiveTime) })),
  "VaultFeeConfigUpdated(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient)":
    one("fee_config_update", (a) => fees(a)),
  "PPSExpirationProposed(uint256 currentProposedThreshold, uint256 ppsExpiration, uint256 effectiveTime)":
    one("pps_params_update", (a) => ({
      parameter: "pps_expiration_proposed",
      replaced_pps_expiration_seconds:
        a.currentProposedThreshold === 0n ? null : text(a.currentProposedThreshold),
      pps_expiration_seconds: text(a.ppsExpiration),
      effective_at: time(a.effectiveTime),
    })),
  "PPSExpiryThresholdUpdated(uint256 ppsExpiration)": one("pps_params_update", (a) => ({
    parameter: "pps_expiration",
    pps_expiration_seconds: text(a.ppsExpiration),
  })),
  "RedeemRequestsFulfilled(address[] controllers, uint256 processedShares, uint256 currentPPS)": one(
    "redeem_fulfill",
    (a) => ({
      controllers: a.controllers,
      processed_shares: text(a.processedShares),
      pps: text(a.currentPPS),
    }),
  ),
  "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)": one(
    "deposit",
    (a) => ({ sender: a.sender, owner: a.owner, assets: text(a.assets), shares: text(a.shares) }),
    "sender",
  ),
  "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)":
    one(
      "withdraw",
      (a) => ({
        sender: a.sender,
        receiver: a.receiver,
        owner: a.owner,
        assets: text(a.assets),
        shares: text(a.shares),
      }),
      "sender",
    ),
  "RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)":
    one(
      "redeem_request",
      (a) => ({
        controller: a.controller,
        owner: a.owner,
        request_id: text(a.requestId),
        sender: a.sender,
        shares: text(a.assets),
      }),
      "sender",
    ),
  "CancelRedeemRequest(address indexed controller, uint256 indexed requestId, address sender)": one(
    "redeem_cancel_request",
    (a) => ({ controller: a.controller, request_id: text(a.requestId), sender: a.sender }),
    "sender",
  ),
  "CancelRedeemClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 shares)":
    one(
      "redeem_cancel",
      (a) => ({
        receiver: a.receiver,
        controller: a.controller,
        request_id: text(a.requestId),
        sender: a.sender,
        shares: text(a.shares),
      }),
      "sender",
    ),
};

/** The events that must become entries, by section of the table. */
export const AUDITED_EVENTS: readonly EventEntry[] = readEventTable().filter(
  ({ section, signature }) =>
    ["SuperVaultAggregator", "SuperVaultStrategy", "SuperVault"].includes(section) &&
    ENTRY_RULES[signature] !== undefined,
);

function fees(a: Args) {
  return {
    performance_fee_bps: text(a.performanceFeeBps),
    management_fee_bps: text(a.managementFeeBps),
    recipient: a.recipient,
  };
}
