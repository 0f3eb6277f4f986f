// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import { Erc4626Events } from "../events/Erc4626Events.sol";
import { Erc20 } from "../Tokens.sol";
import { YearnEvents } from "./YearnEvents.sol";

/// @notice Who may do what with a Yearn-shaped vault, and its settings.
abstract contract YearnGovernance is Erc20, Erc4626Events, YearnEvents {
    error NotAllowed();
    error Inactive();
    error InUse();
    error IsShutdown();

    struct StrategyParams {
        uint256 activation;
        uint256 last_report;
        uint256 current_debt;
        uint256 max_debt;
    }

    uint256 internal constant ADD_STRATEGY_MANAGER = 1 << 0;
    uint256 internal constant REVOKE_STRATEGY_MANAGER = 1 << 1;
    uint256 internal constant FORCE_REVOKE_MANAGER = 1 << 2;
    uint256 internal constant ACCOUNTANT_MANAGER = 1 << 3;
    uint256 internal constant QUEUE_MANAGER = 1 << 4;
    uint256 internal constant REPORTING_MANAGER = 1 << 5;
    uint256 internal constant DEBT_MANAGER = 1 << 6;
    uint256 internal constant MAX_DEBT_MANAGER = 1 << 7;
    uint256 internal constant DEPOSIT_LIMIT_MANAGER = 1 << 8;
    uint256 internal constant WITHDRAW_LIMIT_MANAGER = 1 << 9;
    uint256 internal constant MINIMUM_IDLE_MANAGER = 1 << 10;
    uint256 internal constant PROFIT_UNLOCK_MANAGER = 1 << 11;
    uint256 internal constant DEBT_PURCHASER = 1 << 12;
    uint256 internal constant EMERGENCY_MANAGER = 1 << 13;

    string public name;
    string public symbol;
    uint8 public decimals;
    address public asset;
    address public FACTORY;
    address public role_manager;
    address public future_role_manager;
    mapping(address account => uint256) public roles;
    mapping(address strategy => StrategyParams) public strategies;
    address[] internal _queue;
    bool public use_default_queue;
    bool public auto_allocate;
    uint256 public totalIdle;
    uint256 public totalDebt;
    uint256 public minimum_total_idle;
    uint256 public deposit_limit;
    address public accountant;
    address public deposit_limit_module;
    address public withdraw_limit_module;
    uint256 public profitMaxUnlockTime;
    bool public isShutdown;

    modifier onlyRole(uint256 role) {
        _requireRole(role);
        _;
    }

    modifier onlyRoleManager() {
        if (msg.sender != role_manager) revert NotAllowed();
        _;
    }

    function _requireRole(uint256 role) private view {
        if (roles[msg.sender] & role == 0) revert NotAllowed();
    }

    // Role manager --------------------------------------------------------------------------------------------------

    function set_role(address account, uint256 role) external onlyRoleManager {
        _setRole(account, role);
    }

    function add_role(address account, uint256 role) external onlyRoleManager {
        _setRole(account, roles[account] | role);
    }

    function remove_role(address account, uint256 role) external onlyRoleManager {
        _setRole(account, roles[account] & ~role);
    }

    function transfer_role_manager(address account) external onlyRoleManager {
        future_role_manager = account;
        emit UpdateFutureRoleManager(account);
    }

    function accept_role_manager() external {
        if (msg.sender != future_role_manager) revert NotAllowed();
        role_manager = msg.sender;
        future_role_manager = address(0);
        emit UpdateRoleManager(msg.sender);
    }

    /// @dev Names change without an event.
    function setName(string calldata newName) external onlyRoleManager {
        name = newName;
    }

    function setSymbol(string calldata newSymbol) external onlyRoleManager {
        symbol = newSymbol;
    }

    function _setRole(address account, uint256 role) internal {
        roles[account] = role;
        emit RoleSet(account, role);
    }

    // Settings ------------------------------------------------------------------------------------------------------

    function set_accountant(address account) external onlyRole(ACCOUNTANT_MANAGER) {
        accountant = account;
        emit UpdateAccountant(account);
    }

    function set_default_queue(address[] calldata queue) external onlyRole(QUEUE_MANAGER) {
        for (uint256 i; i < queue.length; ++i) {
            if (strategies[queue[i]].activation == 0) revert Inactive();
        }
        _queue = queue;
        emit UpdateDefaultQueue(queue);
    }

    function get_default_queue() external view returns (address[] memory) {
        return _queue;
    }

    function set_use_default_queue(bool isUsed) external onlyRole(QUEUE_MANAGER) {
        use_default_queue = isUsed;
        emit UpdateUseDefaultQueue(isUsed);
    }

    function set_auto_allocate(bool isOn) external onlyRole(DEBT_MANAGER) {
        auto_allocate = isOn;
        emit UpdateAutoAllocate(isOn);
    }

    function set_deposit_limit(uint256 limit) external {
        set_deposit_limit(limit, false);
    }

    function set_deposit_limit(uint256 limit, bool overrides) public onlyRole(DEPOSIT_LIMIT_MANAGER) {
        if (isShutdown) revert IsShutdown();
        if (deposit_limit_module != address(0)) {
            if (!overrides) revert InUse();
            _setDepositModule(address(0));
        }
        _setDepositLimit(limit);
    }

    function set_deposit_limit_module(address module) external {
        set_deposit_limit_module(module, false);
    }

    function set_deposit_limit_module(address module, bool overrides) public onlyRole(DEPOSIT_LIMIT_MANAGER) {
        if (isShutdown) revert IsShutdown();
        if (deposit_limit != type(uint256).max) {
            if (!overrides) revert InUse();
            _setDepositLimit(type(uint256).max);
        }
        _setDepositModule(module);
    }

    function set_withdraw_limit_module(address module) external onlyRole(WITHDRAW_LIMIT_MANAGER) {
        withdraw_limit_module = module;
        emit UpdateWithdrawLimitModule(module);
    }

    function set_minimum_total_idle(uint256 idle) external onlyRole(MINIMUM_IDLE_MANAGER) {
        minimum_total_idle = idle;
        emit UpdateMinimumTotalIdle(idle);
    }

    function setProfitMaxUnlockTime(uint256 time) external onlyRole(PROFIT_UNLOCK_MANAGER) {
        profitMaxUnlockTime = time;
        emit UpdateProfitMaxUnlockTime(time);
    }

    /// @notice For good; whoever does it may move debt from then on.
    function shutdown_vault() external onlyRole(EMERGENCY_MANAGER) {
        if (isShutdown) revert IsShutdown();
        isShutdown = true;
        if (deposit_limit_module != address(0)) _setDepositModule(address(0));
        _setDepositLimit(0);
        _setRole(msg.sender, roles[msg.sender] | DEBT_MANAGER);
        emit Shutdown();
    }

    function _setDepositLimit(uint256 limit) private {
        deposit_limit = limit;
        emit UpdateDepositLimit(limit);
    }

    function _setDepositModule(address module) private {
        deposit_limit_module = module;
        emit UpdateDepositLimitModule(module);
    }
}
