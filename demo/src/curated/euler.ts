/** The demo's vault of Euler Earn shape: two strategies that lend, an owner, a curator and a guardian of a key each. */
import type { Address } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import { type DemoChain, execute } from "../chain.ts";
import { CURATED, type DeployedVault } from "../deployment.ts";
import { createEulerEarn, createStrategy, deployEuler } from "../families/euler-earn.ts";
import { depositAssets } from "../operate.ts";
import type { Grounds } from "./grounds.ts";

export interface DemoEulerVault extends DeployedVault {
  readonly factory: Address;
  /** The strategy that most lies in, and the other. */
  readonly main: Address;
  readonly side: Address;
}

const OWNER = addressOf("primaryManager");
const CURATOR = addressOf("secondaryManager");
const ALLOCATOR = addressOf("redeemKeeper");
const BORROWER = addressOf("treasury");
const WETH = 10n ** 18n;
const DAY_SECONDS = 86_400n;

export async function raiseEuler(chain: DemoChain, { tokens }: Grounds): Promise<DemoEulerVault> {
  const asset = tokens.weth;
  const { name, symbol } = CURATED.euler_earn;
  const system = await deployEuler(chain);
  const main = await createStrategy(chain, system, { asset, name: "Staked Ether Loans", symbol: "lnSTETH" });
  const side = await createStrategy(chain, system, { asset, name: "Ether Desk Loans", symbol: "lnDESK" });
  const vault = await createEulerEarn(chain, system, { asset, name, symbol, owner: OWNER });
  const blockNumber = await chain.client.getBlockNumber();
  const made = { vault, asset, assetKey: CURATED.euler_earn.asset, blockNumber };
  const call = (functionName: string, args: readonly unknown[], from = OWNER) =>
    execute(chain, { contract: "EulerEarn", address: vault, functionName, args, from });
  await call("setCurator", [CURATOR]);
  await call("setIsAllocator", [ALLOCATOR, true]);
  await call("submitGuardian", [addressOf("otherManager")]);
  for (const [strategy, cap] of [
    [main, 6_000n],
    [side, 800n],
  ] as const) {
    await call("submitCap", [strategy, cap * WETH], CURATOR);
    await call("acceptCap", [strategy]);
  }
  await call("setSupplyQueue", [[main]], ALLOCATOR);
  await call("submitTimelock", [DAY_SECONDS]);
  await depositAssets(chain, made, depositors()[2] as Address, 1_000n * WETH);
  const raised: DemoEulerVault = { ...made, factory: system.factory, main, side };
  await execute(chain, moveBetween(raised, "main", 700n * WETH));
  await execute(chain, {
    contract: "LendingStrategy",
    address: main,
    functionName: "lend",
    args: [350n * WETH, BORROWER],
    from: BORROWER,
  });
  return raised;
}

/** One strategy is brought down to so much, and what it gives goes to the other. */
export function moveBetween({ vault, main, side }: DemoEulerVault, giver: "main" | "side", left: bigint) {
  const [from, to] = giver === "main" ? [main, side] : [side, main];
  const lines = [
    { id: from, assets: left },
    { id: to, assets: 2n ** 256n - 1n },
  ];
  return {
    contract: "EulerEarn",
    address: vault,
    functionName: "reallocate",
    args: [lines],
    from: ALLOCATOR,
  };
}

/** The curator's proposal of another cap for the second strategy, and what becomes of it. */
export function capOfStrategy({ vault, side }: DemoEulerVault, cap: bigint) {
  const call = { contract: "EulerEarn", address: vault, from: CURATOR };
  return {
    submit: { ...call, functionName: "submitCap", args: [side, cap] },
    accept: { ...call, functionName: "acceptCap", args: [side] },
    revoke: { ...call, functionName: "revokePendingCap", args: [side], from: addressOf("otherManager") },
  };
}
