// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { EscrowEvents } from "./events/EscrowEvents.sol";
import { IVault } from "./Interfaces.sol";
import { IErc20 } from "./Tokens.sol";

/// @notice Holds the shares of pending redeem requests and the assets of fulfilled ones until they are claimed.
contract SuperVaultEscrow is EscrowEvents {
    error ALREADY_INITIALIZED();
    error UNAUTHORIZED();

    address public vault;
    address public strategy;

    function initialize(address vault_, address strategy_) external {
        if (vault != address(0)) revert ALREADY_INITIALIZED();
        vault = vault_;
        strategy = strategy_;
        emit Initialized(vault_);
    }

    modifier onlyVault() {
        if (msg.sender != vault) revert UNAUTHORIZED();
        _;
    }

    function escrowShares(address from, uint256 amount) external onlyVault {
        IErc20(vault).transferFrom(from, address(this), amount);
        emit SharesEscrowed(from, amount);
    }

    function returnShares(address to, uint256 amount) external onlyVault {
        IErc20(vault).transfer(to, amount);
        emit SharesReturned(to, amount);
    }

    function returnAssets(address to, uint256 amount) external onlyVault {
        IErc20(IVault(vault).asset()).transfer(to, amount);
        emit AssetsReturned(to, amount);
    }
}
