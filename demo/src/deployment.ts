/** What is special about each vault of the demo's chain: the one list that history, actors and server config share. */
import type { Address } from "viem";
import type { Trio } from "./deploy.ts";

/** The demo chain's own id: in use by no public chain, so that no wallet takes it for one. */
export const DEMO_CHAIN_ID = 8_453_000;

export const ASSETS = {
  usdc: { name: "USD Coin", symbol: "USDC", decimals: 6, usdE8: 100_000_000n },
  weth: { name: "Wrapped Ether", symbol: "WETH", decimals: 18, usdE8: 310_000_000_000n },
  wbtc: { name: "Wrapped Bitcoin", symbol: "WBTC", decimals: 8, usdE8: 9_700_000_000_000n },
  dai: { name: "Dai Stablecoin", symbol: "DAI", decimals: 18, usdE8: 99_980_000n },
} as const;

export type AssetKey = keyof typeof ASSETS;

/** The trios, each by the condition that it is in once the history is made. */
export const TRIOS = {
  prime: { name: "Prime USDC", symbol: "pvUSDC", asset: "usdc", apyBps: 620, deployedOnDay: 0 },
  drawdown: { name: "Ether Yield", symbol: "yvETH", asset: "weth", apyBps: 380, deployedOnDay: 0 },
  queued: { name: "Bitcoin Reserve", symbol: "rvBTC", asset: "wbtc", apyBps: 210, deployedOnDay: 0 },
  paused: { name: "Dai Savings Plus", symbol: "svDAI", asset: "dai", apyBps: 540, deployedOnDay: 1 },
  stale: { name: "Ether Basis", symbol: "bvETH", asset: "weth", apyBps: 450, deployedOnDay: 2 },
  upkeepShort: { name: "Stable Core", symbol: "cvUSDC", asset: "usdc", apyBps: 480, deployedOnDay: 4 },
  exiting: { name: "Flex USDC", symbol: "fvUSDC", asset: "usdc", apyBps: 560, deployedOnDay: 8 },
} as const satisfies Record<string, TrioSpec>;

interface TrioSpec {
  readonly name: string;
  readonly symbol: string;
  readonly asset: AssetKey;
  /** Yearly growth of the price that the market aims at, basis points. */
  readonly apyBps: number;
  /** Day of the history on which the vault is made. */
  readonly deployedOnDay: number;
}

export type TrioKey = keyof typeof TRIOS;
export const TRIO_KEYS = Object.keys(TRIOS) as readonly TrioKey[];

/** Trios that the keeper goes on updating once the history is made. */
export const LIVE_TRIOS: readonly TrioKey[] = ["prime", "drawdown", "queued", "exiting"];

/** One vault of each family that curators run, by the name of the family. */
export const CURATED = {
  morpho_vault_v2: { name: "Blended USDC", symbol: "blUSDC", asset: "usdc", apyBps: 500 },
  metamorpho: { name: "Lending Dai", symbol: "lnDAI", asset: "dai", apyBps: 360 },
  euler_earn: { name: "Ether Loans", symbol: "elETH", asset: "weth", apyBps: 310 },
  lagoon: { name: "Basis USDC", symbol: "bsUSDC", asset: "usdc", apyBps: 880 },
  yearn_v3: { name: "Compounding Dai", symbol: "cpDAI", asset: "dai", apyBps: 450 },
} as const satisfies Record<string, Omit<TrioSpec, "deployedOnDay">>;

export type CuratedFamily = keyof typeof CURATED;
export const CURATED_FAMILIES = Object.keys(CURATED) as readonly CuratedFamily[];

export interface DeployedTrio extends Trio {
  readonly name: string;
  readonly assetKey: AssetKey;
  /** ERC-4626 vaults that only this strategy uses, in the order in which it took them up. */
  readonly yieldSources: readonly Address[];
}

export interface DeployedVault {
  readonly vault: Address;
  readonly asset: Address;
  readonly assetKey: AssetKey;
  readonly blockNumber: bigint;
}
