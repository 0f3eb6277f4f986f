// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { StrategyEvents } from "./events/StrategyEvents.sol";
import { FeeConfig, IAggregator, IGovernor, IVault } from "./Interfaces.sol";

/// @notice What every part of a strategy shares: its state, who may call, and whether the price may be used.
/// @dev Prices are raw asset units per whole share.
abstract contract StrategyCore is StrategyEvents {
    uint256 internal constant BPS = 10_000;
    uint256 internal constant MAX_PERFORMANCE_FEE_BPS = 5100;
    uint256 internal constant DEFAULT_SLIPPAGE_BPS = 50;
    uint256 internal constant PROPOSAL_TIMELOCK = 1 weeks;
    uint256 internal constant MIN_PPS_EXPIRATION = 1 minutes;
    uint256 internal constant MAX_PPS_EXPIRATION = 1 weeks;
    uint256 internal constant POST_UNPAUSE_SKIM_TIMELOCK = 12 hours;

    error ALREADY_INITIALIZED();
    error ACCESS_DENIED();
    error MANAGER_NOT_AUTHORIZED();
    error STRATEGY_PAUSED();
    error STALE_PPS();
    error PPS_EXPIRED();
    error INVALID_AMOUNT();
    error INVALID_PPS();
    error INVALID_TIMESTAMP();
    error INVALID_PERFORMANCE_FEE_BPS();
    error INVALID_PPS_EXPIRY_THRESHOLD();
    error NO_PROPOSAL();
    error REQUEST_NOT_FOUND();
    error ACTION_TYPE_DISALLOWED();
    error INVALID_ARRAY_LENGTH();
    error CONTROLLERS_NOT_SORTED_UNIQUE();
    error BOUNDS_EXCEEDED(uint256 minAllowed, uint256 maxAllowed, uint256 actual);
    error INSUFFICIENT_LIQUIDITY();
    error YIELD_SOURCE_ALREADY_EXISTS();
    error YIELD_SOURCE_NOT_FOUND();
    error SKIM_TIMELOCK_ACTIVE();
    error NOT_ENOUGH_FREE_ASSETS_FEE_SKIM();

    struct RedeemState {
        bool cancelPending;
        uint16 slippageBps;
        uint256 claimableCancelShares;
        uint256 pendingShares;
        uint256 claimableAssets;
        uint256 averageRequestPps;
        uint256 averageWithdrawPrice;
    }

    IGovernor public immutable SUPER_GOVERNOR;

    address internal _vault;
    address internal _asset;
    uint8 internal _decimals;
    uint256 public PRECISION;
    FeeConfig internal _fees;
    FeeConfig internal _proposedFees;
    /// @notice Unix seconds from which the proposed fee configuration may be executed; 0 where none is pending.
    uint256 public feeConfigEffectiveTime;
    /// @notice Seconds after an update past which deposits and redeem requests are refused.
    uint256 public ppsExpiration;
    uint256 public proposedPPSExpiryThreshold;
    uint256 public ppsExpiryThresholdEffectiveTime;
    /// @notice The price above which profit is charged for.
    uint256 public vaultHwmPps;
    address[] internal _sources;
    mapping(address source => address oracle) internal _oracleOf;
    mapping(address controller => RedeemState) internal _redeems;

    constructor(IGovernor governor) {
        SUPER_GOVERNOR = governor;
        emit SuperGovernorSet(address(governor));
    }

    function initialize(address vault, FeeConfig calldata feeConfig) external {
        if (_vault != address(0)) revert ALREADY_INITIALIZED();
        _vault = vault;
        _asset = IVault(vault).asset();
        _decimals = IVault(vault).decimals();
        PRECISION = 10 ** _decimals;
        vaultHwmPps = PRECISION;
        ppsExpiration = 1 days;
        _fees = feeConfig;
        emit Initialized(vault);
    }

    modifier onlyVault() {
        if (msg.sender != _vault) revert ACCESS_DENIED();
        _;
    }

    modifier onlyAggregator() {
        if (msg.sender != address(_aggregator())) revert ACCESS_DENIED();
        _;
    }

    modifier onlyManager() {
        if (!_aggregator().isAnyManager(msg.sender, address(this))) revert MANAGER_NOT_AUTHORIZED();
        _;
    }

    modifier onlyPrimaryManager() {
        if (!_aggregator().isMainManager(msg.sender, address(this))) revert MANAGER_NOT_AUTHORIZED();
        _;
    }

    function getStoredPPS() public view returns (uint256) {
        return _aggregator().getPPS(address(this));
    }

    /// @dev Pause and staleness block fulfilment; expiry blocks deposits and redeem requests as well.
    function _requireFresh() internal view {
        IAggregator aggregator = _aggregator();
        if (aggregator.isStrategyPaused(address(this))) revert STRATEGY_PAUSED();
        if (aggregator.isPPSStale(address(this))) revert STALE_PPS();
    }

    function _requireOpen() internal view {
        _requireFresh();
        if (block.timestamp - _aggregator().getLastUpdateTimestamp(address(this)) > ppsExpiration) revert PPS_EXPIRED();
    }

    function _aggregator() internal view returns (IAggregator) {
        return IAggregator(SUPER_GOVERNOR.getAddress(SUPER_GOVERNOR.SUPER_VAULT_AGGREGATOR()));
    }

    function _ceilDiv(uint256 a, uint256 b) internal pure returns (uint256) {
        return a == 0 ? 0 : (a - 1) / b + 1;
    }
}
