// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { AggregatorCore } from "./AggregatorCore.sol";
import { IErc20 } from "./Tokens.sol";
import { IStrategy } from "./Interfaces.sol";

/// @notice Managers, their hook roots and price settings, and the upkeep they pay.
abstract contract AggregatorManagers is AggregatorCore {
    uint256 private constant MANAGER_CHANGE_TIMELOCK = 7 days;
    uint256 private constant PARAMETER_CHANGE_TIMELOCK = 3 days;
    uint256 private constant UPKEEP_WITHDRAWAL_TIMELOCK = 24 hours;

    error NO_PENDING_MANAGER_CHANGE();
    error SECONDARY_MANAGER_CANNOT_BE_PRIMARY();
    error NO_PENDING_GLOBAL_ROOT_CHANGE();
    error NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE();
    error MIN_UPDATE_INTERVAL_TOO_HIGH();
    error ROOT_UPDATE_NOT_READY();
    error UPKEEP_WITHDRAWAL_NOT_FOUND();
    error UPKEEP_WITHDRAWAL_NOT_READY();
    error INSUFFICIENT_UPKEEP();
    error MISMATCHED_ARRAY_LENGTHS();

    // Managers ------------------------------------------------------------------------------------------------------

    function addSecondaryManager(address strategy, address manager) external onlyMainManager(strategy) {
        StrategyData storage data = _data[strategy];
        if (manager == address(0)) revert ZERO_ADDRESS();
        if (manager == data.mainManager) revert SECONDARY_MANAGER_CANNOT_BE_PRIMARY();
        if (isSecondaryManager(manager, strategy)) revert MANAGER_ALREADY_EXISTS();
        if (data.secondaryManagers.length >= MAX_SECONDARY_MANAGERS) revert TOO_MANY_SECONDARY_MANAGERS();
        data.secondaryManagers.push(manager);
        emit SecondaryManagerAdded(strategy, manager);
    }

    function removeSecondaryManager(address strategy, address manager) external onlyMainManager(strategy) {
        if (!isSecondaryManager(manager, strategy)) revert MANAGER_NOT_FOUND();
        address[] storage list = _data[strategy].secondaryManagers;
        uint256 last = list.length - 1;
        for (uint256 i; i < last; ++i) if (list[i] == manager) list[i] = list[last];
        list.pop();
        emit SecondaryManagerRemoved(strategy, manager);
    }

    /// @notice Governance's immediate takeover: every secondary manager goes, each with its event.
    function changePrimaryManager(
        address strategy,
        address newManager,
        address feeRecipient
    )
        external
        onlyGovernor
        validStrategy(strategy)
    {
        StrategyData storage data = _data[strategy];
        if (newManager == data.mainManager) revert MANAGER_ALREADY_EXISTS();
        for (uint256 i; i < data.secondaryManagers.length; ++i) {
            emit SecondaryManagerRemoved(strategy, data.secondaryManagers[i]);
        }
        _setMainManager(strategy, data, newManager, feeRecipient);
    }

    function proposeChangePrimaryManager(
        address strategy,
        address newManager,
        address feeRecipient
    )
        external
        validStrategy(strategy)
    {
        StrategyData storage data = _data[strategy];
        if (!isSecondaryManager(msg.sender, strategy)) revert UNAUTHORIZED_UPDATE_AUTHORITY();
        if (newManager == address(0) || feeRecipient == address(0)) revert ZERO_ADDRESS();
        if (newManager == data.mainManager) revert MANAGER_ALREADY_EXISTS();
        data.proposedManager = newManager;
        data.proposedFeeRecipient = feeRecipient;
        data.managerChangeEffectiveTime = block.timestamp + MANAGER_CHANGE_TIMELOCK;
        emit PrimaryManagerChangeProposed(
            strategy, msg.sender, newManager, feeRecipient, data.managerChangeEffectiveTime
        );
    }

    function cancelChangePrimaryManager(address strategy) external onlyMainManager(strategy) {
        StrategyData storage data = _data[strategy];
        address cancelled = data.proposedManager;
        if (cancelled == address(0)) revert NO_PENDING_MANAGER_CHANGE();
        data.proposedManager = address(0);
        data.proposedFeeRecipient = address(0);
        data.managerChangeEffectiveTime = 0;
        emit PrimaryManagerChangeCancelled(strategy, cancelled);
    }

    /// @dev As deployed: the secondary managers go here too, but without an event of their own.
    function executeChangePrimaryManager(address strategy) external validStrategy(strategy) {
        StrategyData storage data = _data[strategy];
        if (data.proposedManager == address(0)) revert NO_PENDING_MANAGER_CHANGE();
        if (block.timestamp < data.managerChangeEffectiveTime) revert TIMELOCK_NOT_EXPIRED();
        _setMainManager(strategy, data, data.proposedManager, data.proposedFeeRecipient);
    }

    function resetHighWaterMark(address strategy) external onlyGovernor validStrategy(strategy) {
        uint256 pps = _data[strategy].pps;
        IStrategy(strategy).resetHighWaterMark(pps);
        emit HighWaterMarkReset(strategy, pps);
    }

    function _setMainManager(
        address strategy,
        StrategyData storage data,
        address newManager,
        address feeRecipient
    )
        private
    {
        if (newManager == address(0) || feeRecipient == address(0)) revert ZERO_ADDRESS();
        address oldManager = data.mainManager;
        delete data.secondaryManagers;
        _clearPending(data);
        if (pendingUpkeepWithdrawals[strategy].effectiveTime != 0) {
            delete pendingUpkeepWithdrawals[strategy];
            emit UpkeepWithdrawalCancelled(strategy);
        }
        data.mainManager = newManager;
        IStrategy(strategy).changeFeeRecipient(feeRecipient);
        emit PrimaryManagerChanged(strategy, oldManager, newManager, feeRecipient);
    }

    // Price settings ------------------------------------------------------------------------------------------------

    function updateDeviationThreshold(address strategy, uint256 threshold) external onlyMainManager(strategy) {
        _data[strategy].deviationThreshold = threshold;
        emit DeviationThresholdUpdated(strategy, threshold);
    }

    function proposeMinUpdateIntervalChange(address strategy, uint256 interval) external onlyMainManager(strategy) {
        StrategyData storage data = _data[strategy];
        if (interval >= data.maxStaleness) revert MIN_UPDATE_INTERVAL_TOO_HIGH();
        data.proposedMinUpdateInterval = interval;
        data.minUpdateIntervalEffectiveTime = block.timestamp + PARAMETER_CHANGE_TIMELOCK;
        emit MinUpdateIntervalChangeProposed(strategy, msg.sender, interval, data.minUpdateIntervalEffectiveTime);
    }

    function executeMinUpdateIntervalChange(address strategy) external validStrategy(strategy) {
        StrategyData storage data = _data[strategy];
        if (data.minUpdateIntervalEffectiveTime == 0) revert NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE();
        if (block.timestamp < data.minUpdateIntervalEffectiveTime) revert TIMELOCK_NOT_EXPIRED();
        uint256 proposed = data.proposedMinUpdateInterval;
        data.proposedMinUpdateInterval = 0;
        data.minUpdateIntervalEffectiveTime = 0;
        if (proposed >= data.maxStaleness) {
            emit MinUpdateIntervalChangeRejected(strategy, proposed, data.maxStaleness);
            return;
        }
        emit MinUpdateIntervalChanged(strategy, data.minUpdateInterval, proposed);
        data.minUpdateInterval = proposed;
    }

    function cancelMinUpdateIntervalChange(address strategy) external onlyMainManager(strategy) {
        StrategyData storage data = _data[strategy];
        if (data.minUpdateIntervalEffectiveTime == 0) revert NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE();
        emit MinUpdateIntervalChangeCancelled(strategy, data.proposedMinUpdateInterval);
        data.proposedMinUpdateInterval = 0;
        data.minUpdateIntervalEffectiveTime = 0;
    }

    // Hook roots ----------------------------------------------------------------------------------------------------

    function proposeStrategyHooksRoot(address strategy, bytes32 newRoot) external onlyMainManager(strategy) {
        StrategyData storage data = _data[strategy];
        data.proposedHooksRoot = newRoot;
        data.hooksRootEffectiveTime = block.timestamp + getHooksRootUpdateTimelock;
        emit StrategyHooksRootUpdateProposed(strategy, msg.sender, newRoot, data.hooksRootEffectiveTime);
    }

    function executeStrategyHooksRootUpdate(address strategy) external validStrategy(strategy) {
        StrategyData storage data = _data[strategy];
        if (data.hooksRootEffectiveTime == 0 || block.timestamp < data.hooksRootEffectiveTime) {
            revert ROOT_UPDATE_NOT_READY();
        }
        emit StrategyHooksRootUpdated(strategy, data.hooksRoot, data.proposedHooksRoot);
        data.hooksRoot = data.proposedHooksRoot;
        data.proposedHooksRoot = bytes32(0);
        data.hooksRootEffectiveTime = 0;
    }

    function setStrategyHooksRootVetoStatus(address strategy, bool vetoed) external onlyGovernor validStrategy(strategy) {
        _data[strategy].hooksRootVetoed = vetoed;
        emit StrategyHooksRootVetoStatusChanged(strategy, vetoed, _data[strategy].hooksRoot);
    }

    function proposeGlobalHooksRoot(bytes32 newRoot) external onlyGovernor {
        _proposedGlobalRoot = newRoot;
        _globalRootEffectiveTime = block.timestamp + getHooksRootUpdateTimelock;
        emit GlobalHooksRootUpdateProposed(newRoot, _globalRootEffectiveTime);
    }

    function executeGlobalHooksRootUpdate() external {
        if (_globalRootEffectiveTime == 0) revert NO_PENDING_GLOBAL_ROOT_CHANGE();
        if (block.timestamp < _globalRootEffectiveTime) revert ROOT_UPDATE_NOT_READY();
        emit GlobalHooksRootUpdated(getGlobalHooksRoot, _proposedGlobalRoot);
        getGlobalHooksRoot = _proposedGlobalRoot;
        _globalRootEffectiveTime = 0;
    }

    function setGlobalHooksRootVetoStatus(bool vetoed) external onlyGovernor {
        isGlobalHooksRootVetoed = vetoed;
        emit GlobalHooksRootVetoStatusChanged(vetoed, getGlobalHooksRoot);
    }

    function setHooksRootUpdateTimelock(uint256 newTimelock) external onlyGovernor {
        getHooksRootUpdateTimelock = newTimelock;
        emit HooksRootUpdateTimelockChanged(newTimelock);
    }

    function changeGlobalLeavesStatus(
        bytes32[] calldata leaves,
        bool[] calldata statuses,
        address strategy
    )
        external
        onlyMainManager(strategy)
    {
        if (leaves.length != statuses.length) revert MISMATCHED_ARRAY_LENGTHS();
        emit GlobalLeavesStatusChanged(strategy, leaves, statuses);
    }

    // Upkeep --------------------------------------------------------------------------------------------------------

    function depositUpkeep(address strategy, uint256 amount) external validStrategy(strategy) {
        if (amount == 0) revert ZERO_AMOUNT();
        _upkeepToken().transferFrom(msg.sender, address(this), amount);
        _data[strategy].upkeepBalance += amount;
        emit UpkeepDeposited(strategy, msg.sender, amount);
    }

    function proposeWithdrawUpkeep(address strategy) external onlyMainManager(strategy) {
        uint256 balance = _data[strategy].upkeepBalance;
        if (balance == 0) revert ZERO_AMOUNT();
        uint256 effectiveTime = block.timestamp + UPKEEP_WITHDRAWAL_TIMELOCK;
        pendingUpkeepWithdrawals[strategy] = UpkeepWithdrawalRequest(balance, effectiveTime);
        emit UpkeepWithdrawalProposed(strategy, msg.sender, balance, effectiveTime);
    }

    /// @dev Anyone may execute; the tokens go to the main manager.
    function executeWithdrawUpkeep(address strategy) external validStrategy(strategy) {
        UpkeepWithdrawalRequest memory request = pendingUpkeepWithdrawals[strategy];
        if (request.effectiveTime == 0) revert UPKEEP_WITHDRAWAL_NOT_FOUND();
        if (block.timestamp < request.effectiveTime) revert UPKEEP_WITHDRAWAL_NOT_READY();
        delete pendingUpkeepWithdrawals[strategy];
        StrategyData storage data = _data[strategy];
        uint256 amount = data.upkeepBalance < request.amount ? data.upkeepBalance : request.amount;
        data.upkeepBalance -= amount;
        _upkeepToken().transfer(data.mainManager, amount);
        emit UpkeepWithdrawn(strategy, data.mainManager, amount);
    }

    function claimUpkeep(uint256 amount) external onlyGovernor {
        if (claimableUpkeep < amount) revert INSUFFICIENT_UPKEEP();
        claimableUpkeep -= amount;
        address bank = SUPER_GOVERNOR.getAddress(SUPER_GOVERNOR.SUPER_BANK());
        _upkeepToken().transfer(bank, amount);
        emit UpkeepClaimed(bank, amount);
    }

    function _upkeepToken() private view returns (IErc20) {
        return IErc20(SUPER_GOVERNOR.getAddress(SUPER_GOVERNOR.UPKEEP_TOKEN()));
    }
}
