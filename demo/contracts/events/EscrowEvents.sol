// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What an escrow emits as it takes in and hands back shares and assets.
interface EscrowEvents {
    event Initialized(address indexed vault);
    event SharesEscrowed(address indexed from, uint256 amount);
    event SharesReturned(address indexed to, uint256 amount);
    event AssetsReturned(address indexed to, uint256 amount);
}
