// What the SuperVaultAggregator's events say. It holds price, pause, managers, upkeep and hook roots of every strategy; each
// event names its strategy, save the two rejections that `complete` assigns and the few that concern them all.
// Signatures: superform-xyz/v2-periphery, ISuperVaultAggregator; the older shapes at the end have been on chain too.
import { zeroAddress } from "viem";
import type { FactBody, PpsRejection } from "../../facts.ts";
import { cleanText, NAME_LENGTH, REASON_LENGTH, SYMBOL_LENGTH } from "../../text.ts";
import { byTopic, on, other } from "../family/event.ts";

const prices = [
  on("PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)", (_strategy, pps, timestamp) => ({
    kind: "pps_updated",
    pps,
    timestamp,
  })),
  on(
    "PPSUpdatedAfterSkim(address indexed strategy, uint256 oldPPS, uint256 newPPS, uint256 feeAmount, uint256 timestamp)",
    (_strategy, oldPps, newPps, feeAmount, timestamp) => ({
      kind: "pps_updated_after_skim",
      oldPps,
      newPps,
      feeAmount,
      timestamp,
    }),
  ),
  on("StrategyPPSStale(address indexed strategy)", () => ({ kind: "pps_stale" })),
  on("StrategyPPSStaleReset(address indexed strategy)", () => ({ kind: "pps_stale_reset" })),
  on(
    "DeviationThresholdUpdated(address indexed strategy, uint256 deviationThreshold)",
    (_strategy, deviationThreshold) => ({
      kind: "deviation_threshold_updated",
      deviationThreshold,
    }),
  ),
  on(
    "MinUpdateIntervalChangeProposed(address indexed strategy, address indexed proposer, uint256 newMinUpdateInterval, uint256 effectiveTime)",
    (_strategy, proposer, newMinUpdateInterval, effectiveTime) => ({
      kind: "min_update_interval_proposed",
      proposer,
      newMinUpdateInterval,
      effectiveTime,
    }),
    "proposer",
  ),
  on(
    "MinUpdateIntervalChanged(address indexed strategy, uint256 oldMinUpdateInterval, uint256 newMinUpdateInterval)",
    (_strategy, oldMinUpdateInterval, newMinUpdateInterval) => ({
      kind: "min_update_interval_changed",
      oldMinUpdateInterval,
      newMinUpdateInterval,
    }),
  ),
  on(
    "MinUpdateIntervalChangeRejected(address indexed strategy, uint256 proposedInterval, uint256 currentMaxStaleness)",
    (_strategy, proposedInterval, currentMaxStaleness) => ({
      kind: "min_update_interval_rejected",
      proposedInterval,
      currentMaxStaleness,
    }),
  ),
  on(
    "MinUpdateIntervalChangeCancelled(address indexed strategy, uint256 cancelledInterval)",
    (_strategy, cancelledInterval) => ({ kind: "min_update_interval_cancelled", cancelledInterval }),
  ),
  // The strategy tells of the same reset by an event of its own, which becomes the fact.
  other("aggregator", "HighWaterMarkReset(address indexed strategy, uint256 indexed newHWM)"),
];

const rejections = [
  on("StrategyCheckFailed(address indexed strategy, string reason)", (_strategy, reason) =>
    rejected("StrategyCheckFailed", cleanText(reason, REASON_LENGTH)),
  ),
  on(
    "StaleUpdate(address indexed strategy, address indexed updateAuthority, uint256 timestamp)",
    (_strategy, _authority, timestamp) => rejected("StaleUpdate", null, timestamp),
    "updateAuthority",
  ),
  on("UpdateTooFrequent()", () => rejected("UpdateTooFrequent")),
  on("TimestampNotMonotonic()", () => rejected("TimestampNotMonotonic")),
  on(
    "StaleSignatureAfterUnpause(address indexed strategy, uint256 signatureTimestamp, uint256 lastUnpauseTimestamp)",
    (_strategy, signatureTimestamp, lastUnpauseTimestamp) =>
      rejected("StaleSignatureAfterUnpause", `last unpaused at ${lastUnpauseTimestamp}`, signatureTimestamp),
  ),
  on(
    "ProvidedTimestampExceedsBlockTimestamp(address indexed strategy, uint256 argsTimestamp, uint256 blockTimestamp)",
    (_strategy, argsTimestamp, blockTimestamp) =>
      rejected("ProvidedTimestampExceedsBlockTimestamp", `block timestamp ${blockTimestamp}`, argsTimestamp),
  ),
  on("UnknownStrategy(address indexed strategy)", (strategy) => rejected("UnknownStrategy", strategy)),
  on("PPSUpdateRejectedStrategyPaused(address indexed strategy)", () =>
    rejected("PPSUpdateRejectedStrategyPaused"),
  ),
];

