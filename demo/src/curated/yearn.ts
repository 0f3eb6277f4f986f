/** The demo's vault of Yearn V3 shape: two strategies that take debt and report, and one role manager who gives out the roles. */
import type { Address } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import { type DemoChain, deploy, type Transaction } from "../chain.ts";
import { CURATED, type DeployedVault } from "../deployment.ts";
import {
  ALL_YEARN_ROLES,
  callYearn,
  createYearnVault,
  deployYearnFactory,
  deployYearnStrategy,
} from "../families/yearn-v3.ts";
import { depositAssets } from "../operate.ts";
import type { Grounds } from "./grounds.ts";

export interface DemoYearnVault extends DeployedVault {
  readonly factory: Address;
  /** The strategy that most lies in, and the other. */
  readonly main: Address;
  readonly side: Address;
}

const MANAGER = addressOf("primaryManager");
const SECOND = addressOf("secondaryManager");
const KEEPER = addressOf("redeemKeeper");
const DAI = 10n ** 18n;
const REPORTING = 1n << 5n;
const DEBT = 1n << 6n;
/** As much debt as its limit and the idle assets allow. */
export const AS_MUCH_AS_ALLOWED = 10n ** 40n;

export async function raiseYearn(chain: DemoChain, { tokens }: Grounds): Promise<DemoYearnVault> {
  const { name, symbol, asset: assetKey } = CURATED.yearn_v3;
  const asset = tokens[assetKey];
  const factory = await deployYearnFactory(chain);
  const made = await createYearnVault(chain, factory, { asset, name, symbol, roleManager: MANAGER });
  const main = await deployYearnStrategy(chain, asset, "Dai Lender");
  const side = await deployYearnStrategy(chain, asset, "Dai Farmer");
  const { vault, blockNumber } = made;
  const raised: DemoYearnVault = { vault, asset, assetKey, blockNumber, factory, main, side };
  const call = (from: Address, functionName: string, ...args: readonly unknown[]) =>
    callYearn(chain, made, from, functionName, ...args);
  await call(MANAGER, "set_role", SECOND, ALL_YEARN_ROLES);
  await call(MANAGER, "set_role", KEEPER, REPORTING | DEBT);
  for (const [strategy, limit] of [
    [main, 12_000_000n],
    [side, 700_000n],
  ] as const) {
    await call(SECOND, "add_strategy", strategy);
    await call(SECOND, "update_max_debt_for_strategy", strategy, limit * DAI);
  }
  await call(SECOND, "set_default_queue", [main, side]);
  await call(SECOND, "set_use_default_queue", true);
  await call(SECOND, "set_accountant", await deploy(chain, "YearnAccountant", [1_000n]));
  await call(SECOND, "set_deposit_limit", 20_000_000n * DAI);
  await depositAssets(chain, raised, depositors()[3] as Address, 2_000_000n * DAI);
  await call(KEEPER, "update_debt", side, 400_000n * DAI);
  await call(KEEPER, "update_debt", main, 1_400_000n * DAI);
  return raised;
}

export function updateDebt({ vault }: DemoYearnVault, strategy: Address, target: bigint): Transaction {
  const args = [strategy, target];
  return { contract: "YearnVault", address: vault, functionName: "update_debt", args, from: KEEPER };
}

export function report({ vault }: DemoYearnVault, strategy: Address): Transaction {
  return {
    contract: "YearnVault",
    address: vault,
    functionName: "process_report",
    args: [strategy],
    from: KEEPER,
  };
}

export function limitDebt({ vault }: DemoYearnVault, strategy: Address, limit: bigint): Transaction {
  const call = { contract: "YearnVault", address: vault, functionName: "update_max_debt_for_strategy" };
  return { ...call, args: [strategy, limit], from: SECOND };
}
