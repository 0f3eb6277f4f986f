// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc4626Events } from "../events/Erc4626Events.sol";
import { IErc20 } from "../Tokens.sol";
import { IMorphoAdapter } from "./MorphoInterfaces.sol";
import { MorphoVaultV2Accounts } from "./MorphoVaultV2Accounts.sol";

/// @notice Money that comes, goes, and is moved to and from adapters within the caps of the ids that an adapter names.
abstract contract MorphoVaultV2Flows is MorphoVaultV2Accounts, Erc4626Events {
    error NotAdapter();
    error ZeroAbsoluteCap();
    error AbsoluteCapExceeded();
    error RelativeCapExceeded();
    error ZeroAllocation();

    struct Room {
        uint256 allocation;
        uint128 absoluteCap;
        uint128 relativeCap;
    }

    mapping(address account => bool) public isAdapter;
    mapping(address adapter => uint256) public forceDeallocatePenalty;
    mapping(bytes32 id => Room) internal _rooms;
    /// @notice Takes deposits, and pays withdrawals that what lies idle does not.
    address public liquidityAdapter;
    bytes public liquidityData;

    function absoluteCap(bytes32 id) external view returns (uint256) {
        return _rooms[id].absoluteCap;
    }

    function relativeCap(bytes32 id) external view returns (uint256) {
        return _rooms[id].relativeCap;
    }

    /// @notice As booked when assets were last moved there; interest and losses since then are not in it.
    function allocation(bytes32 id) external view returns (uint256) {
        return _rooms[id].allocation;
    }

    function deposit(uint256 assets, address onBehalf) external returns (uint256 shares) {
        accrueInterest();
        shares = previewDeposit(assets);
        _enter(assets, shares, onBehalf);
    }

    function mint(uint256 shares, address onBehalf) external returns (uint256 assets) {
        accrueInterest();
        assets = previewMint(shares);
        _enter(assets, shares, onBehalf);
    }

    function withdraw(uint256 assets, address receiver, address onBehalf) public returns (uint256 shares) {
        accrueInterest();
        shares = previewWithdraw(assets);
        _leave(assets, shares, receiver, onBehalf);
    }

    function redeem(uint256 shares, address receiver, address onBehalf) external returns (uint256 assets) {
        accrueInterest();
        assets = previewRedeem(shares);
        _leave(assets, shares, receiver, onBehalf);
    }

    /// @notice Anybody's way out of an adapter that is not liquid for them: against a penalty that the others get.
    function forceDeallocate(address adapter, bytes calldata data, uint256 assets, address onBehalf)
        external
        returns (uint256 penaltyShares)
    {
        bytes32[] memory ids = _take(adapter, data, assets);
        uint256 penalty = _up(assets * forceDeallocatePenalty[adapter], WAD);
        penaltyShares = withdraw(penalty, address(this), onBehalf);
        emit ForceDeallocate(msg.sender, adapter, assets, onBehalf, ids, penalty);
    }

    function _enter(uint256 assets, uint256 shares, address onBehalf) private {
        if (!canReceiveShares(onBehalf)) revert CannotReceiveShares();
        if (!canSendAssets(msg.sender)) revert CannotSendAssets();
        IErc20(asset).transferFrom(msg.sender, address(this), assets);
        _mint(onBehalf, shares);
        _totalAssets += uint128(assets);
        emit Deposit(msg.sender, onBehalf, assets, shares);
        if (liquidityAdapter != address(0)) _put(liquidityAdapter, liquidityData, assets);
    }

    function _leave(uint256 assets, uint256 shares, address receiver, address onBehalf) private {
        if (!canSendShares(onBehalf)) revert CannotSendShares();
        if (!canReceiveAssets(receiver)) revert CannotReceiveAssets();
        uint256 idle = IErc20(asset).balanceOf(address(this));
        if (assets > idle && liquidityAdapter != address(0)) _take(liquidityAdapter, liquidityData, assets - idle);
        if (msg.sender != onBehalf) _spendAllowance(onBehalf, msg.sender, shares);
        _burn(onBehalf, shares);
        _totalAssets -= uint128(assets);
        IErc20(asset).transfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, onBehalf, assets, shares);
    }

    function _put(address adapter, bytes memory data, uint256 assets) internal {
        if (!isAdapter[adapter]) revert NotAdapter();
        accrueInterest();
        IErc20(asset).transfer(adapter, assets);
        (bytes32[] memory ids, int256 change) = IMorphoAdapter(adapter).allocate(data, assets, msg.sig, msg.sender);
        for (uint256 i; i < ids.length; ++i) {
            Room storage room = _rooms[ids[i]];
            uint256 now_ = uint256(int256(room.allocation) + change);
            room.allocation = now_;
            if (room.absoluteCap == 0) revert ZeroAbsoluteCap();
            if (now_ > room.absoluteCap) revert AbsoluteCapExceeded();
            bool isFree = room.relativeCap == WAD;
            if (!isFree && now_ > (firstTotalAssets * room.relativeCap) / WAD) revert RelativeCapExceeded();
        }
        emit Allocate(msg.sender, adapter, assets, ids, change);
    }

    function _take(address adapter, bytes memory data, uint256 assets) internal returns (bytes32[] memory ids) {
        if (!isAdapter[adapter]) revert NotAdapter();
        int256 change;
        (ids, change) = IMorphoAdapter(adapter).deallocate(data, assets, msg.sig, msg.sender);
        for (uint256 i; i < ids.length; ++i) {
            Room storage room = _rooms[ids[i]];
            if (room.allocation == 0) revert ZeroAllocation();
            room.allocation = uint256(int256(room.allocation) + change);
        }
        IErc20(asset).transferFrom(adapter, address(this), assets);
        emit Deallocate(msg.sender, adapter, assets, ids, change);
    }
}