const pauses = [
  on("StrategyPaused(address indexed strategy)", () => ({ kind: "vault_paused", account: null })),
  on("StrategyUnpaused(address indexed strategy)", () => ({ kind: "vault_unpaused", account: null })),
];

const managers = [
  // Managers are not named by the event: `complete` reads them at the block.
  on(
    "VaultDeployed(address indexed vault, address indexed strategy, address escrow, address asset, string name, string symbol, uint256 indexed nonce)",
    (vault, strategy, escrow, asset, name, symbol, nonce) => ({
      kind: "vault_deployed",
      vault,
      strategy,
      escrow,
      asset,
      name: cleanText(name, NAME_LENGTH),
      symbol: cleanText(symbol, SYMBOL_LENGTH),
      nonce,
      primaryManager: zeroAddress,
      secondaryManagers: [],
    }),
  ),
  on("SecondaryManagerAdded(address indexed strategy, address indexed manager)", (_strategy, manager) => ({
    kind: "secondary_manager_added",
    manager,
  })),
  on("SecondaryManagerRemoved(address indexed strategy, address indexed manager)", (_strategy, manager) => ({
    kind: "secondary_manager_removed",
    manager,
  })),
  on(
    "PrimaryManagerChanged(address indexed strategy, address indexed oldManager, address indexed newManager, address feeRecipient)",
    (_strategy, oldManager, newManager, feeRecipient) => ({
      kind: "primary_manager_changed",
      oldManager,
      newManager,
      feeRecipient,
    }),
  ),
  on(
    "PrimaryManagerChangeProposed(address indexed strategy, address indexed proposer, address indexed newManager, address feeRecipient, uint256 effectiveTime)",
    (_strategy, proposer, newManager, feeRecipient, effectiveTime) => ({
      kind: "primary_manager_proposed",
      proposer,
      newManager,
      feeRecipient,
      effectiveTime,
    }),
    "proposer",
  ),
  on(
    "PrimaryManagerChangeCancelled(address indexed strategy, address indexed cancelledManager)",
    (_strategy, cancelledManager) => ({ kind: "primary_manager_change_cancelled", cancelledManager }),
  ),
  on(
    "OldPrimaryManagerRemoved(address indexed strategy, address indexed oldManager)",
    (_strategy, oldManager) => ({
      kind: "old_primary_manager_removed",
      oldManager,
    }),
  ),
];

const hooksRoots = [
  on(
    "StrategyHooksRootUpdateProposed(address indexed strategy, address indexed proposer, bytes32 root, uint256 effectiveTime)",
    (_strategy, proposer, root, effectiveTime) => ({
      kind: "hooks_root_proposed",
      proposer,
      root,
      effectiveTime,
    }),
    "proposer",
  ),
  on(
    "StrategyHooksRootUpdated(address indexed strategy, bytes32 oldRoot, bytes32 newRoot)",
    (_strategy, oldRoot, newRoot) => ({
      kind: "hooks_root_updated",
      oldRoot,
      newRoot,
    }),
  ),
  on(
    "StrategyHooksRootVetoStatusChanged(address indexed strategy, bool vetoed, bytes32 indexed root)",
    (_strategy, vetoed, root) => ({ kind: "hooks_root_veto_changed", vetoed, root, guardian: null }),
  ),
  on("GlobalHooksRootUpdateProposed(bytes32 indexed root, uint256 effectiveTime)", (root, effectiveTime) => ({
    kind: "global_hooks_root_proposed",
    root,
    effectiveTime,
  })),
  on("GlobalHooksRootUpdated(bytes32 indexed oldRoot, bytes32 newRoot)", (oldRoot, newRoot) => ({
    kind: "global_hooks_root_updated",
    oldRoot,
    newRoot,
  })),
  on("GlobalHooksRootVetoStatusChanged(bool vetoed, bytes32 indexed root)", (vetoed, root) => ({
    kind: "global_hooks_root_veto_changed",
    vetoed,
    root,
    guardian: null,
  })),
  on(
    "GlobalLeavesStatusChanged(address indexed strategy, bytes32[] leaves, bool[] statuses)",
    (_strategy, leaves, statuses) => ({ kind: "global_leaves_changed", leaves, statuses }),
  ),
  other("aggregator", "HooksRootUpdateTimelockChanged(uint256 newTimelock)"),
];

