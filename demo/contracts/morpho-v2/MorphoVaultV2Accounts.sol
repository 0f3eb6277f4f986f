// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc20, IErc20 } from "../Tokens.sol";
import { IMorphoAdapter, IMorphoGate } from "./MorphoInterfaces.sol";
import { MorphoVaultV2Events } from "./MorphoVaultV2Events.sol";

/// @notice The vault's books: what it is worth, what interest and fees come of it, and who may hold and move shares.
abstract contract MorphoVaultV2Accounts is Erc20, MorphoVaultV2Events {
    error CannotReceiveShares();
    error CannotSendShares();
    error CannotReceiveAssets();
    error CannotSendAssets();

    uint256 internal constant WAD = 1e18;

    address public immutable asset;
    uint8 public immutable decimals;
    uint256 public immutable virtualShares;
    string public name;
    string public symbol;

    address public receiveSharesGate;
    address public sendSharesGate;
    address public receiveAssetsGate;
    address public sendAssetsGate;

    address[] public adapters;

    /// @notice What was booked last; `totalAssets` is what would be booked now.
    uint128 public _totalAssets;
    uint64 public lastUpdate;
    uint64 public maxRate;
    /// @notice Interest comes once in a transaction; caps are shares of what there was then.
    uint256 public transient firstTotalAssets;

    uint96 public performanceFee;
    uint96 public managementFee;
    address public performanceFeeRecipient;
    address public managementFeeRecipient;

    constructor(address asset_) {
        asset = asset_;
        uint8 own = IErc20(asset_).decimals();
        decimals = own > 18 ? own : 18;
        virtualShares = 10 ** (decimals - own);
        lastUpdate = uint64(block.timestamp);
    }

    function adaptersLength() external view returns (uint256) {
        return adapters.length;
    }

    function accrueInterest() public {
        (uint256 worth, uint256 performanceShares, uint256 managementShares) = accrueInterestView();
        emit AccrueInterest(_totalAssets, worth, performanceShares, managementShares);
        _totalAssets = uint128(worth);
        lastUpdate = uint64(block.timestamp);
        if (firstTotalAssets == 0) firstTotalAssets = worth;
        if (performanceShares > 0) _mint(performanceFeeRecipient, performanceShares);
        if (managementShares > 0) _mint(managementFeeRecipient, managementShares);
    }

    /// @notice Total assets, and the shares of the performance and the management fee, if interest came now.
    /// @dev A gain is taken up no faster than `maxRate` a second; a loss is taken up at once.
    function accrueInterestView() public view returns (uint256 worth, uint256 performanceShares, uint256 managementShares) {
        uint256 booked = _totalAssets;
        if (firstTotalAssets > 0) return (booked, 0, 0);
        uint256 elapsed = block.timestamp - lastUpdate;
        worth = IErc20(asset).balanceOf(address(this));
        for (uint256 i; i < adapters.length; ++i) worth += IMorphoAdapter(adapters[i]).realAssets();
        uint256 most = booked + (booked * elapsed * maxRate) / WAD;
        if (worth > most) worth = most;

        uint256 performance;
        uint256 management;
        if (worth > booked && performanceFee > 0 && canReceiveShares(performanceFeeRecipient)) {
            performance = ((worth - booked) * performanceFee) / WAD;
        }
        if (managementFee > 0 && canReceiveShares(managementFeeRecipient)) {
            management = (worth * elapsed * managementFee) / WAD;
        }
        uint256 others = worth + 1 - performance - management;
        performanceShares = (performance * (totalSupply + virtualShares)) / others;
        managementShares = (management * (totalSupply + virtualShares)) / others;
    }

    function totalAssets() external view returns (uint256 worth) {
        (worth,,) = accrueInterestView();
    }

    function previewDeposit(uint256 assets) public view returns (uint256) {
        (uint256 shares, uint256 worth) = _rate();
        return (assets * shares) / worth;
    }

    function previewMint(uint256 shares) public view returns (uint256) {
        (uint256 all, uint256 worth) = _rate();
        return _up(shares * worth, all);
    }

    function previewWithdraw(uint256 assets) public view returns (uint256) {
        (uint256 all, uint256 worth) = _rate();
        return _up(assets * all, worth);
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        (uint256 all, uint256 worth) = _rate();
        return (shares * worth) / all;
    }

    function convertToShares(uint256 assets) external view returns (uint256) {
        return previewDeposit(assets);
    }

    function convertToAssets(uint256 shares) external view returns (uint256) {
        return previewRedeem(shares);
    }

    // A gate may refuse anything, so that nothing is promised.

    function maxDeposit(address) external pure returns (uint256) {
        return 0;
    }

    function maxMint(address) external pure returns (uint256) {
        return 0;
    }

    function maxWithdraw(address) external pure returns (uint256) {
        return 0;
    }

    function maxRedeem(address) external pure returns (uint256) {
        return 0;
    }

    function canReceiveShares(address account) public view returns (bool) {
        return receiveSharesGate == address(0) || IMorphoGate(receiveSharesGate).canReceiveShares(account);
    }

    function canSendShares(address account) public view returns (bool) {
        return sendSharesGate == address(0) || IMorphoGate(sendSharesGate).canSendShares(account);
    }

    function canReceiveAssets(address account) public view returns (bool) {
        if (account == address(this) || receiveAssetsGate == address(0)) return true;
        return IMorphoGate(receiveAssetsGate).canReceiveAssets(account);
    }

    function canSendAssets(address account) public view returns (bool) {
        return sendAssetsGate == address(0) || IMorphoGate(sendAssetsGate).canSendAssets(account);
    }

    function _transfer(address from, address to, uint256 value) internal override {
        if (!canSendShares(from)) revert CannotSendShares();
        if (!canReceiveShares(to)) revert CannotReceiveShares();
        super._transfer(from, to, value);
    }

    /// @dev Shares and assets that stand against one another, the virtual ones with them.
    function _rate() private view returns (uint256 shares, uint256 worth) {
        uint256 performanceShares;
        uint256 managementShares;
        (worth, performanceShares, managementShares) = accrueInterestView();
        shares = totalSupply + performanceShares + managementShares + virtualShares;
        ++worth;
    }

    function _up(uint256 a, uint256 b) internal pure returns (uint256) {
        return (a + b - 1) / b;
    }
}
