import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, decodeEventLog, toEventSelector } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountAddress, depositors } from "../accounts.ts";
import { startActors } from "../actors/actors.ts";
import { readPositions, readTrios, type TrioState } from "../actors/vault-state.ts";
import { createWorkQueue } from "../actors/work-queue.ts";
import { connectChain, type DemoChain, read } from "../chain.ts";
import { ASSETS, TRIO_KEYS, type TrioKey } from "../deployment.ts";
import { startEngine } from "../engine/engine.ts";
import { readEventTable } from "../events.ts";
import type { DemoDeployment } from "../saved/deployment.ts";
import { reorg } from "../start/scenarios.ts";
import { HISTORY_DAYS, type PreparedChain, prepareDemoChain } from "./history.ts";

let dir: string;
let prepared: PreparedChain;
let chain: DemoChain;
let deployment: DemoDeployment;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "vaultops-history-"));
  const startMs = Date.now();
  const startCpu = process.cpuUsage();
  await take(await prepareDemoChain({ dataDir: dir, blockTimeSeconds: 1 }));
  // Told and not asserted: it depends on the machine, and on who else is at work on it.
  const cpuMs = process.cpuUsage(startCpu).user / 1000;
  const blocks = await chain.client.getBlockNumber();
  console.log(
    `history: ${Date.now() - startMs} ms, ${Math.round(cpuMs)} of them at work here, ${blocks} blocks`,
  );
});

afterAll(async () => {
  await prepared.stop();
  await rm(dir, { recursive: true, force: true });
});

async function take(next: PreparedChain): Promise<void> {
  prepared = next;
  chain = await connectChain(next.rpcUrl);
  deployment = next.deployment;
}

async function states(): Promise<Record<TrioKey, TrioState>> {
  const trios = TRIO_KEYS.map((key) => deployment.trios[key]);
  const list = await readTrios(chain, deployment.system.aggregator, trios);
  return Object.fromEntries(TRIO_KEYS.map((key, index) => [key, list[index]])) as Record<TrioKey, TrioState>;
}

function onAggregator<T>(functionName: string, key: TrioKey): Promise<T> {
  const address = deployment.system.aggregator;
  const args = [deployment.trios[key].strategy];
  return read<T>(chain, { contract: "SuperVaultAggregator", address, functionName, args });
}

async function countEvents(signature: string, address?: Address): Promise<number> {
  const entry = readEventTable().find((candidate) => candidate.signature === signature);
  if (!entry) throw new Error(`${signature} is not in the table`);
  const where = address === undefined ? {} : { address };
  return (await chain.client.getLogs({ ...where, event: entry.abi, fromBlock: 0n, toBlock: "latest" }))
    .length;
}

test("the history spans sixty days and ends now", async () => {
  const first = await chain.client.getBlock({ blockNumber: 0n });
  const last = await chain.client.getBlock();
  const days = Number(last.timestamp - first.timestamp) / 86_400;
  expect(days).toBeGreaterThan(HISTORY_DAYS - 0.1);
  expect(days).toBeLessThan(HISTORY_DAYS + 0.1);
  expect(Math.abs(Number(last.timestamp) - Date.now() / 1000)).toBeLessThan(600);
});

test("its first blocks stand a second apart, however long the node took for them", async () => {
  const first = await Promise.all(
    Array.from({ length: 20 }, (_, number) => chain.client.getBlock({ blockNumber: BigInt(number) })),
  );
  const begin = first[0]?.timestamp as bigint;
  expect(first.map(({ timestamp }) => timestamp - begin)).toEqual(first.map(({ number }) => number));
});

test("each vault stands in the condition that it is there for", async () => {
  const all = await states();
  const now = BigInt(Math.floor(Date.now() / 1000));
  expect([all.prime.isPaused, all.prime.isStale]).toEqual([false, false]);
  expect(all.paused.isPaused).toBe(true);
  expect([all.stale.isPaused, now - all.stale.lastUpdate > 86_400n]).toEqual([false, true]);
  expect([all.upkeepShort.isPaused, all.upkeepShort.isStale]).toEqual([true, true]);
  expect(all.upkeepShort.upkeepBalance).toBeLessThan(10n ** 18n);
  const queue = await readPositions(chain, deployment.trios.queued);
  expect(queue.filter((position) => position.pendingShares > 0n).length).toBeGreaterThanOrEqual(3);
  expect([all.exiting.isPaused, all.exiting.isStale]).toEqual([false, false]);
  expect(all.exiting.totalSupply).toBeGreaterThan(0n);
});

