/** What the history knows of the vaults between two blocks, read in a few batched calls. */
import type { Abi, Address } from "viem";
import { depositors } from "../accounts.ts";
import type { DemoChain } from "../chain.ts";
import { artifactOf } from "../compile.ts";
import { ASSETS, type DeployedTrio } from "../deployment.ts";

export interface TrioState {
  readonly pps: bigint;
  readonly isPaused: boolean;
  readonly isStale: boolean;
  /** Unix seconds. */
  readonly lastUpdate: bigint;
  /** Seconds that lie at least between two prices. */
  readonly minUpdateInterval: bigint;
  /** Unix seconds; 0 where it was never unpaused. */
  readonly lastUnpause: bigint;
  readonly upkeepBalance: bigint;
  readonly totalSupply: bigint;
  /** Raw assets that the strategy holds idle. */
  readonly idle: bigint;
  /** Raw assets in each of its yield sources, in their order. */
  readonly allocated: readonly bigint[];
  /** Those of its yield sources that the strategy has taken up. */
  readonly sourcesInUse: readonly Address[];
}

interface BatchedCall {
  readonly abi: Abi;
  readonly address: Address;
  readonly functionName: string;
  readonly args?: readonly unknown[];
}

/** Runs views in one request at the latest block; throws where one fails. */
async function readBatch(chain: DemoChain, calls: readonly BatchedCall[]): Promise<readonly unknown[]> {
  return chain.client.multicall({ contracts: calls, allowFailure: false, batchSize: 0 });
}

/** The state of trios at the latest block, in their order. */
export async function readTrios(
  chain: DemoChain,
  aggregator: Address,
  trios: readonly DeployedTrio[],
): Promise<readonly TrioState[]> {
  const abiOf = (name: string): Abi => artifactOf(chain.artifacts, name).abi;
  const aggregatorAbi = abiOf("SuperVaultAggregator");
  const vaultAbi = abiOf("SuperVault");
  const tokenAbi = abiOf("Token");
  const sourceAbi = abiOf("Erc4626Vault");
  const strategyAbi = abiOf("SuperVaultStrategy");
  const calls: BatchedCall[] = [];
  for (const trio of trios) {
    for (const functionName of [
      "getPPS",
      "isStrategyPaused",
      "isPPSStale",
      "getLastUpdateTimestamp",
      "getMinUpdateInterval",
      "getLastUnpauseTimestamp",
      "getUpkeepBalance",
    ]) {
      calls.push({ abi: aggregatorAbi, address: aggregator, functionName, args: [trio.strategy] });
    }
    calls.push({ abi: vaultAbi, address: trio.vault, functionName: "totalSupply" });
    calls.push({ abi: tokenAbi, address: trio.asset, functionName: "balanceOf", args: [trio.strategy] });
    for (const source of trio.yieldSources) {
      calls.push({ abi: sourceAbi, address: source, functionName: "maxWithdraw", args: [trio.strategy] });
    }
    calls.push({ abi: strategyAbi, address: trio.strategy, functionName: "getYieldSources" });
  }
  const results = await readBatch(chain, calls);
  let next = 0;
  const take = <T>(): T => results[next++] as T;
  return trios.map((trio) => ({
    pps: take<bigint>(),
    isPaused: take<boolean>(),
    isStale: take<boolean>(),
    lastUpdate: take<bigint>(),
    minUpdateInterval: take<bigint>(),
    lastUnpause: take<bigint>(),
    upkeepBalance: take<bigint>(),
    totalSupply: take<bigint>(),
    idle: take<bigint>(),
    allocated: trio.yieldSources.map(() => take<bigint>()),
    sourcesInUse: take<readonly Address[]>(),
  }));
}

export interface Position {
  readonly owner: Address;
  readonly shares: bigint;
  readonly pendingShares: bigint;
  /** Raw assets that a fulfilled request may claim. */
  readonly claimableAssets: bigint;
  /** Raw assets that the pending shares are worth now, as fulfilling takes them. */
  readonly pendingAssets: bigint;
}

/** What each depositor has in a trio at the latest block. */
export async function readPositions(chain: DemoChain, trio: DeployedTrio): Promise<readonly Position[]> {
  const vaultAbi = artifactOf(chain.artifacts, "SuperVault").abi;
  const strategyAbi = artifactOf(chain.artifacts, "SuperVaultStrategy").abi;
  const owners = depositors();
  const calls = owners.flatMap((owner): BatchedCall[] => [
    { abi: vaultAbi, address: trio.vault, functionName: "balanceOf", args: [owner] },
    { abi: strategyAbi, address: trio.strategy, functionName: "previewExactRedeem", args: [owner] },
    { abi: strategyAbi, address: trio.strategy, functionName: "claimableWithdraw", args: [owner] },
  ]);
  const results = await readBatch(chain, calls);
  return owners.map((owner, index) => {
    const [pendingShares, pendingAssets] = results[index * 3 + 1] as readonly [bigint, bigint, bigint];
    const shares = results[index * 3] as bigint;
    return { owner, shares, pendingShares, pendingAssets, claimableAssets: results[index * 3 + 2] as bigint };
  });
}

/** Raw assets behind all shares at a price, in the asset's decimals. */
export function assetsBehind(trio: DeployedTrio, totalSupply: bigint, pps: bigint): bigint {
  return (totalSupply * pps) / 10n ** BigInt(ASSETS[trio.assetKey].decimals);
}

/** What a depositor has in an ERC-7540 vault; assets and shares in raw units. */
export interface AsyncRow {
  readonly owner: Address;
  readonly shares: bigint;
  readonly pendingDeposit: bigint;
  readonly claimableDeposit: bigint;
  readonly pendingRedeem: bigint;
  readonly claimableRedeem: bigint;
}

/** What each depositor has in an ERC-7540 vault at the latest block. */
export async function readAsyncRows(chain: DemoChain, address: Address): Promise<readonly AsyncRow[]> {
  const abi = artifactOf(chain.artifacts, "AsyncVault").abi;
  const owners = depositors();
  const results = (await readBatch(
    chain,
    owners.flatMap((owner) => [
      { abi, address, functionName: "balanceOf", args: [owner] },
      { abi, address, functionName: "pendingDepositRequest", args: [0n, owner] },
      { abi, address, functionName: "maxMint", args: [owner] },
      { abi, address, functionName: "pendingRedeemRequest", args: [0n, owner] },
      { abi, address, functionName: "maxRedeem", args: [owner] },
    ]),
  )) as bigint[];
  const at = (index: number): bigint => results[index] ?? 0n;
  return owners.map((owner, index) => ({
    owner,
    shares: at(index * 5),
    pendingDeposit: at(index * 5 + 1),
    claimableDeposit: at(index * 5 + 2),
    pendingRedeem: at(index * 5 + 3),
    claimableRedeem: at(index * 5 + 4),
  }));
}

export interface PlainState {
  readonly totalAssets: bigint;
  /** Raw assets that one holder may withdraw. */
  readonly withdrawable: bigint;
}

/** A plain ERC-4626 vault at the latest block, and what one holder has there. */
export async function readPlain(chain: DemoChain, address: Address, holder: Address): Promise<PlainState> {
  const { abi } = artifactOf(chain.artifacts, "Erc4626Vault");
  const [totalAssets, withdrawable] = (await readBatch(chain, [
    { abi, address, functionName: "totalAssets" },
    { abi, address, functionName: "maxWithdraw", args: [holder] },
  ])) as [bigint, bigint];
  return { totalAssets, withdrawable };
}
