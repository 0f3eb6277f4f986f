// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc20, IErc20 } from "../Tokens.sol";
import { LagoonEvents } from "./LagoonEvents.sol";

/// @notice Holds what is requested and not yet settled: assets that came in, shares that are to go.
contract LagoonSilo {
    address public immutable wrappedNativeToken;

    constructor(address asset) {
        IErc20(asset).approve(msg.sender, type(uint256).max);
    }
}

/// @notice What a Lagoon-shaped vault keeps. Both versions keep it in the same places, so that a proxy may go from one to the other.
abstract contract LagoonStorage is Erc20, LagoonEvents {
    error AlreadyInitialized();

    struct Seats {
        address whitelistManager;
        address feeReceiver;
        address safe;
        address feeRegistry;
        address valuationManager;
        address securityCouncil;
        address superOperator;
    }

    struct Settings {
        address asset;
        string name;
        string symbol;
        address owner;
        Seats seats;
        FiveRates rates;
        /// @dev Of 0.5.1: whether the whitelist is on; of 0.6.0: whether it stands instead of the blacklist.
        bool isWhitelist;
        uint256 rateCooldown;
        uint256 initialTotalAssets;
        bool allowsMarkReset;
    }

    struct Settlement {
        uint256 supply;
        uint256 assets;
        uint256 pendingAssets;
        uint256 pendingShares;
        uint16 entryRate;
        uint16 exitRate;
    }

    uint256 internal constant BPS = 10_000;
    uint256 internal constant NOTHING_PROPOSED = type(uint256).max;

    string public name;
    string public symbol;
    uint8 public decimals;
    address public asset;
    address public owner;
    address public pendingOwner;
    bool public paused;
    Seats internal _seats;
    LagoonSilo internal _silo;
    State internal _state;
    uint256 internal _virtualShares;
    uint256 internal _totalAssets;
    uint256 internal _proposedAssets;
    uint40 internal _depositEpoch;
    uint40 internal _depositSettlement;
    uint40 internal _depositsSettledTo;
    uint40 internal _redeemEpoch;
    uint40 internal _redeemSettlement;
    uint40 internal _redeemsSettledTo;
    mapping(uint40 epoch => uint40) internal _settlementOf;
    mapping(uint40 epoch => mapping(address controller => uint256)) internal _depositRequests;
    mapping(uint40 epoch => mapping(address controller => uint256)) internal _redeemRequests;
    mapping(uint40 id => Settlement) internal _settlements;
    mapping(address controller => uint40) internal _lastDepositEpoch;
    mapping(address controller => uint40) internal _lastRedeemEpoch;
    mapping(address controller => mapping(address operator => bool)) public isOperator;
    uint128 internal _lifespan;
    uint128 internal _expiration;
    FiveRates internal _rates;
    FiveRates internal _oldRates;
    uint256 internal _ratesFrom;
    uint256 internal _rateCooldown;
    uint256 internal _highWaterMark;
    uint256 internal _lastFeeTime;
    bool internal _allowsMarkReset;
    bool internal _isWhitelist;
    mapping(address account => bool) internal _isWhitelisted;
    // Of 0.6.0 alone.
    uint256 internal _maxCap;
    SyncMode internal _syncMode;
    bool internal _isAsyncOnly;
    mapping(address account => bool) internal _isBlacklisted;
    address internal _sanctionsList;
    Guardrails internal _guardrails;
    bool internal _hasGuardrails;
}

/// @notice Fills in a new vault. A contract of its own, which vaults delegate to: with it their code would be too long for the chain.
contract LagoonInit is LagoonStorage {
    function initialize(Settings calldata settings, bool isSix) external {
        if (asset != address(0)) revert AlreadyInitialized();
        asset = settings.asset;
        name = settings.name;
        symbol = settings.symbol;
        owner = settings.owner;
        emit OwnershipTransferred(address(0), settings.owner);
        _seats = settings.seats;
        // The first contract that the vault makes: whoever knows the vault knows its address.
        _silo = new LagoonSilo(settings.asset);
        uint8 assetDecimals = IErc20(settings.asset).decimals();
        decimals = assetDecimals < 18 ? 18 : assetDecimals;
        _virtualShares = 10 ** (decimals - assetDecimals);
        _depositEpoch = _depositSettlement = 1;
        _redeemEpoch = _redeemSettlement = 2;
        _proposedAssets = NOTHING_PROPOSED;
        _highWaterMark = 10 ** assetDecimals;
        _lastFeeTime = block.timestamp;
        _rateCooldown = settings.rateCooldown;
        _allowsMarkReset = settings.allowsMarkReset;
        _isWhitelist = settings.isWhitelist;
        _rates = settings.rates;
        _ratesFrom = block.timestamp;
        if (isSix) _announce(settings);
        emit StateUpdated(State.Open);
        emit Initialized(1);
    }

    /// @dev What 0.6.0 says of itself at its beginning. Of 0.5.1 the rates stand in no event.
    function _announce(Settings calldata settings) private {
        uint256 assets = settings.initialTotalAssets;
        if (assets > 0) {
            uint256 shares = assets * _virtualShares;
            _totalAssets = assets;
            _mint(_seats.safe, shares);
            emit PreMint(msg.sender, _seats.safe, assets, shares);
            emit DepositSync(msg.sender, _seats.safe, assets, shares);
        }
        _maxCap = type(uint256).max;
        emit MaxCapUpdated(0, _maxCap);
        emit SyncModeUpdated(SyncMode.Both, SyncMode.Both);
        emit AccessModeUpdated(settings.isWhitelist ? AccessMode.Whitelist : AccessMode.Blacklist);
        emit ExternalSanctionsListUpdated(address(0), address(0));
        emit RatesUpdated(FiveRates(0, 0, 0, 0, 0), settings.rates, block.timestamp);
    }
}