test("the assets behind each trio are there to be redeemed", async () => {
  for (const [key, state] of Object.entries(await states())) {
    const { assetKey } = deployment.trios[key as TrioKey];
    const owed = (state.totalSupply * state.pps) / 10n ** BigInt(ASSETS[assetKey].decimals);
    const held = state.allocated.reduce((sum, assets) => sum + assets, state.idle);
    expect(held * 1000n, key).toBeGreaterThan(owed * 995n);
  }
});

test("the untracked vaults' shares are worth about an asset each", async () => {
  for (const [name, { vault, assetKey }] of [
    ["Erc4626Vault", deployment.plain],
    ["AsyncVault", deployment.async],
  ] as const) {
    const decimals = await read<number>(chain, { contract: name, address: vault, functionName: "decimals" });
    const whole = { functionName: "convertToAssets", args: [10n ** BigInt(decimals)] };
    const pps = await read<bigint>(chain, { contract: name, address: vault, ...whole });
    const asset = 10n ** BigInt(ASSETS[assetKey].decimals);
    expect(pps, name).toBeGreaterThan((asset * 95n) / 100n);
    expect(pps, name).toBeLessThan(asset * 2n);
  }
});

test("prices climb, but for one week of one vault, and are pushed more than daily", async () => {
  for (const [key, state] of Object.entries(await states())) {
    expect(state.pps, key).toBeGreaterThan(
      10n ** BigInt(ASSETS[deployment.trios[key as TrioKey].assetKey].decimals),
    );
  }
  const updated = readEventTable().find(
    (entry) => entry.signature === "PPSUpdated(address indexed strategy, uint256 pps, uint256 timestamp)",
  );
  if (!updated) throw new Error("no PPSUpdated in the table");
  const logs = await chain.client.getLogs({
    event: updated.abi,
    fromBlock: 0n,
    toBlock: "latest",
    address: deployment.system.aggregator,
  });
  const prices = logs
    .map(
      (log) =>
        decodeEventLog({ abi: [updated.abi], data: log.data, topics: log.topics }).args as unknown as {
          strategy: Address;
          pps: bigint;
          timestamp: bigint;
        },
    )
    .filter((args) => args.strategy === deployment.trios.drawdown.strategy);
  const at = (day: number) =>
    prices.findLast((price) => Number(price.timestamp) <= deployment.startTimestamp + day * 86_400)?.pps ??
    0n;
  expect(at(33)).toBeLessThan(at(26));
  expect(at(60)).toBeGreaterThan(at(34));
  expect(prices.length).toBeGreaterThan(3 * HISTORY_DAYS);
});

test("account 0 manages at least three vaults with account 1 beside it; accounts 2 and 3 manage none", async () => {
  let managed = 0;
  for (const key of TRIO_KEYS) {
    const primary = await onAggregator<Address>("getMainManager", key);
    const secondary = await onAggregator<readonly Address[]>("getSecondaryManagers", key);
    for (const index of [2, 3]) expect([primary, ...secondary]).not.toContain(accountAddress(index));
    if (primary !== accountAddress(0)) continue;
    managed++;
    expect(secondary).toContain(accountAddress(1));
  }
  expect(managed).toBeGreaterThanOrEqual(3);
  // It is told of what is stale and of what is short of upkeep.
  for (const key of ["stale", "upkeepShort"] as const)
    expect(await onAggregator<readonly Address[]>("getSecondaryManagers", key)).toContain(accountAddress(0));
  expect(depositors()).not.toContain(accountAddress(2));
});

