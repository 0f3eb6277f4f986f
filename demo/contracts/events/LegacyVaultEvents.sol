// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Shapes that older vaults emitted.
interface LegacyVaultEvents {
    event RedeemClaimable(address indexed user, uint256 indexed requestId, uint256 assets, uint256 shares, uint256 averageWithdrawPrice, uint256 accumulatorShares, uint256 accumulatorCostBasis);
    event RedeemRequestCancelled(address indexed controller, address indexed sender);
    event SuperGovernorSet(address indexed superGovernor);
}
