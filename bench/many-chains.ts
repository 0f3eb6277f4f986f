// Many chains of one-second blocks in one indexer process: from a block's arrival at the node to its being stored for each chain, and
// what the process takes of processor and memory meanwhile. One block in five holds events; the others are empty.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { IndexerArguments } from "../server/test/indexer.ts";
import { startBusyChain } from "./support/busy-chain.ts";
import { startChainCrowd } from "./support/chain-crowd.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, median } from "./support/figure.ts";
import { cpuMs, peakMemoryMb } from "./support/process-cost.ts";

const LIMIT_MS = 150;
const BLOCK_MS = 1_000;
const EVENTS_EVERY = 5;
/** The first blocks teach the indexer the chains' rhythm. */
const SKIPPED = 5;
const FIRST_CHAIN_ID = 10_000;
const INDEXER = fileURLToPath(new URL("../server/test/indexer.ts", import.meta.url));

export const figure: Figure = {
  name: "head latency of 50 chains with 1 s blocks: block made to block stored, p50",
  against: `${LIMIT_MS} ms from the node's block`,
  aim: 1,
  async run({ quick }) {
    const chainIds = Array.from({ length: quick ? 10 : 50 }, (_, index) => FIRST_CHAIN_ID + index);
    const blocks = quick ? 15 : 60;
    const databases = await startDatabases();
    const busy = await startBusyChain(0);
    const crowd = await startChainCrowd(busy.anvil.rpcUrl);
    const db = await databases.create();
    const listener = new pg.Client({ connectionString: db.url });
    await listener.connect();
    await listener.query("listen head");
    const storedAt = new Map<string, number>();
    listener.on("notification", ({ payload }) => {
      const { chain_id, number } = JSON.parse(payload ?? "{}") as { chain_id: number; number: number };
      storedAt.set(`${chain_id} ${number}`, performance.now());
    });
    const sources = [{ family: "supervault" as const, aggregator: busy.aggregator }];
    const indexer = start({
      databaseUrl: db.url,
      chains: chainIds.map((chainId) => ({
        chainId,
        rpcUrls: [crowd.urlOf(chainId)],
        confirmations: 0,
        sources,
      })),
      batchLimits: { facts: 4_000, ms: 2_000 },
    });
    try {
      const headNow = async () => Number(await busy.chain.client.getBlockNumber({ cacheTime: 0 }));
      const untilStored = async (number: number) => {
        for (;;) {
          const { rows } = await db.pool.query<{ n: number }>(
            "select count(*)::int as n from chains where head_number >= $1 and not exists (select from sources s where s.chain_id = chains.chain_id and next_block is not null)",
            [number],
          );
          if (rows[0]!.n === chainIds.length) return;
          await sleep(50);
        }
      };
      await untilStored(await headNow());
      const latenciesMs: number[] = [];
      let begun = { cpuMs: 0, atMs: 0 };
      for (let index = 0; index < SKIPPED + blocks; index += 1) {
        if (index === SKIPPED) begun = { cpuMs: await cpuMs(indexer.pid), atMs: performance.now() };
        const dueAtMs = performance.now() + BLOCK_MS;
        if (index % EVENTS_EVERY === 0) await busy.block();
        else await busy.chain.client.mine({ blocks: 1 });
        crowd.moved();
        const arrivedAtMs = performance.now();
        const number = await headNow();
        await sleep(Math.max(0, dueAtMs - performance.now()));
        await untilStored(number);
        if (index < SKIPPED) continue;
        for (const chainId of chainIds)
          latenciesMs.push((storedAt.get(`${chainId} ${number}`) ?? performance.now()) - arrivedAtMs);
      }
      const cpuShare = ((await cpuMs(indexer.pid)) - begun.cpuMs) / (performance.now() - begun.atMs);
      latenciesMs.sort((a, b) => a - b);
      const p50 = median(latenciesMs);
      return {
        ratio: LIMIT_MS / p50,
        ours: p50,
        limit: LIMIT_MS,
        unit: "ms",
        spread: (latenciesMs.at(-1)! - latenciesMs[0]!) / p50,
        notes: {
          chains: chainIds.length,
          blocks,
          p99_ms: Math.round(latenciesMs[Math.floor(latenciesMs.length * 0.99)]!),
          cpu_share: Number(cpuShare.toFixed(3)),
          peak_memory_mb: await peakMemoryMb(indexer.pid),
        },
      };
    } finally {
      indexer.kill("SIGKILL");
      await once(indexer, "exit");
      await listener.end();
      await crowd.close();
      await databases.drop(db);
      await busy.anvil.stop();
      await databases.stop();
    }
  },
};

function start(indexer: IndexerArguments): ChildProcess {
  return spawn(process.execPath, [INDEXER, JSON.stringify(indexer)], {
    stdio: ["pipe", "ignore", "inherit"],
  });
}
