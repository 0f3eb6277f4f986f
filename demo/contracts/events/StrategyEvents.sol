// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What a strategy emits: yield sources, fees, redeem state, price expiry.
interface StrategyEvents {
    event Initialized(address indexed vault);
    event SuperGovernorSet(address indexed superGovernor);
    event YieldSourceAdded(address indexed source, address indexed oracle);
    event YieldSourceOracleUpdated(address indexed source, address indexed oldOracle, address indexed newOracle);
    event YieldSourceRemoved(address indexed source);
    event VaultFeeConfigProposed(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient, uint256 effectiveTime);
    event VaultFeeConfigUpdated(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient);
    event FeeRecipientChanged(address indexed newRecipient);
    event ManagementFeePaid(address indexed controller, address indexed recipient, uint256 feeAssets, uint256 feeBps);
    event PerformanceFeeSkimmed(uint256 totalFee, uint256 superformFee);
    event HWMPPSUpdated(uint256 newHwmPps, uint256 previousPps, uint256 profit, uint256 feeCollected);
    event HighWaterMarkReset(uint256 newHwmPps);
    event HooksExecuted(address[] hooks);
    event HookExecuted(address indexed hook, address indexed prevHook, address indexed targetedYieldSource, bool usePrevHookAmount, bytes hookCalldata);
    event DepositHandled(address indexed controller, uint256 assets, uint256 shares);
    event RedeemRequestPlaced(address indexed controller, address indexed owner, uint256 shares);
    event RedeemClaimable(address indexed controller, uint256 assetsFulfilled, uint256 sharesFulfilled, uint256 averageWithdrawPrice);
    event RedeemRequestsFulfilled(address[] controllers, uint256 processedShares, uint256 currentPPS);
    event RedeemRequestClaimed(address indexed controller, address indexed receiver, uint256 assets, uint256 shares);
    event RedeemCancelRequestPlaced(address indexed controller);
    event RedeemCancelRequestFulfilled(address indexed controller, uint256 shares);
    event RedeemRequestCanceled(address indexed controller, uint256 shares);
    event RedeemSlippageSet(address indexed controller, uint16 slippageBps);
    event PPSExpirationProposed(uint256 currentProposedThreshold, uint256 ppsExpiration, uint256 effectiveTime);
    event PPSExpiryThresholdUpdated(uint256 ppsExpiration);
    event PPSExpiryThresholdProposalCanceled();
    event HookRootUpdated(bytes32 newRoot);
    event HookRootProposed(bytes32 proposedRoot, uint256 effectiveTime);
    event PPSUpdated(uint256 newPPS, uint256 calculationBlock);
    event FeePaid(address indexed recipient, uint256 amount, uint256 performanceFeeBps);
    event VaultCostBasisUpdated(uint256 newTotalCostBasis);
}
