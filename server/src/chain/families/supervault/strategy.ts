// What a SuperVaultStrategy's events say: yield sources, fees, high-water mark, price expiry, and redemptions being served.
// Signatures: superform-xyz/v2-periphery, ISuperVaultStrategy.
import { isZero } from "../../address.ts";
import { byTopic, on, other } from "../family/event.ts";

export const strategyRules = byTopic([
  // yield sources
  on("YieldSourceAdded(address indexed source, address indexed oracle)", (source, oracle) => ({
    kind: "yield_source_added",
    source,
    oracle,
  })),
  on(
    "YieldSourceOracleUpdated(address indexed source, address indexed oldOracle, address indexed newOracle)",
    (source, oldOracle, newOracle) => ({ kind: "yield_source_oracle_updated", source, oldOracle, newOracle }),
  ),
  on("YieldSourceRemoved(address indexed source)", (source) => ({ kind: "yield_source_removed", source })),

  // fees and the mark above which they are taken
  on(
    "VaultFeeConfigProposed(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient, uint256 effectiveTime)",
    (performanceFeeBps, managementFeeBps, recipient, effectiveTime) => ({
      kind: "fee_config_proposed",
      performanceFeeBps,
      managementFeeBps,
      recipient,
      effectiveTime,
    }),
  ),
  on(
    "VaultFeeConfigUpdated(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient)",
    (performanceFeeBps, managementFeeBps, recipient) => ({
      kind: "fee_config_updated",
      performanceFeeBps,
      managementFeeBps,
      recipient,
    }),
  ),
  on("FeeRecipientChanged(address indexed newRecipient)", (newRecipient) => ({
    kind: "fee_recipient_changed",
    newRecipient,
  })),
  on(
    "ManagementFeePaid(address indexed controller, address indexed recipient, uint256 feeAssets, uint256 feeBps)",
    (controller, recipient, feeAssets, feeBps) => ({
      kind: "management_fee_paid",
      controller,
      recipient,
      feeAssets,
      feeBps,
    }),
  ),
  on("PerformanceFeeSkimmed(uint256 totalFee, uint256 superformFee)", (totalFee, superformFee) => ({
    kind: "performance_fee_skimmed",
    totalFee,
    superformFee,
  })),
  on(
    "HWMPPSUpdated(uint256 newHwmPps, uint256 previousPps, uint256 profit, uint256 feeCollected)",
    (newHwmPps, previousPps, profit, feeCollected) => ({
      kind: "high_water_mark_updated",
      newHwmPps,
      previousPps,
      profit,
      feeCollected,
    }),
  ),
  on("HighWaterMarkReset(uint256 newHwmPps)", (newHwmPps) => ({
    kind: "high_water_mark_updated",
    newHwmPps,
    previousPps: null,
    profit: null,
    feeCollected: null,
  })),

  // price expiry
  on(
    "PPSExpirationProposed(uint256 currentProposedThreshold, uint256 ppsExpiration, uint256 effectiveTime)",
    (currentProposedThreshold, ppsExpiration, effectiveTime) => ({
      kind: "pps_expiration_proposed",
      currentProposedThreshold,
      currentExpiration: null,
      ppsExpiration,
      effectiveTime,
    }),
  ),
  on("PPSExpiryThresholdUpdated(uint256 ppsExpiration)", (ppsExpiration) => ({
    kind: "pps_expiration_updated",
    ppsExpiration,
  })),
  on("PPSExpiryThresholdProposalCanceled()", () => ({ kind: "pps_expiration_proposal_cancelled" })),

  // redemptions; requests of one controller add up under the id 0
  on(
    "RedeemClaimable(address indexed controller, uint256 assetsFulfilled, uint256 sharesFulfilled, uint256 averageWithdrawPrice)",
    (controller, assets, shares, averageWithdrawPrice) => ({
      kind: "redeem_claimable",
      controller,
      requestId: 0n,
      assets,
      shares,
      averageWithdrawPrice,
    }),
  ),
  on(
    "RedeemRequestsFulfilled(address[] controllers, uint256 processedShares, uint256 currentPPS)",
    (controllers, processedShares, currentPps) => ({
      kind: "redeem_requests_fulfilled",
      controllers,
      processedShares,
      currentPps,
    }),
  ),
  on("RedeemCancelRequestFulfilled(address indexed controller, uint256 shares)", (controller, shares) => ({
    kind: "redeem_cancel_fulfilled",
    controller,
    shares,
  })),
  on(
    "RedeemRequestsFulfilled(address[] hooks, address[] controllers, uint256 processedShares, uint256 currentPPS)",
    (_hooks, controllers, processedShares, currentPps) => ({
      kind: "redeem_requests_fulfilled",
      controllers,
      processedShares,
      currentPps,
    }),
  ),
  // Its topics are swapped and its shares are zero; the vault's Withdraw says the same rightly.
  on(
    "RedeemRequestClaimed(address indexed controller, address indexed receiver, uint256 assets, uint256 shares)",
    () => null,
  ),

  // what the manager has the strategy do
  on(
    "HookExecuted(address indexed hook, address indexed prevHook, address indexed targetedYieldSource, bool usePrevHookAmount, bytes hookCalldata)",
    (hook, prevHook, yieldSource, usePrevHookAmount, calldata) => ({
      kind: "hook_executed",
      hook,
      prevHook: isZero(prevHook) ? null : prevHook,
      yieldSource,
      usePrevHookAmount,
      calldata,
    }),
  ),
  on(
    "FulfillHookExecuted(address indexed hook, address indexed targetedYieldSource, bytes hookCalldata)",
    (hook, yieldSource, calldata) => ({
      kind: "hook_executed",
      hook,
      prevHook: null,
      yieldSource,
      usePrevHookAmount: false,
      calldata,
    }),
  ),
  on("EmergencyWithdrawal(address indexed recipient, uint256 assets)", (recipient, assets) => ({
    kind: "emergency_withdrawal",
    recipient,
    assets,
  })),
  other("strategy", "EmergencyWithdrawableProposed(bool newWithdrawable, uint256 effectiveTime)"),
  other("strategy", "EmergencyWithdrawableUpdated(bool withdrawable)"),
  other("strategy", "EmergencyWithdrawableProposalCanceled()"),
  other("strategy", "MaxPPSSlippageUpdated(uint256 maxSlippageBps)"),

  // seen from the vault's side by facts of their own, or without meaning to an operator
  other("strategy", "Initialized(address indexed vault)"),
  other("strategy", "SuperGovernorSet(address indexed superGovernor)"),
  other("strategy", "HooksExecuted(address[] hooks)"),
  other(
    "strategy",
    "RedeemRequestFulfilled(address indexed controller, address indexed receiver, uint256 assets, uint256 shares)",
  ),
  other("strategy", "DepositHandled(address indexed controller, uint256 assets, uint256 shares)"),
  other("strategy", "RedeemRequestPlaced(address indexed controller, address indexed owner, uint256 shares)"),
  other("strategy", "RedeemCancelRequestPlaced(address indexed controller)"),
  other("strategy", "RedeemRequestCanceled(address indexed controller, uint256 shares)"),
  other("strategy", "RedeemSlippageSet(address indexed controller, uint16 slippageBps)", "controller"),

  // older shapes; the aggregator's PPSUpdated tells of the same price
  other("strategy", "HookRootUpdated(bytes32 newRoot)"),
  other("strategy", "HookRootProposed(bytes32 proposedRoot, uint256 effectiveTime)"),
  other("strategy", "PPSUpdated(uint256 newPPS, uint256 calculationBlock)"),
  other("strategy", "FeePaid(address indexed recipient, uint256 amount, uint256 performanceFeeBps)"),
  other("strategy", "VaultCostBasisUpdated(uint256 newTotalCostBasis)"),
]);
