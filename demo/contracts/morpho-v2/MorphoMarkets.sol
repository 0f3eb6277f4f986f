// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { IErc20 } from "../Tokens.sol";
import { MorphoMarketParams } from "./MorphoInterfaces.sol";

/// @notice Lending markets of a play chain: anybody may borrow without collateral, which is how a market becomes illiquid.
contract MorphoMarkets {
    error NotEnoughLiquidity();

    struct Market {
        uint128 totalSupplyAssets;
        uint128 totalSupplyShares;
        uint128 totalBorrowAssets;
        uint128 totalBorrowShares;
        uint128 lastUpdate;
        uint128 fee;
    }

    struct Position {
        uint256 supplyShares;
        uint128 borrowShares;
        uint128 collateral;
    }

    mapping(bytes32 id => Market) public market;
    mapping(bytes32 id => mapping(address account => Position)) public position;

    function supply(MorphoMarketParams calldata params, uint256 assets, address onBehalf) external returns (uint256 shares) {
        bytes32 id = keccak256(abi.encode(params));
        Market storage own = market[id];
        shares = (assets * (own.totalSupplyShares + 1e6)) / (own.totalSupplyAssets + 1);
        own.totalSupplyShares += uint128(shares);
        own.totalSupplyAssets += uint128(assets);
        position[id][onBehalf].supplyShares += shares;
        IErc20(params.loanToken).transferFrom(msg.sender, address(this), assets);
    }

    function withdraw(MorphoMarketParams calldata params, uint256 assets, address receiver) external returns (uint256 shares) {
        bytes32 id = keccak256(abi.encode(params));
        Market storage own = market[id];
        uint256 worth = own.totalSupplyAssets + 1;
        shares = (assets * (own.totalSupplyShares + 1e6) + worth - 1) / worth;
        position[id][msg.sender].supplyShares -= shares;
        own.totalSupplyShares -= uint128(shares);
        own.totalSupplyAssets -= uint128(assets);
        if (own.totalBorrowAssets > own.totalSupplyAssets) revert NotEnoughLiquidity();
        IErc20(params.loanToken).transfer(receiver, assets);
    }

    function borrow(MorphoMarketParams calldata params, uint256 assets, address receiver) external {
        Market storage own = market[keccak256(abi.encode(params))];
        own.totalBorrowAssets += uint128(assets);
        if (own.totalBorrowAssets > own.totalSupplyAssets) revert NotEnoughLiquidity();
        IErc20(params.loanToken).transfer(receiver, assets);
    }

    function repay(MorphoMarketParams calldata params, uint256 assets) external {
        market[keccak256(abi.encode(params))].totalBorrowAssets -= uint128(assets);
        IErc20(params.loanToken).transferFrom(msg.sender, address(this), assets);
    }

    /// @notice What borrowers owe grows.
    function earn(MorphoMarketParams calldata params, uint256 assets) external {
        Market storage own = market[keccak256(abi.encode(params))];
        own.totalBorrowAssets += uint128(assets);
        own.totalSupplyAssets += uint128(assets);
    }

    /// @notice What borrowers owe is lost.
    function lose(MorphoMarketParams calldata params, uint256 assets) external {
        Market storage own = market[keccak256(abi.encode(params))];
        own.totalBorrowAssets -= uint128(assets);
        own.totalSupplyAssets -= uint128(assets);
    }
}
