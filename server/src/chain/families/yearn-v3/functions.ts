// The functions of a Yearn V3 vault, so that a call to one of them is told by name and arguments. Those with a further argument that may be left
// out are two functions on chain.
import { callTable } from "../family/call.ts";

export const FUNCTIONS = callTable([
  // role manager
  "set_role(address account, uint256 role)",
  "add_role(address account, uint256 role)",
  "remove_role(address account, uint256 role)",
  "transfer_role_manager(address role_manager)",
  "accept_role_manager()",
  "setName(string name)",
  "setSymbol(string symbol)",
  // parameters
  "set_accountant(address new_accountant)",
  "set_default_queue(address[] new_default_queue)",
  "set_use_default_queue(bool use_default_queue)",
  "set_auto_allocate(bool auto_allocate)",
  "set_deposit_limit(uint256 deposit_limit)",
  "set_deposit_limit(uint256 deposit_limit, bool overrides)",
  "set_deposit_limit_module(address deposit_limit_module)",
  "set_deposit_limit_module(address deposit_limit_module, bool overrides)",
  "set_withdraw_limit_module(address withdraw_limit_module)",
  "set_minimum_total_idle(uint256 minimum_total_idle)",
  "setProfitMaxUnlockTime(uint256 new_profit_max_unlock_time)",
  // strategies and their debt
  "add_strategy(address new_strategy)",
  "add_strategy(address new_strategy, bool add_to_queue)",
  "revoke_strategy(address strategy)",
  "force_revoke_strategy(address strategy)",
  "update_max_debt_for_strategy(address strategy, uint256 new_max_debt)",
  "update_debt(address strategy, uint256 target_debt)",
  "update_debt(address strategy, uint256 target_debt, uint256 max_loss)",
  "process_report(address strategy)",
  "buy_debt(address strategy, uint256 amount)",
  "shutdown_vault()",
]);
