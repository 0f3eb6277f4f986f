// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Deposits and withdrawals of ERC-4626; Transfer and Approval come with the token.
interface Erc4626Events {
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares);
}