test.each([
  "UpdateTooFrequent()",
  "TimestampNotMonotonic()",
  "StaleUpdate(address indexed strategy, address indexed updateAuthority, uint256 timestamp)",
  "InsufficientUpkeep(address indexed strategy, address indexed strategyAddr, uint256 balance, uint256 cost)",
  "StrategyCheckFailed(address indexed strategy, string reason)",
  "UnknownStrategy(address indexed strategy)",
  "PPSUpdateRejectedStrategyPaused(address indexed strategy)",
  "StaleSignatureAfterUnpause(address indexed strategy, uint256 signatureTimestamp, uint256 lastUnpauseTimestamp)",
  "ProvidedTimestampExceedsBlockTimestamp(address indexed strategy, uint256 argsTimestamp, uint256 blockTimestamp)",
  "PPSUpdatedAfterSkim(address indexed strategy, uint256 oldPPS, uint256 newPPS, uint256 feeAmount, uint256 timestamp)",
  "PrimaryManagerChanged(address indexed strategy, address indexed oldManager, address indexed newManager, address feeRecipient)",
  "SecondaryManagerRemoved(address indexed strategy, address indexed manager)",
  "StrategyUnpaused(address indexed strategy)",
  "YieldSourceRemoved(address indexed source)",
  "YieldSourceOracleUpdated(address indexed source, address indexed oldOracle, address indexed newOracle)",
  "VaultFeeConfigUpdated(uint256 performanceFeeBps, uint256 managementFeeBps, address indexed recipient)",
  "RedeemRequestsFulfilled(address[] controllers, uint256 processedShares, uint256 currentPPS)",
  "CancelRedeemClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 shares)",
  "DepositClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares)",
])("the history holds %s", async (signature) => {
  expect(await countEvents(signature)).toBeGreaterThan(0);
});

test("a reorg replaces the last blocks and the deposit in them", async () => {
  const done = await reorg(chain, deployment, 3);
  expect(done.newHead).not.toBe(done.oldHead);
  await expect(chain.client.getTransactionReceipt({ hash: done.droppedTx })).rejects.toThrow();
  const first = await chain.client.getBlock({ blockNumber: done.ancestor + 1n });
  expect(first.parentHash).toBe((await chain.client.getBlock({ blockNumber: done.ancestor })).hash);
  const deposit = toEventSelector("Deposit(address,address,uint256,uint256)");
  const logs = await chain.client.getLogs({
    fromBlock: first.number,
    toBlock: first.number,
    address: deployment.plain.vault,
  });
  expect(logs.some((log) => log.topics[0] === deposit)).toBe(true);
});

test("actors and engine keep the live vaults fresh and busy, and actors survive a node that is not there", async () => {
  const lines: string[] = [];
  const before = await states();
  const from = await chain.client.getBlockNumber();
  const options = {
    rpcUrl: prepared.rpcUrl,
    deployment,
    workQueue: createWorkQueue(),
    log: (line: string) => lines.push(line),
  };
  const actors = startActors(options);
  // With no service to report to, its work is the same.
  const engine = await startEngine({
    ...options,
    serviceUrl: "http://127.0.0.1:9",
    token: "unused",
    spoolDir: join(dir, "spool"),
    log: (line) => line.includes("demo engine: reporting") || lines.push(line),
  });
  const isFresher = async () => {
    const { prime, exiting } = await states();
    return prime.lastUpdate + exiting.lastUpdate > before.prime.lastUpdate + before.exiting.lastUpdate;
  };
  await expect.poll(isFresher, { timeout: 240_000, interval: 500 }).toBe(true);
  const deposits = async () => (await chain.client.getLogs({ fromBlock: from, toBlock: "latest" })).length;
  await expect.poll(deposits, { timeout: 240_000, interval: 500 }).toBeGreaterThan(5);
  await engine.stop();
  await actors.stop();
  expect((await states()).stale.lastUpdate).toBe(before.stale.lastUpdate);
  expect(lines).toEqual([]);

  const lost = startActors({ rpcUrl: "http://127.0.0.1:9", deployment, log: (line) => lines.push(line) });
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  await lost.stop();
}, 600_000);

test("a second start takes up the same chain, hashes and logs unchanged", async () => {
  const head = await chain.client.getBlock();
  const some = await chain.client.getBlock({ blockNumber: 200n });
  const logs = await chain.client.getLogs({ fromBlock: 190n, toBlock: 230n });
  await prepared.stop();
  await take(await prepareDemoChain({ dataDir: dir, blockTimeSeconds: 1 }));
  expect(prepared.isFresh).toBe(false);
  const stoppedAt = await chain.client.getBlock({ blockNumber: head.number });
  expect(stoppedAt.hash).toBe(head.hash);
  expect((await chain.client.getBlock({ blockNumber: 200n })).hash).toBe(some.hash);
  expect(await chain.client.getLogs({ fromBlock: 190n, toBlock: 230n })).toEqual(logs);
  await expect.poll(() => chain.client.getBlockNumber()).toBeGreaterThan(head.number);
});
