// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { AggregatorEvents } from "./events/AggregatorEvents.sol";
import { IGovernor } from "./Interfaces.sol";

/// @notice State of the aggregator, keyed by strategy, and its views.
abstract contract AggregatorCore is AggregatorEvents {
    uint256 internal constant MAX_SECONDARY_MANAGERS = 5;

    error ZERO_ADDRESS();
    error ZERO_AMOUNT();
    error UNKNOWN_STRATEGY();
    error UNAUTHORIZED_UPDATE_AUTHORITY();
    error MANAGER_NOT_FOUND();
    error MANAGER_ALREADY_EXISTS();
    error TOO_MANY_SECONDARY_MANAGERS();
    error TIMELOCK_NOT_EXPIRED();

    struct StrategyData {
        uint256 pps;
        uint256 lastUpdateTimestamp;
        uint256 minUpdateInterval;
        uint256 maxStaleness;
        uint256 deviationThreshold;
        uint256 lastUnpauseTimestamp;
        uint256 upkeepBalance;
        address mainManager;
        bool isKnown;
        bool ppsStale;
        bool isPaused;
        bool hooksRootVetoed;
        address[] secondaryManagers;
        address proposedManager;
        address proposedFeeRecipient;
        uint256 managerChangeEffectiveTime;
        bytes32 hooksRoot;
        bytes32 proposedHooksRoot;
        uint256 hooksRootEffectiveTime;
        uint256 proposedMinUpdateInterval;
        uint256 minUpdateIntervalEffectiveTime;
    }

    /// @param amount The whole balance when the withdrawal was proposed.
    /// @param effectiveTime Unix seconds from which it may be executed; 0 where none is pending.
    struct UpkeepWithdrawalRequest {
        uint256 amount;
        uint256 effectiveTime;
    }

    IGovernor public immutable SUPER_GOVERNOR;
    uint256 public claimableUpkeep;
    uint256 public getHooksRootUpdateTimelock = 15 minutes;
    bytes32 public getGlobalHooksRoot;
    bool public isGlobalHooksRootVetoed;
    mapping(address strategy => UpkeepWithdrawalRequest) public pendingUpkeepWithdrawals;
    bytes32 internal _proposedGlobalRoot;
    uint256 internal _globalRootEffectiveTime;
    mapping(address strategy => StrategyData) internal _data;

    constructor(IGovernor governor) {
        SUPER_GOVERNOR = governor;
    }

    modifier validStrategy(address strategy) {
        if (!_data[strategy].isKnown) revert UNKNOWN_STRATEGY();
        _;
    }

    modifier onlyMainManager(address strategy) {
        if (!_data[strategy].isKnown) revert UNKNOWN_STRATEGY();
        if (msg.sender != _data[strategy].mainManager) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        _;
    }

    modifier onlyGovernor() {
        if (msg.sender != address(SUPER_GOVERNOR)) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        _;
    }

    function getPPS(address strategy) external view validStrategy(strategy) returns (uint256 pps) {
        return _data[strategy].pps;
    }

    function getLastUpdateTimestamp(address strategy) external view returns (uint256 timestamp) {
        return _data[strategy].lastUpdateTimestamp;
    }

    function getMinUpdateInterval(address strategy) external view returns (uint256 interval) {
        return _data[strategy].minUpdateInterval;
    }

    function getMaxStaleness(address strategy) external view returns (uint256 staleness) {
        return _data[strategy].maxStaleness;
    }

    /// @return deviationThreshold Largest change taken, as a fraction scaled by 1e18; the uint256 maximum means none is set.
    function getDeviationThreshold(address strategy) external view returns (uint256 deviationThreshold) {
        return _data[strategy].deviationThreshold;
    }

    function isStrategyPaused(address strategy) external view returns (bool isPaused) {
        return _data[strategy].isPaused;
    }

    function isPPSStale(address strategy) external view returns (bool isStale) {
        return _data[strategy].ppsStale;
    }

    function getLastUnpauseTimestamp(address strategy) external view returns (uint256 timestamp) {
        return _data[strategy].lastUnpauseTimestamp;
    }

    function getUpkeepBalance(address strategy) external view returns (uint256 balance) {
        return _data[strategy].upkeepBalance;
    }

    function getMainManager(address strategy) external view returns (address manager) {
        return _data[strategy].mainManager;
    }

    function getPendingManagerChange(address strategy)
        external
        view
        returns (address proposedManager, uint256 effectiveTime)
    {
        return (_data[strategy].proposedManager, _data[strategy].managerChangeEffectiveTime);
    }

    function getSecondaryManagers(address strategy) external view returns (address[] memory secondaryManagers) {
        return _data[strategy].secondaryManagers;
    }

    function isMainManager(address manager, address strategy) public view returns (bool) {
        return manager != address(0) && _data[strategy].mainManager == manager;
    }

    function isSecondaryManager(address manager, address strategy) public view returns (bool) {
        address[] storage list = _data[strategy].secondaryManagers;
        for (uint256 i; i < list.length; ++i) if (list[i] == manager) return true;
        return false;
    }

    function isAnyManager(address manager, address strategy) public view returns (bool) {
        return isMainManager(manager, strategy) || isSecondaryManager(manager, strategy);
    }

    function getStrategyHooksRoot(address strategy) external view returns (bytes32 root) {
        return _data[strategy].hooksRoot;
    }

    function getProposedStrategyHooksRoot(address strategy)
        external
        view
        returns (bytes32 root, uint256 effectiveTime)
    {
        return (_data[strategy].proposedHooksRoot, _data[strategy].hooksRootEffectiveTime);
    }

    function isStrategyHooksRootVetoed(address strategy) external view returns (bool vetoed) {
        return _data[strategy].hooksRootVetoed;
    }

    function getProposedGlobalHooksRoot() external view returns (bytes32 root, uint256 effectiveTime) {
        return (_proposedGlobalRoot, _globalRootEffectiveTime);
    }

    function getProposedMinUpdateInterval(address strategy)
        external
        view
        returns (uint256 proposedInterval, uint256 effectiveTime)
    {
        return (_data[strategy].proposedMinUpdateInterval, _data[strategy].minUpdateIntervalEffectiveTime);
    }

    function _clearPending(StrategyData storage data) internal {
        data.proposedManager = address(0);
        data.proposedFeeRecipient = address(0);
        data.managerChangeEffectiveTime = 0;
        data.proposedHooksRoot = bytes32(0);
        data.hooksRootEffectiveTime = 0;
        data.proposedMinUpdateInterval = 0;
        data.minUpdateIntervalEffectiveTime = 0;
    }
}
