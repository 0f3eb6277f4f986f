// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice Shapes that older aggregators emitted; same names, other arguments.
interface LegacyAggregatorEvents {
    event PPSUpdated(address indexed strategy, uint256 pps, uint256 ppsStdev, uint256 validatorSet, uint256 totalValidators, uint256 timestamp);
    event UpkeepDeposited(address indexed manager, uint256 amount);
    event UpkeepWithdrawn(address indexed manager, uint256 amount);
    event UpkeepSpent(address indexed manager, uint256 amount);
    event PrimaryManagerChanged(address indexed strategy, address indexed oldManager, address indexed newManager);
    event PrimaryManagerChangeProposed(address indexed strategy, address indexed proposer, address indexed newManager, uint256 effectiveTime);
    event StrategyHooksRootVetoed(address indexed guardian, address indexed strategy, bytes32 indexed root);
    event GlobalHooksRootVetoed(address indexed guardian, bytes32 indexed root);
    event PPSVerificationThresholdsUpdated(address indexed strategy, uint256 dispersionThreshold, uint256 deviationThreshold, uint256 mnThreshold);
    event UpkeepCostUpdated(uint256 oldCost, uint256 newCost);
    event AuthorizedCallerAdded(address indexed strategy, address indexed caller);
    event AuthorizedCallerRemoved(address indexed strategy, address indexed caller);
    event PrimaryManagerChangedToSuperform(address indexed strategy, address indexed oldManager, address indexed newManager);
    event StakeDeposited(address indexed manager, uint256 amount);
    event StakeWithdrawn(address indexed manager, uint256 amount);
    event StakeSlashed(address indexed manager, uint256 amount);
    event SuperformManager(address indexed strategy, address indexed manager);
    event AuthorizedCaller(address indexed strategy, address indexed caller);
}
