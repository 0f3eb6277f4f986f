// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { IErc20 } from "../Tokens.sol";
import { LagoonCore } from "./LagoonCore.sol";
import { LagoonSettlement } from "./LagoonSettlement.sol";

/// @notice As version 0.5.1 shows itself: two rates with a cooldown, a whitelist that can be switched off, no events of expiration.
contract LagoonVaultV5 is LagoonSettlement {
    struct RolesStorage {
        address whitelistManager;
        address feeReceiver;
        address safe;
        address feeRegistry;
        address valuationManager;
    }

    constructor(address init) LagoonCore(init) { }

    function initialize(Settings calldata settings) external {
        _initialize(settings, false);
    }

    function version() external pure returns (string memory) {
        return "v0.5.1";
    }

    function getRolesStorage() external view returns (RolesStorage memory) {
        Seats storage seats = _seats;
        return RolesStorage(
            seats.whitelistManager, seats.feeReceiver, seats.safe, seats.feeRegistry, seats.valuationManager
        );
    }

    function feeRates() external view returns (TwoRates memory) {
        return TwoRates(_rateOf(FeeType.Management), _rateOf(FeeType.Performance));
    }

    function updateRates(TwoRates calldata rates) external only(owner) {
        _oldRates = _rates;
        _rates.managementRate = rates.managementRate;
        _rates.performanceRate = rates.performanceRate;
        _ratesFrom = block.timestamp + _rateCooldown;
        emit RatesUpdated(TwoRates(_oldRates.managementRate, _oldRates.performanceRate), rates, _ratesFrom);
    }

    function updateNewTotalAssets(uint256 newTotalAssets) external only(_seats.valuationManager) {
        _propose(newTotalAssets);
    }

    /// @dev Emits nothing.
    function expireTotalAssets() external only(_seats.safe) {
        _expiration = 0;
    }

    function syncDeposit(
        uint256 assets,
        address receiver,
        address referral
    )
        external
        onlyIn(State.Open)
        returns (uint256)
    {
        if (!isTotalAssetsValid()) revert Unauthorized();
        return _enterNow(assets, receiver, referral);
    }

    function disableWhitelist() external only(owner) {
        _isWhitelist = false;
        emit WhitelistDisabled();
    }

    function isWhitelisted(address account) external view returns (bool) {
        return isAllowed(account);
    }

    function isAllowed(address account) public view override returns (bool) {
        return !_isWhitelist || _isWhitelisted[account] || account == address(0);
    }

    function _isOperatorFor(address, address) internal pure override returns (bool) {
        return false;
    }

    function _rateOf(FeeType feeType) internal view override returns (uint16) {
        FiveRates storage rates = block.timestamp < _ratesFrom ? _oldRates : _rates;
        if (feeType == FeeType.Management) return rates.managementRate;
        return feeType == FeeType.Performance ? rates.performanceRate : 0;
    }

    function _afterValuation() internal override {
        _expiration = uint128(block.timestamp) + _lifespan;
    }

    function _feeTaken(FeeType, uint256 shares, uint16, uint40) internal override {
        if (shares > 0) _mint(_seats.feeReceiver, shares);
    }

    function _checkCap(uint256) internal pure override { }
}

