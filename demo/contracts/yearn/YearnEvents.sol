// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// @notice What a Yearn V3 vault says, by its published signatures. There enumerations are flags, and words in topics and data.
abstract contract YearnEvents {
    event StrategyChanged(address indexed strategy, uint256 indexed change_type);
    event StrategyReported(
        address indexed strategy,
        uint256 gain,
        uint256 loss,
        uint256 current_debt,
        uint256 protocol_fees,
        uint256 total_fees,
        uint256 total_refunds
    );
    event DebtUpdated(address indexed strategy, uint256 current_debt, uint256 new_debt);
    event RoleSet(address indexed account, uint256 indexed role);
    event UpdateFutureRoleManager(address indexed future_role_manager);
    event UpdateRoleManager(address indexed role_manager);
    event UpdateAccountant(address indexed accountant);
    event UpdateDepositLimitModule(address indexed deposit_limit_module);
    event UpdateWithdrawLimitModule(address indexed withdraw_limit_module);
    event UpdateDefaultQueue(address[] new_default_queue);
    event UpdateUseDefaultQueue(bool use_default_queue);
    event UpdateAutoAllocate(bool auto_allocate);
    event UpdatedMaxDebtForStrategy(address indexed sender, address indexed strategy, uint256 new_debt);
    event UpdateDepositLimit(uint256 deposit_limit);
    event UpdateMinimumTotalIdle(uint256 minimum_total_idle);
    event UpdateProfitMaxUnlockTime(uint256 profit_max_unlock_time);
    event DebtPurchased(address indexed strategy, uint256 amount);
    event Shutdown();
}
