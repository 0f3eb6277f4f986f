/** What stands on the demo's chain and what is special about each vault: the one list that history, actors and server config share. */
import { readFile, rename, writeFile } from "node:fs/promises";
import type { Address } from "viem";
import type { Trio, VaultSystem } from "./deploy.ts";

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

export interface DemoDeployment {
  readonly formatVersion: number;
  readonly chainId: number;
  /** Unix seconds at which the history begins. */
  readonly startTimestamp: number;
  readonly system: VaultSystem;
  readonly tokens: Readonly<Record<AssetKey, Address>>;
  readonly feeds: Readonly<Record<AssetKey, Address>>;
  readonly walletFactory: Address;
  readonly trios: Readonly<Record<TrioKey, DeployedTrio>>;
  /** A plain ERC-4626 vault. */
  readonly plain: DeployedVault;
  /** An ERC-7540 vault. */
  readonly async: DeployedVault;
}

export const FORMAT_VERSION = 1;

/** Writes the deployment so that a reader finds all of it or none. */
export async function saveDeployment(path: string, deployment: DemoDeployment): Promise<void> {
  const text = JSON.stringify(
    deployment,
    (_, value) => (typeof value === "bigint" ? value.toString() : value),
    2,
  );
  await writeFile(`${path}.new`, `${text}\n`);
  await rename(`${path}.new`, path);
}

/** Reads a deployment, or undefined where there is none; throws where it was written by another version. */
export async function loadDeployment(path: string): Promise<DemoDeployment | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch {
    return undefined;
  }
  const deployment = JSON.parse(text, (key, value) => (key === "blockNumber" ? BigInt(value) : value));
  if (deployment.formatVersion !== FORMAT_VERSION) {
    throw new Error(`${path} was written by another version of the demo: begin anew with --fresh`);
  }
  return deployment;
}
