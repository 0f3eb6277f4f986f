// What a Yearn V3 vault and its strategies answer.
import { type Address, zeroAddress } from "viem";
import { lesser } from "../../src/chain/families/family/amounts.ts";
import { type AllocationWords, type At, holdersOf, type Role, type Words } from "./shape.ts";
import { PEOPLE } from "./steps.ts";

const MAX = 2n ** 256n - 1n;
/** From the lowest bit on, as the contract has them. */
const BITS = [
  "add_strategy_manager",
  "revoke_strategy_manager",
  "force_revoke_manager",
  "accountant_manager",
  "queue_manager",
  "reporting_manager",
  "debt_manager",
  "max_debt_manager",
  "deposit_limit_manager",
  "withdraw_limit_manager",
  "minimum_idle_manager",
  "profit_unlock_manager",
  "debt_purchaser",
  "emergency_manager",
];

export async function yearnWords(at: At): Promise<Words> {
  const { world, ask } = at;
  const manager = await ask<Address>("role_manager");
  const roles: Role[] = [{ role: "role_manager", account: manager }];
  const held = [...PEOPLE, world.safe, world.timelock].map(async (account) => {
    const mask = await ask<bigint>("roles", [account]);
    return BITS.flatMap((role, bit) => ((mask >> BigInt(bit)) & 1n ? [{ role, account }] : []));
  });
  roles.push(...(await Promise.all(held)).flat());
  const [idle, module, next] = await Promise.all([
    ask<bigint>("totalIdle"),
    ask<Address>("withdraw_limit_module"),
    ask<Address>("future_role_manager"),
  ]);
  const positions = await positionsOf(at);
  const atOnce = positions.reduce((sum, { withdrawable }) => sum + withdrawable, idle);
  return {
    contract_roles: roles,
    primary: [manager],
    secondary: [...new Set(holdersOf(roles, ...BITS))],
    allocations: positions.map(({ allocation }) => allocation),
    liquidity: {
      idle_assets: idle,
      withdrawable_assets: module === zeroAddress ? atOnce : null,
      isImmediate: true,
    },
    free_assets: idle,
    lost_assets: positions.reduce((sum, { lost }) => sum + lost, 0n),
    fees: null,
    pending:
      next === zeroAddress
        ? []
        : [
            {
              kind: "primary_manager",
              function: null,
              target: null,
              calldata: null,
              proposed: next,
              executable_at: null,
              earliest_effect_at: null,
              status: "pending",
              revocable_by: [],
            },
          ],
    more: { nav: null, hwm_pps: null, implementation: null },
  };
}

async function positionsOf({ world, vault, ask, on }: At) {
  const queue = await ask<readonly Address[]>("get_default_queue");
  const each = world.yearnStrategies.map(async (strategy) => {
    const [activation, , debt, cap] = await ask<readonly [bigint, bigint, bigint, bigint]>("strategies", [
      strategy,
    ]);
    if (activation === 0n) return [];
    const view = <T>(name: string, ...args: unknown[]) => on<T>("YearnStrategy", strategy, name, args);
    const worth = await view<bigint>("convertToAssets", await view<bigint>("balanceOf", vault));
    const most = await view<bigint>("convertToAssets", await view<bigint>("maxRedeem", vault));
    const allocation: AllocationWords = {
      id: strategy,
      kind: "strategy",
      address: strategy,
      label: await view<string>("name"),
      assets: worth,
      absolute_cap: cap === MAX ? null : cap,
      is_absolute_capped: cap !== MAX,
      relative_cap: null,
      is_relative_capped: false,
    };
    const withdrawable = queue.includes(strategy) ? least(debt, worth, most) : 0n;
    return [{ allocation, withdrawable, lost: worth < debt ? debt - worth : 0n }];
  });
  return (await Promise.all(each)).flat();
}

function least(...values: readonly bigint[]): bigint {
  return values.reduce(lesser);
}
