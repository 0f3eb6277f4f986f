// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What the aggregator emits: vaults made, prices, pauses, upkeep, managers, hook roots.
interface AggregatorEvents {
    event VaultDeployed(address indexed vault, address indexed strategy, address escrow, address asset, string name, string symbol, uint256 indexed nonce);
    event PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp);
    event PPSUpdatedAfterSkim(address indexed strategy, uint256 oldPPS, uint256 newPPS, uint256 feeAmount, uint256 timestamp);
    event StrategyPaused(address indexed strategy);
    event StrategyUnpaused(address indexed strategy);
    event StrategyCheckFailed(address indexed strategy, string reason);
    event StrategyPPSStale(address indexed strategy);
    event StrategyPPSStaleReset(address indexed strategy);
    event StaleUpdate(address indexed strategy, address indexed updateAuthority, uint256 timestamp);
    event UpdateTooFrequent();
    event TimestampNotMonotonic();
    event StaleSignatureAfterUnpause(address indexed strategy, uint256 signatureTimestamp, uint256 lastUnpauseTimestamp);
    event ProvidedTimestampExceedsBlockTimestamp(address indexed strategy, uint256 argsTimestamp, uint256 blockTimestamp);
    event UnknownStrategy(address indexed strategy);
    event PPSUpdateRejectedStrategyPaused(address indexed strategy);
    event UpkeepDeposited(address indexed strategy, address indexed depositor, uint256 amount);
    event UpkeepWithdrawn(address indexed strategy, address indexed withdrawer, uint256 amount);
    event UpkeepWithdrawalProposed(address indexed strategy, address indexed mainManager, uint256 amount, uint256 effectiveTime);
    event UpkeepWithdrawalCancelled(address indexed strategy);
    event UpkeepSpent(address indexed strategy, uint256 amount, uint256 balance, uint256 claimableUpkeep);
    event UpkeepClaimed(address indexed superBank, uint256 amount);
    event InsufficientUpkeep(address indexed strategy, address indexed strategyAddr, uint256 balance, uint256 cost);
    event SecondaryManagerAdded(address indexed strategy, address indexed manager);
    event SecondaryManagerRemoved(address indexed strategy, address indexed manager);
    event PrimaryManagerChanged(address indexed strategy, address indexed oldManager, address indexed newManager, address feeRecipient);
    event PrimaryManagerChangeProposed(address indexed strategy, address indexed proposer, address indexed newManager, address feeRecipient, uint256 effectiveTime);
    event PrimaryManagerChangeCancelled(address indexed strategy, address indexed cancelledManager);
    event OldPrimaryManagerRemoved(address indexed strategy, address indexed oldManager);
    event HighWaterMarkReset(address indexed strategy, uint256 indexed newHWM);
    event GlobalHooksRootUpdateProposed(bytes32 indexed root, uint256 effectiveTime);
    event GlobalHooksRootUpdated(bytes32 indexed oldRoot, bytes32 newRoot);
    event GlobalHooksRootVetoStatusChanged(bool vetoed, bytes32 indexed root);
    event StrategyHooksRootUpdateProposed(address indexed strategy, address indexed proposer, bytes32 root, uint256 effectiveTime);
    event StrategyHooksRootUpdated(address indexed strategy, bytes32 oldRoot, bytes32 newRoot);
    event StrategyHooksRootVetoStatusChanged(address indexed strategy, bool vetoed, bytes32 indexed root);
    event HooksRootUpdateTimelockChanged(uint256 newTimelock);
    event GlobalLeavesStatusChanged(address indexed strategy, bytes32[] leaves, bool[] statuses);
    event DeviationThresholdUpdated(address indexed strategy, uint256 deviationThreshold);
    event MinUpdateIntervalChangeProposed(address indexed strategy, address indexed proposer, uint256 newMinUpdateInterval, uint256 effectiveTime);
    event MinUpdateIntervalChanged(address indexed strategy, uint256 oldMinUpdateInterval, uint256 newMinUpdateInterval);
    event MinUpdateIntervalChangeRejected(address indexed strategy, uint256 proposedInterval, uint256 currentMaxStaleness);
    event MinUpdateIntervalChangeCancelled(address indexed strategy, uint256 cancelledInterval);
}
