// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Shapes that older strategies emitted.
interface LegacyStrategyEvents {
    event RedeemRequestsFulfilled(address[] hooks, address[] controllers, uint256 processedShares, uint256 currentPPS);
    event FulfillHookExecuted(address indexed hook, address indexed targetedYieldSource, bytes hookCalldata);
    event EmergencyWithdrawal(address indexed recipient, uint256 assets);
    event EmergencyWithdrawableProposed(bool newWithdrawable, uint256 effectiveTime);
    event EmergencyWithdrawableUpdated(bool withdrawable);
    event EmergencyWithdrawableProposalCanceled();
    event MaxPPSSlippageUpdated(uint256 maxSlippageBps);
    event RedeemRequestFulfilled(address indexed controller, address indexed receiver, uint256 assets, uint256 shares);
}
