// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { CuratedRoles } from "./CuratedRoles.sol";
import { Erc4626Events } from "../events/Erc4626Events.sol";
import { Erc20, IErc20 } from "../Tokens.sol";

/// @notice An ERC-4626 vault that spreads deposits over lines (markets or strategies) under caps, in the order of two queues.
/// @dev Which kind of line it is, and what its events are called with, is said by those built on it. Ids are 32 bytes here.
abstract contract CuratedVault is CuratedRoles, Erc20, Erc4626Events {
    struct Line {
        uint256 cap;
        uint256 shares;
        uint64 removableAt;
        bool isEnabled;
    }

    error NoLine(bytes32 id);
    error CapNotZero(bytes32 id);
    error CapIsPending(bytes32 id);
    error RemovalIsPending(bytes32 id);
    error NotRemovable(bytes32 id);
    error CapExceeded(bytes32 id);
    error TooManyLines();
    error DuplicateLine(bytes32 id);
    error UnevenReallocation();
    error AllCapsReached();
    error NotEnoughLiquidity();
    error FeeTooHigh();
    error NoFeeRecipient();

    uint256 internal constant MOST_LINES = 30;
    uint256 internal constant E18 = 1e18;
    uint256 internal constant MOST_FEE = 0.5e18;

    address public immutable asset;
    string public name;
    string public symbol;
    uint96 public fee;
    address public feeRecipient;
    uint256 public lastTotalAssets;

    uint256 internal _lost;
    bytes32[] internal _supplyQueue;
    bytes32[] internal _withdrawQueue;
    mapping(bytes32 id => Line) internal _lines;
    mapping(bytes32 id => PendingValue) internal _pendingCaps;

    constructor(address asset_, string memory name_, string memory symbol_) {
        asset = asset_;
        name = name_;
        symbol = symbol_;
    }

    function setFee(uint256 newFee) external onlyOwner {
        if (newFee == fee) revert AlreadySet();
        if (newFee > MOST_FEE) revert FeeTooHigh();
        if (newFee != 0 && feeRecipient == address(0)) revert NoFeeRecipient();
        _accrueApart();
        fee = uint96(newFee);
        emit SetFee(_sender(), newFee);
    }

    function setFeeRecipient(address recipient) external onlyOwner {
        if (recipient == feeRecipient) revert AlreadySet();
        if (recipient == address(0) && fee != 0) revert NoFeeRecipient();
        _accrueApart();
        feeRecipient = recipient;
        emit SetFeeRecipient(recipient);
    }

    function supplyQueueLength() external view returns (uint256) {
        return _supplyQueue.length;
    }

    function withdrawQueueLength() external view returns (uint256) {
        return _withdrawQueue.length;
    }

    /// @notice Drops the lines whose place is not named; their removal is told by no event but that of the queue.
    function updateWithdrawQueue(uint256[] calldata places) external onlyAllocator {
        bytes32[] memory before = _withdrawQueue;
        bytes32[] memory queue = new bytes32[](places.length);
        bool[] memory isKept = new bool[](before.length);
        for (uint256 i; i < places.length; ++i) {
            queue[i] = before[places[i]];
            if (isKept[places[i]]) revert DuplicateLine(queue[i]);
            isKept[places[i]] = true;
        }
        for (uint256 i; i < before.length; ++i) {
            if (!isKept[i]) _drop(before[i]);
        }
        _withdrawQueue = queue;
        _tellWithdrawQueue(_sender());
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        _accrue();
        shares = _toShares(assets, totalSupply, lastTotalAssets, false);
        _enter(assets, shares, receiver);
    }

    function mint(uint256 shares, address receiver) external returns (uint256 assets) {
        _accrue();
        assets = _toAssets(shares, totalSupply, lastTotalAssets, true);
        _enter(assets, shares, receiver);
    }

    function withdraw(uint256 assets, address receiver, address owner_) external returns (uint256 shares) {
        _accrue();
        shares = _toShares(assets, totalSupply, lastTotalAssets, true);
        _leave(assets, shares, receiver, owner_);
    }

    function redeem(uint256 shares, address receiver, address owner_) external returns (uint256 assets) {
        _accrue();
        assets = _toAssets(shares, totalSupply, lastTotalAssets, false);
        _leave(assets, shares, receiver, owner_);
    }

    function totalAssets() external view returns (uint256 assets) {
        (, assets,) = _accrued();
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        (uint256 feeShares, uint256 total,) = _accrued();
        return _toShares(assets, totalSupply + feeShares, total, false);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        (uint256 feeShares, uint256 total,) = _accrued();
        return _toAssets(shares, totalSupply + feeShares, total, false);
    }

    /// @notice What the lines can pay at once of what the account's shares are worth.
    function maxWithdraw(address account) external view returns (uint256) {
        uint256 worth = convertToAssets(balanceOf[account]);
        uint256 liquid;
        for (uint256 i; i < _withdrawQueue.length; ++i) {
            liquid += _liquid(_withdrawQueue[i]);
        }
        return worth < liquid ? worth : liquid;
    }

    /// @dev What the line holds for the vault, interest included.
    function _worth(bytes32 id) internal view virtual returns (uint256);
    /// @dev What of that the line can pay at once.
    function _liquid(bytes32 id) internal view virtual returns (uint256);
    /// @dev How much more the line takes, its cap aside.
    function _room(bytes32 id) internal view virtual returns (uint256);
    function _put(bytes32 id, uint256 assets) internal virtual returns (uint256 shares);
    function _take(bytes32 id, uint256 assets) internal virtual returns (uint256 shares);
    function _takeAll(bytes32 id) internal virtual returns (uint256 assets, uint256 shares);
    /// @dev Called before a line's cap becomes other than zero for the first time.
    function _open(bytes32 id) internal virtual;

    function _tellSubmitCap(address caller, bytes32 id, uint256 cap) internal virtual;
    function _tellSetCap(address caller, bytes32 id, uint256 cap) internal virtual;
    function _tellRevokeCap(address caller, bytes32 id) internal virtual;
    function _tellSubmitRemoval(address caller, bytes32 id) internal virtual;
    function _tellRevokeRemoval(address caller, bytes32 id) internal virtual;
    function _tellSupplyQueue(address caller) internal virtual;
    function _tellWithdrawQueue(address caller) internal virtual;
    function _tellMove(address caller, bytes32 id, bool isSupply, uint256 assets, uint256 shares) internal virtual;
    /// @dev Nothing where losses are not kept apart.
    function _tellLost(uint256 lost) internal virtual;

    /// @dev Whether a loss is kept in `_lost` and the price stands, or the price falls.
    function _keepsLosses() internal pure virtual returns (bool);
    /// @dev Shares and assets that are counted as there from the beginning.
    function _virtual() internal view virtual returns (uint256 shares, uint256 assets);

    /// @dev A lower cap holds at once, a higher one waits.
    function _submitCap(bytes32 id, uint256 newCap) internal {
        if (_pendingCaps[id].validAt != 0) revert AlreadyPending();
        if (_lines[id].removableAt != 0) revert RemovalIsPending(id);
        uint256 cap = _lines[id].cap;
        if (newCap == cap) revert AlreadySet();
        if (newCap < cap) {
            _setCap(id, newCap);
            return;
        }
        _pendingCaps[id] = PendingValue(uint192(newCap), _readyAt());
        _tellSubmitCap(_sender(), id, newCap);
    }

    function _acceptCap(bytes32 id) internal {
        _checkReady(_pendingCaps[id].validAt);
        _setCap(id, _pendingCaps[id].value);
    }

    function _revokeCap(bytes32 id) internal {
        delete _pendingCaps[id];
        _tellRevokeCap(_sender(), id);
    }

    function _submitRemoval(bytes32 id) internal {
        Line storage line = _lines[id];
        if (line.removableAt != 0) revert AlreadyPending();
        if (line.cap != 0) revert CapNotZero(id);
        if (!line.isEnabled) revert NoLine(id);
        if (_pendingCaps[id].validAt != 0) revert CapIsPending(id);
        line.removableAt = _readyAt();
        _tellSubmitRemoval(_sender(), id);
    }

    function _revokeRemoval(bytes32 id) internal {
        _lines[id].removableAt = 0;
        _tellRevokeRemoval(_sender(), id);
    }

    function _setSupplyQueue(bytes32[] memory queue) internal {
        if (queue.length > MOST_LINES) revert TooManyLines();
        for (uint256 i; i < queue.length; ++i) {
            if (_lines[queue[i]].cap == 0) revert NoLine(queue[i]);
        }
        _supplyQueue = queue;
        _tellSupplyQueue(_sender());
    }

    /// @dev Brings a line to so much, by taking from it or putting into it; the greatest number means what was taken so far.
    function _bringTo(bytes32 id, uint256 target, int256 inHand) internal returns (int256) {
        Line storage line = _lines[id];
        if (!line.isEnabled) revert NoLine(id);
        uint256 worth = _worth(id);
        if (worth > target) {
            (uint256 assets, uint256 shares) =
                target == 0 ? _takeAll(id) : (worth - target, _take(id, worth - target));
            _tellMove(_sender(), id, false, assets, shares);
            return inHand + int256(assets);
        }
        uint256 more = target == type(uint256).max ? (inHand > 0 ? uint256(inHand) : 0) : target - worth;
        if (more == 0) return inHand;
        if (worth + more > line.cap) revert CapExceeded(id);
        _tellMove(_sender(), id, true, more, _put(id, more));
        return inHand - int256(more);
    }

    /// @dev The fee's shares, the assets that the price is made of, and what of them is lost.
    function _accrued() internal view returns (uint256 feeShares, uint256 assets, uint256 lost) {
        uint256 worth;
        for (uint256 i; i < _withdrawQueue.length; ++i) {
            worth += _worth(_withdrawQueue[i]);
        }
        lost = _lost;
        if (_keepsLosses() && worth + lost < lastTotalAssets) lost = lastTotalAssets - worth;
        assets = worth + lost;
        uint256 gain = assets > lastTotalAssets ? assets - lastTotalAssets : 0;
        uint256 feeAssets = (gain * fee) / E18;
        if (feeAssets != 0) feeShares = _toShares(feeAssets, totalSupply, assets - feeAssets, false);
    }

    function _setLastTotalAssets(uint256 assets) internal {
        lastTotalAssets = assets;
        emit UpdateLastTotalAssets(assets);
    }

    function _accrue() private {
        (uint256 feeShares, uint256 assets, uint256 lost) = _accrued();
        if (_keepsLosses()) _setLastTotalAssets(assets);
        else lastTotalAssets = assets;
        _lost = lost;
        _tellLost(lost);
        if (feeShares != 0) _mint(feeRecipient, feeShares);
        emit AccrueInterest(assets, feeShares);
    }

    /// @dev With no deposit or withdrawal after it, which would tell the total.
    function _accrueApart() private {
        _accrue();
        if (!_keepsLosses()) _setLastTotalAssets(lastTotalAssets);
    }

    function _setCap(bytes32 id, uint256 cap) private {
        Line storage line = _lines[id];
        if (cap != 0) {
            if (!line.isEnabled) {
                if (_withdrawQueue.length == MOST_LINES) revert TooManyLines();
                _withdrawQueue.push(id);
                line.isEnabled = true;
                _open(id);
                _setLastTotalAssets(lastTotalAssets + _worth(id));
                _tellWithdrawQueue(_sender());
            }
            line.removableAt = 0;
        }
        line.cap = cap;
        delete _pendingCaps[id];
        _tellSetCap(_sender(), id, cap);
    }

    function _drop(bytes32 id) private {
        Line storage line = _lines[id];
        if (line.cap != 0) revert CapNotZero(id);
        if (_pendingCaps[id].validAt != 0) revert CapIsPending(id);
        if (_worth(id) != 0 && (line.removableAt == 0 || block.timestamp < line.removableAt)) revert NotRemovable(id);
        delete _lines[id];
    }

    function _enter(uint256 assets, uint256 shares, address receiver) private {
        address sender = _sender();
        IErc20(asset).transferFrom(sender, address(this), assets);
        _mint(receiver, shares);
        emit Deposit(sender, receiver, assets, shares);
        uint256 left = assets;
        for (uint256 i; i < _supplyQueue.length && left != 0; ++i) {
            bytes32 id = _supplyQueue[i];
            (uint256 cap, uint256 worth, uint256 part) = (_lines[id].cap, _worth(id), _room(id));
            if (cap <= worth) continue;
            if (part > cap - worth) part = cap - worth;
            if (part > left) part = left;
            if (part != 0) _put(id, part);
            left -= part;
        }
        if (left != 0) revert AllCapsReached();
        _setLastTotalAssets(lastTotalAssets + assets);
    }

    function _leave(uint256 assets, uint256 shares, address receiver, address owner_) private {
        address sender = _sender();
        if (sender != owner_) _spendAllowance(owner_, sender, shares);
        _setLastTotalAssets(lastTotalAssets > assets ? lastTotalAssets - assets : 0);
        uint256 left = assets;
        for (uint256 i; i < _withdrawQueue.length && left != 0; ++i) {
            uint256 part = _liquid(_withdrawQueue[i]);
            if (part > left) part = left;
            if (part != 0) _take(_withdrawQueue[i], part);
            left -= part;
        }
        if (left != 0) revert NotEnoughLiquidity();
        _burn(owner_, shares);
        IErc20(asset).transfer(receiver, assets);
        emit Withdraw(sender, receiver, owner_, assets, shares);
    }

    function _toShares(uint256 assets, uint256 supply, uint256 total, bool isUp) private view returns (uint256) {
        (uint256 moreShares, uint256 moreAssets) = _virtual();
        return _divide(assets * (supply + moreShares), total + moreAssets, isUp);
    }

    function _toAssets(uint256 shares, uint256 supply, uint256 total, bool isUp) private view returns (uint256) {
        (uint256 moreShares, uint256 moreAssets) = _virtual();
        return _divide(shares * (total + moreAssets), supply + moreShares, isUp);
    }

    function _divide(uint256 a, uint256 b, bool isUp) private pure returns (uint256) {
        return isUp && a != 0 ? (a - 1) / b + 1 : a / b;
    }
}
