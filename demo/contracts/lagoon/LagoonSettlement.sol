// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { IErc20 } from "../Tokens.sol";
import { LagoonRequests } from "./LagoonRequests.sol";

/// @notice Valuation in two steps (the valuation manager proposes total assets, the Safe settles with the same figure), fees, and the
/// way to the end.
abstract contract LagoonSettlement is LagoonRequests {
    error NothingProposed();
    error AnotherProposal();
    error StillValid();

    uint256 private constant FEE_YEAR = 365 days;

    function updateTotalAssetsLifespan(uint128 lifespan) external only(_seats.safe) {
        if (_isAsyncOnly) revert Unauthorized();
        emit TotalAssetsLifespanUpdated(_lifespan, lifespan);
        _lifespan = lifespan;
    }

    function settleDeposit(uint256 newTotalAssets) external only(_seats.safe) onlyIn(State.Open) {
        _value(newTotalAssets, _depositSettlement);
        _settleDeposits();
        _settleRedeems();
    }

    function settleRedeem(uint256 newTotalAssets) external only(_seats.safe) onlyIn(State.Open) {
        _value(newTotalAssets, _redeemSettlement);
        _settleRedeems();
    }

    function initiateClosing() external only(owner) onlyIn(State.Open) {
        // What was asked for since the proposal is taken into it.
        if (_proposedAssets != NOTHING_PROPOSED) _propose(_proposedAssets);
        _state = State.Closing;
        emit StateUpdated(State.Closing);
    }

    function close(uint256 newTotalAssets) external only(_seats.safe) onlyIn(State.Closing) {
        _value(newTotalAssets, _depositSettlement);
        _settleDeposits();
        _settleRedeems();
        _state = State.Closed;
        IErc20(asset).transferFrom(msg.sender, address(this), _totalAssets);
        emit StateUpdated(State.Closed);
    }

    /// @dev Everything in the silo becomes part of the proposal; what comes later waits for the next one.
    function _propose(uint256 newTotalAssets) internal whenNotPaused {
        if (_state == State.Closed) revert WrongState(_state);
        if (isTotalAssetsValid()) revert StillValid();
        _settlementOf[_depositEpoch] = _depositSettlement;
        _settlementOf[_redeemEpoch] = _redeemSettlement;
        uint256 assets = IErc20(asset).balanceOf(address(_silo));
        uint256 shares = balanceOf[address(_silo)];
        if (assets != 0) {
            _depositEpoch += 2;
            _settlements[_depositSettlement].pendingAssets = assets;
        }
        if (shares != 0) {
            _redeemEpoch += 2;
            _settlements[_redeemSettlement].pendingShares = shares;
        }
        _proposedAssets = newTotalAssets;
        emit NewTotalAssetsUpdated(newTotalAssets);
    }

    function _value(uint256 newTotalAssets, uint40 context) private whenNotPaused {
        if (_proposedAssets == NOTHING_PROPOSED) revert NothingProposed();
        if (_proposedAssets != newTotalAssets) revert AnotherProposal();
        uint256 before = _totalAssets;
        _totalAssets = newTotalAssets;
        _proposedAssets = NOTHING_PROPOSED;
        _afterValuation();
        emit TotalAssetsUpdated(newTotalAssets);
        _takeFees((before + newTotalAssets) / 2, context);
    }

    function _takeFees(uint256 averageAssets, uint40 context) private {
        uint16 perYear = _rateOf(FeeType.Management);
        uint16 ofGain = _rateOf(FeeType.Performance);
        uint256 forTime = _part(averageAssets, perYear) * (block.timestamp - _lastFeeTime) / FEE_YEAR;
        uint256 price = convertToAssets(10 ** decimals);
        uint256 forGain;
        if (price > _highWaterMark) {
            forGain = _part((price - _highWaterMark) * totalSupply / 10 ** decimals, ofGain);
        }
        uint256 rest = _totalAssets - forTime - forGain + 1;
        uint256 supply = totalSupply + _virtualShares;
        _feeTaken(FeeType.Management, forTime * supply / rest, perYear, context);
        _feeTaken(FeeType.Performance, forGain * supply / rest, ofGain, context);
        _lastFeeTime = block.timestamp;
        price = convertToAssets(10 ** decimals);
        if (price <= _highWaterMark) return;
        emit HighWaterMarkUpdated(_highWaterMark, price);
        _highWaterMark = price;
    }

    function _settleDeposits() private {
        uint40 id = _depositSettlement;
        Settlement storage settlement = _settlements[id];
        uint256 assets = settlement.pendingAssets;
        if (assets == 0) return;
        uint256 shares = convertToShares(assets);
        settlement.assets = _totalAssets;
        settlement.supply = totalSupply;
        settlement.entryRate = _rateOf(FeeType.Entry);
        uint256 fee = _part(shares, settlement.entryRate);
        _mint(address(this), shares - fee);
        _feeTaken(FeeType.Entry, fee, settlement.entryRate, id);
        _totalAssets += assets;
        _depositSettlement = id + 2;
        _depositsSettledTo = _depositEpoch - 2;
        IErc20(asset).transferFrom(address(_silo), msg.sender, assets);
        emit SettleDeposit(_depositsSettledTo, id, _totalAssets, totalSupply, assets, shares);
    }

    /// @dev Says nothing, and settles nothing, where the Safe holds less than is owed.
    function _settleRedeems() private {
        uint40 id = _redeemSettlement;
        Settlement storage settlement = _settlements[id];
        uint256 shares = settlement.pendingShares;
        uint16 rate = _rateOf(FeeType.Exit);
        uint256 fee = _part(shares, rate);
        uint256 owed = convertToAssets(shares - fee);
        if (owed == 0 || owed > IErc20(asset).balanceOf(msg.sender)) return;
        settlement.assets = _totalAssets;
        settlement.supply = totalSupply;
        settlement.exitRate = rate;
        _burn(address(_silo), shares);
        _feeTaken(FeeType.Exit, fee, rate, id);
        _totalAssets -= owed;
        _redeemSettlement = id + 2;
        _redeemsSettledTo = _redeemEpoch - 2;
        IErc20(asset).transferFrom(msg.sender, address(this), owed);
        emit SettleRedeem(_redeemsSettledTo, id, _totalAssets, totalSupply, owed, shares);
    }

    function _enterNow(uint256 assets, address receiver, address referral) internal returns (uint256 shares) {
        _requireAllowed(msg.sender);
        _requireAllowed(receiver);
        _checkCap(assets);
        shares = convertToShares(assets);
        uint16 rate = _rateOf(FeeType.Entry);
        uint256 fee = _part(shares, rate);
        shares -= fee;
        IErc20(asset).transferFrom(msg.sender, _seats.safe, assets);
        _totalAssets += assets;
        _mint(receiver, shares);
        _feeTaken(FeeType.Entry, fee, rate, 0);
        emit DepositSync(msg.sender, receiver, assets, shares);
        emit Referral(referral, msg.sender, 0, assets);
    }
}
