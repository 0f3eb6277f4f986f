// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc4626Events } from "./events/Erc4626Events.sol";
import { Erc20, IErc20 } from "./Tokens.sol";

/// @notice A plain ERC-4626 vault with an owner. Virtual shares guard the first deposit; the offset adds share decimals.
/// @dev Assets sent to it raise the price, assets burnt from it lower it: it also serves as a yield source.
contract Erc4626Vault is Erc20, Erc4626Events {
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    error NotOwner();
    error NothingMoved();

    string public name;
    string public symbol;
    address public immutable asset;
    uint8 public immutable decimals;
    address public owner;
    uint256 private immutable _virtualShares;

    constructor(address asset_, string memory name_, string memory symbol_, uint8 decimalsOffset, address owner_) {
        asset = asset_;
        name = name_;
        symbol = symbol_;
        decimals = IErc20(asset_).decimals() + decimalsOffset;
        _virtualShares = 10 ** decimalsOffset;
        owner = owner_;
        emit OwnershipTransferred(address(0), owner_);
    }

    function transferOwnership(address newOwner) external {
        if (msg.sender != owner) revert NotOwner();
        emit OwnershipTransferred(owner, newOwner);
        owner = newOwner;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = convertToShares(assets);
        _enter(assets, shares, receiver);
    }

    function mint(uint256 shares, address receiver) external returns (uint256 assets) {
        assets = previewMint(shares);
        _enter(assets, shares, receiver);
    }

    function withdraw(uint256 assets, address receiver, address owner_) external returns (uint256 shares) {
        shares = previewWithdraw(assets);
        _leave(assets, shares, receiver, owner_);
    }

    function redeem(uint256 shares, address receiver, address owner_) external returns (uint256 assets) {
        assets = convertToAssets(shares);
        _leave(assets, shares, receiver, owner_);
    }

    function totalAssets() public view virtual returns (uint256) {
        return IErc20(asset).balanceOf(address(this));
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return (assets * (totalSupply + _virtualShares)) / (totalAssets() + 1);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return (shares * (totalAssets() + 1)) / (totalSupply + _virtualShares);
    }

    function previewDeposit(uint256 assets) external view returns (uint256) {
        return convertToShares(assets);
    }

    function previewMint(uint256 shares) public view returns (uint256) {
        return _ceilDiv(shares * (totalAssets() + 1), totalSupply + _virtualShares);
    }

    function previewWithdraw(uint256 assets) public view returns (uint256) {
        return _ceilDiv(assets * (totalSupply + _virtualShares), totalAssets() + 1);
    }

    function previewRedeem(uint256 shares) external view returns (uint256) {
        return convertToAssets(shares);
    }

    function maxDeposit(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function maxMint(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function maxWithdraw(address owner_) external view virtual returns (uint256) {
        return convertToAssets(balanceOf[owner_]);
    }

    function maxRedeem(address owner_) external view returns (uint256) {
        return balanceOf[owner_];
    }

    function _enter(uint256 assets, uint256 shares, address receiver) private {
        if (shares == 0) revert NothingMoved();
        IErc20(asset).transferFrom(msg.sender, address(this), assets);
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function _leave(uint256 assets, uint256 shares, address receiver, address owner_) private {
        if (msg.sender != owner_) _spendAllowance(owner_, msg.sender, shares);
        _burn(owner_, shares);
        IErc20(asset).transfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, owner_, assets, shares);
    }

    function _ceilDiv(uint256 a, uint256 b) private pure returns (uint256) {
        return a == 0 ? 0 : (a - 1) / b + 1;
    }
}
