// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc4626Events } from "./Erc4626Events.sol";
import { Erc7540RedeemEvents } from "./Erc7540RedeemEvents.sol";

/// @notice What a vault emits beside the ERC-20 events of its shares.
interface VaultEvents is Erc4626Events, Erc7540RedeemEvents {
    event Initialized(address indexed asset, address indexed strategy, address indexed escrow);
    event NonceInvalidated(address indexed sender, bytes32 indexed nonce);
}
