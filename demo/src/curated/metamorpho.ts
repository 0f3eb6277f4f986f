/** The demo's vault of MetaMorpho shape: two lending markets under caps, a guardian, and a timelock that owns it. */
import type { Address } from "viem";
import { addressOf, depositors } from "../accounts.ts";
import { type DemoChain, execute } from "../chain.ts";
import { CURATED, type DeployedVault } from "../deployment.ts";
import { createMarket, createMetaMorpho, deployMorpho, type LendingMarket } from "../families/metamorpho.ts";
import { depositAssets } from "../operate.ts";
import { handOver } from "./council.ts";
import type { Grounds } from "./grounds.ts";

export interface DemoMetaMorpho extends DeployedVault {
  readonly factory: Address;
  readonly markets: Address;
  /** The market that most lies in, and the other. */
  readonly main: LendingMarket;
  readonly side: LendingMarket;
}

const OWNER = addressOf("primaryManager");
const ALLOCATOR = addressOf("redeemKeeper");
const BORROWER = addressOf("treasury");
const DAI = 10n ** 18n;
const WAD = 10n ** 18n;
const DAY_SECONDS = 86_400n;
// 6 % a year, per second and × 10^18: what borrowers pay.
const RATE = 1_902_587_519n;

export async function raiseMetaMorpho(chain: DemoChain, grounds: Grounds): Promise<DemoMetaMorpho> {
  const { tokens } = grounds;
  const asset = tokens.dai;
  const { name, symbol } = CURATED.metamorpho;
  const system = await deployMorpho(chain, RATE);
  const loan = { loanToken: asset, lltv: (WAD * 86n) / 100n };
  const main = await createMarket(chain, system, { ...loan, collateralToken: tokens.weth });
  const side = await createMarket(chain, system, { ...loan, collateralToken: tokens.wbtc });
  const vault = await createMetaMorpho(chain, system, { asset, name, symbol, owner: OWNER });
  const blockNumber = await chain.client.getBlockNumber();
  const made = { vault, asset, assetKey: CURATED.metamorpho.asset, blockNumber };
  const call = (functionName: string, args: readonly unknown[], from = OWNER) =>
    execute(chain, { contract: "MetaMorphoV1_1", address: vault, functionName, args, from });
  await call("setCurator", [OWNER]);
  await call("setIsAllocator", [ALLOCATOR, true]);
  await call("submitGuardian", [addressOf("secondaryManager")]);
  await call("setFeeRecipient", [addressOf("feeRecipient")]);
  await call("setFee", [WAD / 10n]);
  for (const [{ params }, cap] of [
    [main, 20_000_000n],
    [side, 1_500_000n],
  ] as const) {
    await call("submitCap", [params, cap * DAI]);
    await call("acceptCap", [params]);
  }
  await call("setSupplyQueue", [[main.id]], ALLOCATOR);
  await depositAssets(chain, made, depositors()[1] as Address, 3_000_000n * DAI);
  const raised: DemoMetaMorpho = { ...made, factory: system.factory, markets: system.markets, main, side };
  await execute(chain, reallocation(raised, "main", 2_200_000n * DAI));
  for (const [market, assets] of [
    [main, 1_400_000n],
    [side, 500_000n],
  ] as const)
    await execute(chain, {
      contract: "LendingMarkets",
      address: system.markets,
      functionName: "borrow",
      args: [market.params, assets * DAI, BORROWER, BORROWER],
      from: BORROWER,
    });
  await call("submitTimelock", [DAY_SECONDS]);
  await handOver(chain, grounds, { contract: "MetaMorphoV1_1", vault, owner: OWNER });
  return raised;
}

/** One market is brought down to so much, and what it gives goes to the other. */
export function reallocation({ vault, main, side }: DemoMetaMorpho, giver: "main" | "side", left: bigint) {
  const [from, to] = giver === "main" ? [main, side] : [side, main];
  const lines = [
    { marketParams: from.params, assets: left },
    { marketParams: to.params, assets: 2n ** 256n - 1n },
  ];
  return {
    contract: "MetaMorphoV1_1",
    address: vault,
    functionName: "reallocate",
    args: [lines],
    from: ALLOCATOR,
  };
}

/** The curator's proposal of another cap for the second market, and what becomes of it. */
export function capOfSide({ vault, side }: DemoMetaMorpho, cap: bigint) {
  const call = { contract: "MetaMorphoV1_1", address: vault, from: OWNER };
  return {
    submit: { ...call, functionName: "submitCap", args: [side.params, cap] },
    accept: { ...call, functionName: "acceptCap", args: [side.params] },
    revoke: {
      ...call,
      functionName: "revokePendingCap",
      args: [side.id],
      from: addressOf("secondaryManager"),
    },
  };
}