const upkeep = [
  on(
    "UpkeepDeposited(address indexed strategy, address indexed depositor, uint256 amount)",
    (_strategy, depositor, amount) => ({ kind: "upkeep_deposited", depositor, amount }),
    "depositor",
  ),
  on(
    "UpkeepWithdrawn(address indexed strategy, address indexed withdrawer, uint256 amount)",
    // It names who got it; anybody may carry out what is due.
    (_strategy, withdrawer, amount) => ({ kind: "upkeep_withdrawn", withdrawer, amount }),
  ),
  on(
    "UpkeepWithdrawalProposed(address indexed strategy, address indexed mainManager, uint256 amount, uint256 effectiveTime)",
    (_strategy, mainManager, amount, effectiveTime) => ({
      kind: "upkeep_withdrawal_proposed",
      mainManager,
      amount,
      effectiveTime,
    }),
    "mainManager",
  ),
  on("UpkeepWithdrawalCancelled(address indexed strategy)", () => ({ kind: "upkeep_withdrawal_cancelled" })),
  on(
    "UpkeepSpent(address indexed strategy, uint256 amount, uint256 balance, uint256 claimableUpkeep)",
    (_strategy, amount, balance, claimableUpkeep) => ({
      kind: "upkeep_spent",
      amount,
      balance,
      claimableUpkeep,
    }),
  ),
  on(
    "InsufficientUpkeep(address indexed strategy, address indexed strategyAddr, uint256 balance, uint256 cost)",
    (_strategy, _again, balance, cost) => ({ kind: "upkeep_insufficient", balance, cost }),
  ),
  on("UpkeepClaimed(address indexed superBank, uint256 amount)", (superBank, amount) => ({
    kind: "upkeep_claimed",
    superBank,
    amount,
  })),
];

const older = [
  on(
    "PPSUpdated(address indexed strategy, uint256 pps, uint256 ppsStdev, uint256 validatorSet, uint256 totalValidators, uint256 timestamp)",
    (_strategy, pps, _stdev, _set, _total, timestamp) => ({ kind: "pps_updated", pps, timestamp }),
  ),
  // Upkeep was once the manager's, for all of a manager's strategies together: these belong to no single vault.
  on("UpkeepDeposited(address indexed manager, uint256 amount)", (manager, amount) => ({
    kind: "upkeep_deposited",
    depositor: manager,
    amount,
  })),
  on(
    "UpkeepWithdrawn(address indexed manager, uint256 amount)",
    (manager, amount) => ({ kind: "upkeep_withdrawn", withdrawer: manager, amount }),
    "manager",
  ),
  on("UpkeepSpent(address indexed manager, uint256 amount)", (_manager, amount) => ({
    kind: "upkeep_spent",
    amount,
    balance: null,
    claimableUpkeep: null,
  })),
  on(
    "PrimaryManagerChanged(address indexed strategy, address indexed oldManager, address indexed newManager)",
    (_strategy, oldManager, newManager) => ({
      kind: "primary_manager_changed",
      oldManager,
      newManager,
      feeRecipient: null,
    }),
  ),
  on(
    "PrimaryManagerChangeProposed(address indexed strategy, address indexed proposer, address indexed newManager, uint256 effectiveTime)",
    (_strategy, proposer, newManager, effectiveTime) => ({
      kind: "primary_manager_proposed",
      proposer,
      newManager,
      feeRecipient: null,
      effectiveTime,
    }),
    "proposer",
  ),
  on(
    "StrategyHooksRootVetoed(address indexed guardian, address indexed strategy, bytes32 indexed root)",
    (guardian, _strategy, root) => ({ kind: "hooks_root_veto_changed", vetoed: true, root, guardian }),
    "guardian",
  ),
  on(
    "GlobalHooksRootVetoed(address indexed guardian, bytes32 indexed root)",
    (guardian, root) => ({ kind: "global_hooks_root_veto_changed", vetoed: true, root, guardian }),
    "guardian",
  ),
  other(
    "aggregator",
    "PPSVerificationThresholdsUpdated(address indexed strategy, uint256 dispersionThreshold, uint256 deviationThreshold, uint256 mnThreshold)",
  ),
  other("aggregator", "UpkeepCostUpdated(uint256 oldCost, uint256 newCost)"),
  other("aggregator", "AuthorizedCallerAdded(address indexed strategy, address indexed caller)"),
  other("aggregator", "AuthorizedCallerRemoved(address indexed strategy, address indexed caller)"),
  other(
    "aggregator",
    "PrimaryManagerChangedToSuperform(address indexed strategy, address indexed oldManager, address indexed newManager)",
  ),
  other("aggregator", "StakeDeposited(address indexed manager, uint256 amount)"),
  other("aggregator", "StakeWithdrawn(address indexed manager, uint256 amount)", "manager"),
  other("aggregator", "StakeSlashed(address indexed manager, uint256 amount)"),
  other("aggregator", "SuperformManager(address indexed strategy, address indexed manager)"),
  other("aggregator", "AuthorizedCaller(address indexed strategy, address indexed caller)"),
];

export const aggregatorRules = byTopic([
  ...prices,
  ...rejections,
  ...pauses,
  ...managers,
  ...hooksRoots,
  ...upkeep,
  ...older,
]);

export function rejected(
  reason: PpsRejection,
  message: string | null = null,
  timestamp: bigint | null = null,
): FactBody {
  return { kind: "pps_update_rejected", reason, message, timestamp, pps: null };
}
