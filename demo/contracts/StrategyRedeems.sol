// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { IVault } from "./Interfaces.sol";
import { StrategyCore } from "./StrategyCore.sol";
import { IErc20 } from "./Tokens.sol";

/// @notice Deposits and the life of a redeem request: placed, fulfilled or cancelled, claimed.
abstract contract StrategyRedeems is StrategyCore {
    // Calls of the vault --------------------------------------------------------------------------------------------

    function handleDeposit(address controller, uint256 assetsGross) external onlyVault returns (uint256 sharesNet) {
        _requireOpen();
        uint256 fee = _ceilDiv(assetsGross * _fees.managementFeeBps, BPS);
        if (fee > 0) {
            IErc20(_asset).transfer(_fees.recipient, fee);
            emit ManagementFeePaid(controller, _fees.recipient, fee, _fees.managementFeeBps);
        }
        uint256 assetsNet = assetsGross - fee;
        sharesNet = (assetsNet * PRECISION) / getStoredPPS();
        if (sharesNet == 0) revert INVALID_AMOUNT();
        emit DepositHandled(controller, assetsNet, sharesNet);
    }

    function handleRedeemRequest(address controller, address owner, uint256 shares) external onlyVault {
        _requireOpen();
        RedeemState storage state = _redeems[controller];
        uint256 pending = state.pendingShares;
        state.averageRequestPps = (state.averageRequestPps * pending + getStoredPPS() * shares) / (pending + shares);
        state.pendingShares = pending + shares;
        emit RedeemRequestPlaced(controller, owner, shares);
    }

    function handleCancelRedeemRequest(address controller) external onlyVault {
        RedeemState storage state = _redeems[controller];
        if (state.pendingShares == 0 || state.cancelPending) revert REQUEST_NOT_FOUND();
        state.cancelPending = true;
        emit RedeemCancelRequestPlaced(controller);
    }

    function handleClaimCancelRedeem(address controller) external onlyVault returns (uint256 shares) {
        RedeemState storage state = _redeems[controller];
        shares = state.claimableCancelShares;
        if (shares == 0) revert REQUEST_NOT_FOUND();
        state.claimableCancelShares = 0;
        state.cancelPending = false;
        emit RedeemRequestCanceled(controller, shares);
    }

    function handleClaimRedeem(address controller, address receiver, uint256 assets) external onlyVault {
        if (_redeems[controller].claimableAssets < assets) revert INVALID_AMOUNT();
        _redeems[controller].claimableAssets -= assets;
        // Faithful to the deployed contracts: receiver and controller stand swapped, the shares are zero.
        emit RedeemRequestClaimed(receiver, controller, assets, 0);
    }

    // Redeem fulfilment ---------------------------------------------------------------------------------------------

    /// @param controllers Sorted ascending, each with a pending request.
    /// @param totalAssetsOut Raw assets for each, between the slippage floor and the current price.
    function fulfillRedeemRequests(
        address[] calldata controllers,
        uint256[] calldata totalAssetsOut
    )
        external
        onlyManager
    {
        _requireFresh();
        if (controllers.length == 0 || controllers.length != totalAssetsOut.length) revert INVALID_ARRAY_LENGTH();
        uint256 pps = getStoredPPS();
        uint256 shares;
        uint256 assets;
        for (uint256 i; i < controllers.length; ++i) {
            if (i > 0 && controllers[i] <= controllers[i - 1]) revert CONTROLLERS_NOT_SORTED_UNIQUE();
            shares += _fulfill(controllers[i], totalAssetsOut[i], pps);
            assets += totalAssetsOut[i];
        }
        if (IErc20(_asset).balanceOf(address(this)) < assets) revert INSUFFICIENT_LIQUIDITY();
        IVault(_vault).burnShares(shares);
        IErc20(_asset).transfer(IVault(_vault).escrow(), assets);
        emit RedeemRequestsFulfilled(controllers, shares, pps);
    }

    function fulfillCancelRedeemRequests(address[] calldata controllers) external onlyManager {
        for (uint256 i; i < controllers.length; ++i) {
            RedeemState storage state = _redeems[controllers[i]];
            if (!state.cancelPending || state.pendingShares == 0) continue;
            uint256 shares = state.pendingShares;
            state.pendingShares = 0;
            state.averageRequestPps = 0;
            state.claimableCancelShares += shares;
            emit RedeemCancelRequestFulfilled(controllers[i], shares);
        }
    }

    function setRedeemSlippage(uint16 slippageBps) external {
        if (slippageBps > BPS) revert INVALID_AMOUNT();
        _redeems[msg.sender].slippageBps = slippageBps;
        emit RedeemSlippageSet(msg.sender, slippageBps);
    }

    // Views -------------------------------------------------------------------------------------------------------

    function previewExactRedeem(address controller)
        external
        view
        returns (uint256 shares, uint256 theoreticalAssets, uint256 minAssets)
    {
        return _previewRedeem(controller, getStoredPPS());
    }

    function pendingRedeemRequest(address controller) external view returns (uint256) {
        return _redeems[controller].pendingShares;
    }

    function pendingCancelRedeemRequest(address controller) external view returns (bool) {
        return _redeems[controller].cancelPending;
    }

    function claimableCancelRedeemRequest(address controller) external view returns (uint256) {
        return _redeems[controller].claimableCancelShares;
    }

    function claimableWithdraw(address controller) external view returns (uint256) {
        return _redeems[controller].claimableAssets;
    }

    function getAverageWithdrawPrice(address controller) external view returns (uint256) {
        return _redeems[controller].averageWithdrawPrice;
    }

    // Internals ---------------------------------------------------------------------------------------------------

    function _fulfill(address controller, uint256 assetsOut, uint256 pps) private returns (uint256 shares) {
        uint256 most;
        uint256 least;
        (shares, most, least) = _previewRedeem(controller, pps);
        if (shares == 0) revert REQUEST_NOT_FOUND();
        if (assetsOut < least || assetsOut > most) revert BOUNDS_EXCEEDED(least, most, assetsOut);
        RedeemState storage state = _redeems[controller];
        uint256 heldShares =
            state.averageWithdrawPrice == 0 ? 0 : (state.claimableAssets * PRECISION) / state.averageWithdrawPrice;
        state.claimableAssets += assetsOut;
        state.averageWithdrawPrice = (state.claimableAssets * PRECISION) / (heldShares + shares);
        state.pendingShares = 0;
        state.averageRequestPps = 0;
        state.cancelPending = false;
        emit RedeemClaimable(controller, assetsOut, shares, state.averageWithdrawPrice);
    }

    function _previewRedeem(
        address controller,
        uint256 pps
    )
        private
        view
        returns (uint256 shares, uint256 most, uint256 least)
    {
        RedeemState storage state = _redeems[controller];
        shares = state.pendingShares;
        uint256 slippageBps = state.slippageBps == 0 ? DEFAULT_SLIPPAGE_BPS : state.slippageBps;
        most = (shares * pps) / PRECISION;
        least = (((shares * state.averageRequestPps) / PRECISION) * (BPS - slippageBps)) / BPS;
    }
}
