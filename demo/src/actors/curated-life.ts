/**
 * The everyday life of the curated vaults: deposits, redemptions, interest, allocators and keepers at work. The history gathers these
 * transactions into its blocks, the actors send them live.
 */
import type { Address } from "viem";
import type { DemoChain, Transaction } from "../chain.ts";
import { artifactOf } from "../compile.ts";
import { moveBetween } from "../curated/euler.ts";
import { askToDeposit, askToRedeem, settlement } from "../curated/lagoon.ts";
import { reallocation } from "../curated/metamorpho.ts";
import { allocation, interest, retreat } from "../curated/morpho.ts";
import type { CuratedVaults } from "../curated/raise.ts";
import { AS_MUCH_AS_ALLOWED, report, updateDebt } from "../curated/yearn.ts";
import { ASSETS, CURATED, CURATED_FAMILIES, type CuratedFamily } from "../deployment.ts";
import { chooseDeposit, type Flow, mint } from "./flows.ts";

type Amounts = Readonly<Record<CuratedFamily, bigint>>;

/** At the latest block; amounts in raw units. */
export interface CuratedState {
  readonly totalAssets: Amounts;
  readonly holder: Address;
  /** Of the holder. */
  readonly shares: Amounts;
  /** Whether the holder waits for the Lagoon vault's next settlement. */
  readonly hasAsked: boolean;
  /** What the Lagoon vault's Safe holds. */
  readonly inSafe: bigint;
  /** What the two curated vaults have in the lines that most lies in. */
  readonly inMain: Readonly<Record<"metamorpho" | "euler_earn", bigint>>;
  readonly inSide: Readonly<Record<"metamorpho" | "euler_earn", bigint>>;
}

/** In one request. */
export async function readCurated(
  chain: DemoChain,
  curated: CuratedVaults,
  holder: Address,
): Promise<CuratedState> {
  const { metamorpho, euler_earn: euler, lagoon } = curated;
  const of = (contract: string, address: Address, functionName: string, ...args: readonly unknown[]) => ({
    abi: artifactOf(chain.artifacts, contract).abi,
    address,
    functionName,
    args,
  });
  const inMarket = (id: `0x${string}`) =>
    of("LendingMarkets", metamorpho.markets, "expectedSupplyAssets", id, metamorpho.vault);
  const contracts = [
    of("LagoonVaultV6", lagoon.vault, "pendingDepositRequest", 0n, holder),
    of("LagoonVaultV6", lagoon.vault, "pendingRedeemRequest", 0n, holder),
    of("Token", lagoon.asset, "balanceOf", lagoon.safe),
    inMarket(metamorpho.main.id),
    inMarket(metamorpho.side.id),
    of("EulerEarn", euler.vault, "expectedSupplyAssets", euler.main),
    of("EulerEarn", euler.vault, "expectedSupplyAssets", euler.side),
    ...CURATED_FAMILIES.flatMap((family) => [
      of("Erc4626Vault", curated[family].vault, "totalAssets"),
      of("Erc4626Vault", curated[family].vault, "balanceOf", holder),
    ]),
  ];
  const results = (await chain.client.multicall({
    contracts,
    allowFailure: false,
    batchSize: 0,
  })) as bigint[];
  const at = (index: number) => results[index] ?? 0n;
  const ofEach = (offset: number) =>
    Object.fromEntries(
      CURATED_FAMILIES.map((family, index) => [family, at(7 + index * 2 + offset)]),
    ) as Record<CuratedFamily, bigint>;
  return {
    totalAssets: ofEach(0),
    holder,
    shares: ofEach(1),
    hasAsked: at(0) + at(1) > 0n,
    inSafe: at(2),
    inMain: { metamorpho: at(3), euler_earn: at(5) },
    inSide: { metamorpho: at(4), euler_earn: at(6) },
  };
}

/** The holder deposits, or now and then takes a part back; of the Lagoon vault both are asked for. */
export async function moveCurated(
  flow: Flow,
  curated: CuratedVaults,
  family: CuratedFamily,
  state: CuratedState,
): Promise<void> {
  const { holder } = state;
  // Little enough to be paid out of what is not lent.
  const part = state.shares[family] / 24n;
  const isLeaving = part > 0n && flow.random.chance(35);
  const assets = chooseDeposit(flow.random, CURATED[family].asset);
  if (family === "lagoon") {
    const { lagoon } = curated;
    if (state.hasAsked) return;
    await flow.submit(isLeaving ? askToRedeem(lagoon, holder, part) : askToDeposit(lagoon, holder, assets));
    return;
  }
  const call = { contract: "Erc4626Vault", address: curated[family].vault, from: holder };
  await flow.submit(
    isLeaving
      ? { ...call, functionName: "redeem", args: [part, holder, holder] }
      : { ...call, functionName: "deposit", args: [assets, holder] },
  );
}

/** What they hold grows by these parts per billion of a year's; what MetaMorpho's borrowers owe grows by itself. */
export async function yieldCurated(
  flow: Flow,
  curated: CuratedVaults,
  { totalAssets }: CuratedState,
  growthPpb: (apyBps: number) => bigint,
): Promise<void> {
  const gain = (family: CuratedFamily) =>
    (totalAssets[family] * growthPpb(CURATED[family].apyBps)) / 1_000_000_000n;
  const { morpho_vault_v2: morpho, euler_earn: euler, lagoon, yearn_v3: yearn } = curated;
  await flow.submit(interest(morpho, gain("morpho_vault_v2")));
  await mint(flow, euler.asset, euler.main, gain("euler_earn"));
  await mint(flow, lagoon.asset, lagoon.safe, gain("lagoon"));
  await mint(flow, yearn.asset, yearn.main, gain("yearn_v3"));
}

/** The Safe settles what was asked of the Lagoon vault, at what it holds. */
export async function settleCurated(
  chain: DemoChain,
  flow: Flow,
  { lagoon }: CuratedVaults,
  { inSafe }: CuratedState,
): Promise<void> {
  for (const transaction of await settlement(chain, lagoon, inSafe)) await flow.submit(transaction);
}

/** Gains are reported, and what lies idle is put to work. */
export async function reportCurated(flow: Flow, { yearn_v3: yearn }: CuratedVaults): Promise<void> {
  await flow.submit(report(yearn, yearn.main));
  await flow.submit(report(yearn, yearn.side));
  await flow.submit(updateDebt(yearn, yearn.main, AS_MUCH_AS_ALLOWED));
}

/** Allocators shift a little between two lines of each vault: there, or back. */
export function shiftCurated(
  chain: DemoChain,
  curated: CuratedVaults,
  state: CuratedState,
  isBack: boolean,
): Transaction[] {
  const { morpho_vault_v2: morpho, metamorpho, euler_earn: euler } = curated;
  const whole = (family: CuratedFamily) => 10n ** BigInt(ASSETS[CURATED[family].asset].decimals);
  const [inSteps, dai, weth] = [
    30_000n * whole("morpho_vault_v2"),
    25_000n * whole("metamorpho"),
    8n * whole("euler_earn"),
  ];
  const giver = isBack ? "side" : "main";
  const held = isBack ? state.inSide : state.inMain;
  return [
    isBack ? retreat(chain, morpho, inSteps) : allocation(chain, morpho, inSteps, 0n),
    reallocation(metamorpho, giver, held.metamorpho - dai),
    moveBetween(euler, giver, held.euler_earn - weth),
  ];
}
