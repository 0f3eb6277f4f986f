// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { EulerEarn, StrategyAllocation } from "./EulerEarn.sol";
import { MarketAllocation, MetaMorpho } from "./MetaMorpho.sol";
import { MarketParams } from "./LendingMarkets.sol";

/// @notice An allocator through which anyone may move a vault's assets; the vault sees it as the caller.
/// @dev The amounts that may flow are not limited here.
abstract contract PublicAllocator {
    mapping(address vault => address) public admin;
    mapping(address vault => uint256) public fee;
    mapping(address vault => uint256) public accruedFee;
}

contract MetaMorphoPublicAllocator is PublicAllocator {
    function reallocateTo(MetaMorpho vault, MarketParams calldata from, uint256 assets, MarketParams calldata to) external {
        uint256 worth = vault.MORPHO().expectedSupplyAssets(vault.MORPHO().idOf(from), address(vault));
        MarketAllocation[] memory allocations = new MarketAllocation[](2);
        allocations[0] = MarketAllocation(from, worth - assets);
        allocations[1] = MarketAllocation(to, type(uint256).max);
        vault.reallocate(allocations);
    }
}

contract EulerEarnPublicAllocator is PublicAllocator {
    function reallocateTo(EulerEarn vault, address from, uint256 assets, address to) external {
        StrategyAllocation[] memory allocations = new StrategyAllocation[](2);
        allocations[0] = StrategyAllocation(from, vault.expectedSupplyAssets(from) - assets);
        allocations[1] = StrategyAllocation(to, type(uint256).max);
        vault.reallocate(allocations);
    }
}