/// @notice As version 0.6.0 shows itself: five rates, a Safe that can be replaced, a security council with guardrails, a cap,
/// synchronous exits, and lists of who may and who may not.
contract LagoonVaultV6 is LagoonSettlement {
    error OutsideGuardrails();
    error CapReached();

    uint256 private constant GUARDRAIL_YEAR = 31_556_952;

    constructor(address init) LagoonCore(init) { }

    function initialize(Settings calldata settings) external {
        _initialize(settings, true);
    }

    function version() external pure returns (string memory) {
        return "v0.6.0";
    }

    function getRolesStorage() external view returns (Seats memory) {
        return _seats;
    }

    function feeRates() external view returns (FiveRates memory) {
        return _rates;
    }

    function maxCap() external view returns (uint256) {
        return _maxCap;
    }

    function syncMode() external view returns (SyncMode) {
        return _syncMode;
    }

    function isAsyncOnly() external view returns (bool) {
        return _isAsyncOnly;
    }

    // Owner ---------------------------------------------------------------------------------------------------------

    function updateSafe(address account) external only(owner) {
        emit SafeUpdated(_seats.safe, account);
        _seats.safe = account;
    }

    function updateSecurityCouncil(address account) external only(owner) {
        emit SecurityCouncilUpdated(_seats.securityCouncil, account);
        _seats.securityCouncil = account;
    }

    function updateSuperOperator(address account) external only(owner) {
        emit SuperOperatorUpdated(_seats.superOperator, account);
        _seats.superOperator = account;
    }

    function updateRates(FiveRates calldata rates) external only(owner) {
        emit RatesUpdated(_rates, rates, block.timestamp);
        _rates = rates;
    }

    function switchAccessMode(AccessMode mode) external only(owner) {
        _isWhitelist = mode == AccessMode.Whitelist;
        emit AccessModeUpdated(mode);
    }

    function activateAsyncOnly() external only(owner) {
        _isAsyncOnly = true;
        _lifespan = 0;
        emit TotalAssetsExpirationUpdated(_expiration, 0);
        _expiration = 0;
        emit SyncModeUpdated(_syncMode, SyncMode.None);
        _syncMode = SyncMode.None;
        emit AsyncOnlyActivated();
    }

    function updateName(string calldata newName) external only(owner) {
        emit NameUpdated(name, newName);
        name = newName;
    }

    function updateSymbol(string calldata newSymbol) external only(owner) {
        emit SymbolUpdated(symbol, newSymbol);
        symbol = newSymbol;
    }

    // Valuation and security council --------------------------------------------------------------------------------

    function updateNewTotalAssets(uint256 newTotalAssets) external only(_seats.valuationManager) {
        if (_hasGuardrails && !_isWithin(newTotalAssets)) revert OutsideGuardrails();
        _propose(newTotalAssets);
    }

    function securityCouncilUpdateTotalAssets(uint256 newTotalAssets) external only(_seats.securityCouncil) {
        _propose(newTotalAssets);
    }

    function updateGuardrails(Guardrails calldata guardrails) external only(_seats.securityCouncil) {
        emit GuardrailsUpdated(_guardrails, guardrails);
        _guardrails = guardrails;
    }

    function updateActivated(bool activated) external only(_seats.securityCouncil) {
        _hasGuardrails = activated;
        emit GuardrailsStatusUpdated(activated);
    }

    /// @dev The change of the price, as a yearly rate, lies between the rates.
    function _isWithin(uint256 newTotalAssets) private view returns (bool) {
        uint256 elapsed = block.timestamp - _lastFeeTime;
        if (elapsed == 0) return true;
        int256 price = int256(convertToAssets(10 ** decimals));
        int256 next = int256((10 ** decimals * (newTotalAssets + 1)) / (totalSupply + _virtualShares));
        int256 rate = (next - price) * int256(GUARDRAIL_YEAR / elapsed) * 1e18 / price;
        return rate <= int256(_guardrails.upperRate) && rate >= _guardrails.lowerRate;
    }

    // Safe ----------------------------------------------------------------------------------------------------------

    function updateMaxCap(uint256 cap) external only(_seats.safe) {
        emit MaxCapUpdated(_maxCap, cap);
        _maxCap = cap;
    }

    function setSyncMode(SyncMode mode) external only(_seats.safe) {
        if (_isAsyncOnly) revert Unauthorized();
        emit SyncModeUpdated(_syncMode, mode);
        _syncMode = mode;
    }

    function expireTotalAssets() external only(_seats.safe) {
        emit TotalAssetsExpirationUpdated(_expiration, 0);
        _expiration = 0;
    }

    function resetHighWaterMark() external only(_seats.safe) {
        if (!_allowsMarkReset) revert Unauthorized();
        uint256 price = convertToAssets(10 ** decimals);
        emit HighWaterMarkUpdated(_highWaterMark, price);
        _highWaterMark = price;
    }

    function claimAssetsOnBehalf(address[] calldata controllers) external only(_seats.safe) {
        for (uint256 i; i < controllers.length; ++i) {
            uint256 shares = claimableRedeemRequest(0, controllers[i]);
            if (shares > 0) _claimRedeem(shares, controllers[i], controllers[i]);
        }
    }

    // Holders -------------------------------------------------------------------------------------------------------

    function syncDeposit(
        uint256 assets,
        address receiver,
        address referral
    )
        external
        onlyIn(State.Open)
        returns (uint256)
    {
        if (!_isSync(SyncMode.SyncDeposit)) revert Unauthorized();
        return _enterNow(assets, receiver, referral);
    }

    function syncRedeem(
        uint256 shares,
        address receiver,
        uint256 minimumAssets
    )
        external
        onlyIn(State.Open)
        returns (uint256 assets)
    {
        if (!_isSync(SyncMode.SyncRedeem)) revert Unauthorized();
        _requireAllowed(msg.sender);
        _requireAllowed(receiver);
        uint256 fee = _part(shares, _rates.exitRate);
        uint256 cut = _part(shares - fee, _rates.haircutRate);
        assets = convertToAssets(shares - fee - cut);
        if (assets < minimumAssets) revert Unauthorized();
        uint256 worth = convertToAssets(shares - fee);
        _burn(msg.sender, shares);
        _totalAssets -= worth;
        _feeTaken(FeeType.Exit, fee, _rates.exitRate, 0);
        IErc20(asset).transferFrom(_seats.safe, receiver, assets);
        if (cut > 0) emit HaircutTaken(msg.sender, cut, _rates.haircutRate);
        emit WithdrawSync(msg.sender, receiver, msg.sender, assets, shares);
    }

    function cancelRequestDeposit(address controller) external whenNotPaused {
        _requireOperator(controller);
        _cancelDeposit(controller);
    }

    function cancelRequestRedeem(address controller) external {
        _requireOperator(controller);
        _cancelRedeem(controller);
    }

    // Whitelist manager ---------------------------------------------------------------------------------------------

    function addToBlacklist(address[] calldata accounts) external only(_seats.whitelistManager) {
        _setBlacklisted(accounts, true);
    }

    function revokeFromBlacklist(address[] calldata accounts) external only(_seats.whitelistManager) {
        _setBlacklisted(accounts, false);
    }

    function setExternalSanctionsList(address list) external only(_seats.whitelistManager) {
        emit ExternalSanctionsListUpdated(_sanctionsList, list);
        _sanctionsList = list;
    }

    function isAllowed(address account) public view override returns (bool) {
        return _isWhitelist ? _isWhitelisted[account] : !_isBlacklisted[account];
    }

    function _setBlacklisted(address[] calldata accounts, bool isListed) private {
        for (uint256 i; i < accounts.length; ++i) {
            _isBlacklisted[accounts[i]] = isListed;
            emit BlacklistUpdated(accounts[i], isListed);
        }
    }

    function _isSync(SyncMode kind) private view returns (bool) {
        return isTotalAssetsValid() && (_syncMode == SyncMode.Both || _syncMode == kind);
    }

    function _isOperatorFor(address, address account) internal view override returns (bool) {
        return account == _seats.superOperator;
    }

    function _rateOf(FeeType feeType) internal view override returns (uint16) {
        if (feeType == FeeType.Management) return _rates.managementRate;
        if (feeType == FeeType.Performance) return _rates.performanceRate;
        return feeType == FeeType.Entry ? _rates.entryRate : _rates.exitRate;
    }

    function _afterValuation() internal override {
        if (_isAsyncOnly) return;
        uint128 expiration = uint128(block.timestamp) + _lifespan;
        emit TotalAssetsExpirationUpdated(_expiration, expiration);
        _expiration = expiration;
    }

    function _feeTaken(FeeType feeType, uint256 shares, uint16 rate, uint40 context) internal override {
        if (shares == 0) return;
        _mint(_seats.feeReceiver, shares);
        emit FeeTaken(feeType, shares, rate, context, shares, 0);
    }

    function _checkCap(uint256 assets) internal view override {
        if (_totalAssets + assets + IErc20(asset).balanceOf(address(_silo)) > _maxCap) revert CapReached();
    }
}
