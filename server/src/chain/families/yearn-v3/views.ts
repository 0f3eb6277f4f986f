// Views of a Yearn V3 vault and of its strategies.
import type { Address } from "viem";
import { type View, view } from "../family/view.ts";

interface StrategyParams {
  activation: bigint;
  currentDebt: bigint;
  maxDebt: bigint;
}

const strategies = view<readonly [bigint, bigint, bigint, bigint]>(
  "strategies(address) view returns (uint256, uint256, uint256, uint256)",
);

export const YEARN_VIEWS = {
  roleManager: view<Address>("role_manager() view returns (address)"),
  futureRoleManager: view<Address>("future_role_manager() view returns (address)"),
  roles: view<bigint>("roles(address) view returns (uint256)"),
  totalIdle: view<bigint>("totalIdle() view returns (uint256)"),
  depositLimit: view<bigint>("deposit_limit() view returns (uint256)"),
  withdrawLimitModule: view<Address>("withdraw_limit_module() view returns (address)"),
  defaultQueue: view<readonly Address[]>("get_default_queue() view returns (address[])"),
  strategies: {
    ...strategies,
    decode(result) {
      const params = strategies.decode(result);
      if (params === null) return null;
      const [activation, , currentDebt, maxDebt] = params;
      return { activation, currentDebt, maxDebt };
    },
  } satisfies View<StrategyParams>,
};

export const STRATEGY_VIEWS = {
  maxRedeem: view<bigint>("maxRedeem(address) view returns (uint256)"),
};
