// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc4626Events } from "../events/Erc4626Events.sol";
import { Erc7540Events } from "../events/Erc7540Events.sol";
import { Erc7540RedeemEvents } from "../events/Erc7540RedeemEvents.sol";
import { LagoonInit, LagoonStorage } from "./LagoonStorage.sol";

/// @notice Owner, seats and price of a Lagoon-shaped vault.
abstract contract LagoonCore is LagoonStorage, Erc4626Events, Erc7540Events, Erc7540RedeemEvents {
    error Unauthorized();
    error EnforcedPause();
    error NotAllowed(address account);
    error NotMade();
    error WrongState(State state);

    address private immutable _init;

    constructor(address init) {
        _init = init;
    }

    // In functions, or each use would be a copy and the code too long for the chain.
    modifier only(address account) {
        _only(account);
        _;
    }

    modifier whenNotPaused() {
        _requireNotPaused();
        _;
    }

    modifier onlyIn(State state) {
        _requireState(state);
        _;
    }

    function isAllowed(address account) public view virtual returns (bool);
    /// @dev Whether whoever acts for everybody acts for this controller: 0.6.0 alone has such a one.
    function _isOperatorFor(address controller, address account) internal view virtual returns (bool);
    function _rateOf(FeeType feeType) internal view virtual returns (uint16);
    function _afterValuation() internal virtual;
    function _feeTaken(FeeType feeType, uint256 shares, uint16 rate, uint40 context) internal virtual;

    function _initialize(Settings calldata settings, bool isSix) internal {
        (bool isDone,) = _init.delegatecall(abi.encodeCall(LagoonInit.initialize, (settings, isSix)));
        if (!isDone) revert NotMade();
    }

    // Owner and seats -----------------------------------------------------------------------------------------------

    function transferOwnership(address newOwner) external only(owner) {
        pendingOwner = newOwner;
        emit OwnershipTransferStarted(owner, newOwner);
    }

    function acceptOwnership() external only(pendingOwner) {
        emit OwnershipTransferred(owner, msg.sender);
        owner = msg.sender;
        pendingOwner = address(0);
    }

    function renounceOwnership() external only(owner) {
        emit OwnershipTransferred(owner, address(0));
        owner = pendingOwner = address(0);
    }

    function updateWhitelistManager(address account) external only(owner) {
        emit WhitelistManagerUpdated(_seats.whitelistManager, account);
        _seats.whitelistManager = account;
    }

    function updateValuationManager(address account) external only(owner) {
        emit ValuationManagerUpdated(_seats.valuationManager, account);
        _seats.valuationManager = account;
    }

    function updateFeeReceiver(address account) external only(owner) {
        emit FeeReceiverUpdated(_seats.feeReceiver, account);
        _seats.feeReceiver = account;
    }

    function pause() external only(owner) whenNotPaused {
        paused = true;
        emit Paused(msg.sender);
    }

    function unpause() external only(owner) {
        paused = false;
        emit Unpaused(msg.sender);
    }

    function addToWhitelist(address[] calldata accounts) external only(_seats.whitelistManager) {
        _setWhitelisted(accounts, true);
    }

    function revokeFromWhitelist(address[] calldata accounts) external only(_seats.whitelistManager) {
        _setWhitelisted(accounts, false);
    }

    function _setWhitelisted(address[] calldata accounts, bool isListed) private {
        for (uint256 i; i < accounts.length; ++i) {
            _isWhitelisted[accounts[i]] = isListed;
            emit WhitelistUpdated(accounts[i], isListed);
        }
    }

    // Views ---------------------------------------------------------------------------------------------------------

    function safe() public view returns (address) {
        return _seats.safe;
    }

    function share() external view returns (address) {
        return address(this);
    }

    function totalAssets() public view returns (uint256) {
        return _totalAssets;
    }

    function isTotalAssetsValid() public view returns (bool) {
        return block.timestamp < _expiration;
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return (shares * (_totalAssets + 1)) / (totalSupply + _virtualShares);
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return (assets * (totalSupply + _virtualShares)) / (_totalAssets + 1);
    }

    /// @notice At the price of the settlement that the request was part of.
    function convertToAssets(uint256 shares, uint256 requestId) public view returns (uint256) {
        Settlement storage settled = _settlements[_settlementOf[uint40(requestId)]];
        return (shares * (settled.assets + 1)) / (settled.supply + _virtualShares);
    }

    function convertToShares(uint256 assets, uint256 requestId) public view returns (uint256) {
        Settlement storage settled = _settlements[_settlementOf[uint40(requestId)]];
        return (assets * (settled.supply + _virtualShares)) / (settled.assets + 1);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xe3bc4e65 || id == 0xce3bbe50 || id == 0x620ee8e4 || id == 0x2f0a18c5
            || id == 0xf815c03d;
    }

    function _only(address account) internal view {
        if (msg.sender != account) revert Unauthorized();
    }

    function _requireNotPaused() private view {
        if (paused) revert EnforcedPause();
    }

    function _requireState(State state) private view {
        if (_state != state) revert WrongState(_state);
    }

    function _requireAllowed(address account) internal view {
        if (!isAllowed(account)) revert NotAllowed(account);
    }

    function _requireOperator(address controller) internal view {
        if (
            msg.sender != controller && !isOperator[controller][msg.sender] && !_isOperatorFor(controller, msg.sender)
        ) revert Unauthorized();
    }

    /// @dev A rate of an amount, in favour of the vault.
    function _part(uint256 amount, uint256 rate) internal pure returns (uint256) {
        return (amount * rate + BPS - 1) / BPS;
    }
}
