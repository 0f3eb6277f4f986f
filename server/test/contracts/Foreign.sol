// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

// Vaults and tokens from code that is not of this project, and some that mean harm, for tests of the readers.

import { ERC20 as OzERC20 } from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import { ERC4626 as OzERC4626 } from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import { Ownable } from "@openzeppelin/contracts/access/Ownable.sol";
import { AccessControl } from "@openzeppelin/contracts/access/AccessControl.sol";
import { Pausable } from "@openzeppelin/contracts/utils/Pausable.sol";
import { ERC4626 as SoladyERC4626 } from "solady/src/tokens/ERC4626.sol";

contract OzVault is OzERC4626, Ownable, Pausable, AccessControl {
    uint8 private immutable _offset;

    constructor(
        OzERC20 asset_,
        string memory name_,
        string memory symbol_,
        uint8 offset_
    )
        OzERC20(name_, symbol_)
        OzERC4626(asset_)
        Ownable(msg.sender)
    {
        _offset = offset_;
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
    }

    function _decimalsOffset() internal view override returns (uint8) {
        return _offset;
    }

    function pause() external onlyOwner {
        _pause();
    }

    function unpause() external onlyOwner {
        _unpause();
    }
}

contract SoladyVault is SoladyERC4626 {
    address private immutable _asset;
    uint8 private immutable _assetDecimals;
    uint8 private immutable _offset;

    constructor(address asset_, uint8 assetDecimals_, uint8 offset_) {
        _asset = asset_;
        _assetDecimals = assetDecimals_;
        _offset = offset_;
    }

    function name() public pure override returns (string memory) {
        return "Solady Vault";
    }

    function symbol() public pure override returns (string memory) {
        return "sVLT";
    }

    function asset() public view override returns (address) {
        return _asset;
    }

    function _underlyingDecimals() internal view override returns (uint8) {
        return _assetDecimals;
    }

    function _decimalsOffset() internal view override returns (uint8) {
        return _offset;
    }
}

/// @notice A token without `decimals`, whose name is a flood and whose symbol breaks its type.
contract RudeToken {
    function name() external pure returns (string memory) {
        return string(new bytes(200_000));
    }

    function symbol() external pure returns (uint256, uint256) {
        return (type(uint256).max, type(uint256).max);
    }
}

/// @notice Answers as a vault where it must be known as one, and does harm elsewhere.
contract HostileVault {
    address public immutable asset;
    uint256 public immutable harm;

    constructor(address asset_, uint256 harm_) {
        asset = asset_;
        harm = harm_;
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function totalSupply() external pure returns (uint256) {
        return type(uint256).max;
    }

    /// @dev An ERC-165 that says yes to anything.
    function supportsInterface(bytes4) external pure returns (bool) {
        return true;
    }

    function convertToAssets(uint256) external view returns (uint256) {
        return _harm();
    }

    function totalAssets() external view returns (uint256) {
        return _harm();
    }

    function owner() external view returns (address) {
        return address(uint160(_harm()));
    }

    function _harm() private view returns (uint256) {
        if (harm == 0) {
            assembly { return(0, 1000000) } // a flood
        }
        if (harm == 1) {
            while (true) { } // all gas
        }
        if (harm == 2) revert("not today");
        return type(uint256).max;
    }
}
