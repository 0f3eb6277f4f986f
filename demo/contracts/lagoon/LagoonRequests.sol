// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { IErc20 } from "../Tokens.sol";
import { LagoonCore } from "./LagoonCore.sol";

/// @notice Requests by epoch and their claims. Ids of deposits are odd and begin with 1, those of redemptions even and begin with 2.
abstract contract LagoonRequests is LagoonCore {
    error OnlyOneRequestAllowed();
    error NotClaimable(uint256 requestId);
    error NotCancelable(uint256 requestId);
    error DepositsAreSynchronous();

    function _checkCap(uint256 assets) internal view virtual;

    function setOperator(address operator, bool approved) external whenNotPaused returns (bool) {
        isOperator[msg.sender][operator] = approved;
        emit OperatorSet(msg.sender, operator, approved);
        return true;
    }

    // Deposits ------------------------------------------------------------------------------------------------------

    function requestDeposit(uint256 assets, address controller, address from) external returns (uint256) {
        return _requestDeposit(assets, controller, from, address(0));
    }

    function requestDeposit(
        uint256 assets,
        address controller,
        address from,
        address referral
    )
        external
        returns (uint256)
    {
        return _requestDeposit(assets, controller, from, referral);
    }

    function _requestDeposit(
        uint256 assets,
        address controller,
        address from,
        address referral
    )
        private
        whenNotPaused
        returns (uint256)
    {
        if (isTotalAssetsValid()) revert DepositsAreSynchronous();
        if (msg.sender != from && !isOperator[from][msg.sender]) revert Unauthorized();
        _requireAllowed(from);
        _requireAllowed(controller);
        uint256 claimable = claimableDepositRequest(0, controller);
        if (claimable > 0) _claimDeposit(claimable, controller, controller);
        uint40 id = _depositEpoch;
        if (_lastDepositEpoch[controller] != id) {
            if (pendingDepositRequest(0, controller) > 0) revert OnlyOneRequestAllowed();
            _lastDepositEpoch[controller] = id;
        }
        _checkCap(assets);
        IErc20(asset).transferFrom(from, address(_silo), assets);
        _depositRequests[id][controller] += assets;
        emit DepositRequest(controller, from, id, msg.sender, assets);
        if (referral != address(0)) emit Referral(referral, from, id, assets);
        return id;
    }

    function cancelRequestDeposit() external whenNotPaused {
        _cancelDeposit(msg.sender);
    }

    function _cancelDeposit(address controller) internal {
        uint40 id = _lastDepositEpoch[controller];
        if (id != _depositEpoch) revert NotCancelable(id);
        uint256 assets = _depositRequests[id][controller];
        _depositRequests[id][controller] = 0;
        IErc20(asset).transferFrom(address(_silo), controller, assets);
        emit DepositRequestCanceled(id, controller);
    }

    function deposit(uint256 assets, address receiver) external returns (uint256) {
        return _claimDeposit(assets, receiver, msg.sender);
    }

    function deposit(uint256 assets, address receiver, address controller) external returns (uint256) {
        _requireOperator(controller);
        return _claimDeposit(assets, receiver, controller);
    }

    function claimSharesOnBehalf(address[] calldata controllers) external only(_seats.safe) {
        for (uint256 i; i < controllers.length; ++i) {
            uint256 assets = claimableDepositRequest(0, controllers[i]);
            if (assets > 0) _claimDeposit(assets, controllers[i], controllers[i]);
        }
    }

    function _claimDeposit(uint256 assets, address receiver, address controller) internal returns (uint256 shares) {
        _requireAllowed(receiver);
        uint40 id = _lastDepositEpoch[controller];
        if (id > _depositsSettledTo) revert NotClaimable(id);
        _depositRequests[id][controller] -= assets;
        shares = convertToShares(assets, id);
        shares -= _part(shares, _settlements[_settlementOf[id]].entryRate);
        _transfer(address(this), receiver, shares);
        emit Deposit(controller, receiver, assets, shares);
    }

    // Redemptions ---------------------------------------------------------------------------------------------------

    function requestRedeem(
        uint256 shares,
        address controller,
        address from
    )
        public
        whenNotPaused
        onlyIn(State.Open)
        returns (uint256)
    {
        _requireAllowed(from);
        _requireAllowed(controller);
        if (msg.sender != from && !isOperator[from][msg.sender] && !_isOperatorFor(from, msg.sender)) {
            _spendAllowance(from, msg.sender, shares);
        }
        uint256 claimable = claimableRedeemRequest(0, controller);
        if (claimable > 0) _claimRedeem(claimable, controller, controller);
        uint40 id = _redeemEpoch;
        if (_lastRedeemEpoch[controller] != id) {
            if (pendingRedeemRequest(0, controller) > 0) revert OnlyOneRequestAllowed();
            _lastRedeemEpoch[controller] = id;
        }
        _redeemRequests[id][controller] += shares;
        _transfer(from, address(_silo), shares);
        emit RedeemRequest(controller, from, id, msg.sender, shares);
        return id;
    }

    function claimSharesAndRequestRedeem(uint256 shares) external returns (uint40) {
        uint256 assets = claimableDepositRequest(0, msg.sender);
        if (assets > 0) _claimDeposit(assets, msg.sender, msg.sender);
        return uint40(requestRedeem(shares, msg.sender, msg.sender));
    }

    function _cancelRedeem(address controller) internal {
        uint40 id = _lastRedeemEpoch[controller];
        if (id != _redeemEpoch) revert NotCancelable(id);
        uint256 shares = _redeemRequests[id][controller];
        _redeemRequests[id][controller] = 0;
        _transfer(address(_silo), controller, shares);
        emit RedeemRequestCanceled(id, controller, shares);
    }

    /// @notice Claims what was settled; of a closed vault, takes out at once.
    function redeem(uint256 shares, address receiver, address controller) external whenNotPaused returns (uint256) {
        if (_state != State.Closed || claimableRedeemRequest(0, controller) > 0) {
            _requireOperator(controller);
            return _claimRedeem(shares, receiver, controller);
        }
        uint256 assets = convertToAssets(shares);
        _leave(assets, shares, receiver, controller);
        return assets;
    }

    function withdraw(uint256 assets, address receiver, address controller) external whenNotPaused returns (uint256) {
        if (_state != State.Closed || claimableRedeemRequest(0, controller) > 0) {
            _requireOperator(controller);
            uint40 id = _lastRedeemEpoch[controller];
            uint256 claimed = convertToShares(assets, id) + 1;
            _claimRedeem(claimed, receiver, controller);
            return claimed;
        }
        uint256 shares = convertToShares(assets) + 1;
        _leave(assets, shares, receiver, controller);
        return shares;
    }

    function _leave(uint256 assets, uint256 shares, address receiver, address from) private {
        if (msg.sender != from) _spendAllowance(from, msg.sender, shares);
        _totalAssets -= assets;
        _burn(from, shares);
        IErc20(asset).transfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, from, assets, shares);
    }

    function _claimRedeem(uint256 shares, address receiver, address controller) internal returns (uint256 assets) {
        _requireAllowed(receiver);
        uint40 id = _lastRedeemEpoch[controller];
        if (id > _redeemsSettledTo) revert NotClaimable(id);
        _redeemRequests[id][controller] -= shares;
        assets = convertToAssets(shares - _part(shares, _settlements[_settlementOf[id]].exitRate), id);
        IErc20(asset).transfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, controller, assets, shares);
    }

    // Views: id 0 stands for a controller's last request ---------------------------------------------------------------

    function pendingDepositRequest(uint256 id, address controller) public view returns (uint256) {
        uint40 epoch = id == 0 ? _lastDepositEpoch[controller] : uint40(id);
        return epoch > _depositsSettledTo ? _depositRequests[epoch][controller] : 0;
    }

    function claimableDepositRequest(uint256 id, address controller) public view returns (uint256) {
        uint40 epoch = id == 0 ? _lastDepositEpoch[controller] : uint40(id);
        return epoch <= _depositsSettledTo ? _depositRequests[epoch][controller] : 0;
    }

    function pendingRedeemRequest(uint256 id, address controller) public view returns (uint256) {
        uint40 epoch = id == 0 ? _lastRedeemEpoch[controller] : uint40(id);
        return epoch > _redeemsSettledTo ? _redeemRequests[epoch][controller] : 0;
    }

    function claimableRedeemRequest(uint256 id, address controller) public view returns (uint256) {
        uint40 epoch = id == 0 ? _lastRedeemEpoch[controller] : uint40(id);
        return epoch <= _redeemsSettledTo ? _redeemRequests[epoch][controller] : 0;
    }

    function maxDeposit(address controller) external view returns (uint256) {
        return paused ? 0 : claimableDepositRequest(0, controller);
    }

    function maxRedeem(address controller) external view returns (uint256) {
        if (paused) return 0;
        uint256 shares = claimableRedeemRequest(0, controller);
        return shares == 0 && _state == State.Closed ? balanceOf[controller] : shares;
    }

    function maxWithdraw(address controller) external view returns (uint256) {
        if (paused) return 0;
        uint256 shares = claimableRedeemRequest(0, controller);
        if (shares == 0 && _state == State.Closed) return convertToAssets(balanceOf[controller]);
        uint40 id = _lastRedeemEpoch[controller];
        return convertToAssets(shares - _part(shares, _settlements[_settlementOf[id]].exitRate), id);
    }
}
