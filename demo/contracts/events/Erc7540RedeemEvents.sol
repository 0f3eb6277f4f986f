// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Asynchronous redeem requests of ERC-7540, their cancelling (ERC-7887) and operators.
interface Erc7540RedeemEvents {
    event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets);
    event CancelRedeemRequest(address indexed controller, uint256 indexed requestId, address sender);
    event CancelRedeemClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 shares);
    event OperatorSet(address indexed controller, address indexed operator, bool approved);
}
