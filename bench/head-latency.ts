// From a block's arrival, as the node itself notifies of it (eth_subscribe newHeads), to its audit entry being readable by a
// query, at zero confirmations; the indexer in a process of its own, polling over HTTP as in production.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Database } from "../server/src/platform/db/db.ts";
import type { IndexerArguments } from "../server/test/indexer.ts";
import { type BusyChain, startBusyChain } from "./support/busy-chain.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, median } from "./support/figure.ts";

const LIMIT_MS = 150;
const BLOCK_MS = 1_000;
const INDEXER = fileURLToPath(new URL("../server/test/indexer.ts", import.meta.url));

export const figure: Figure = {
  name: "head latency: block notified to entry readable, p50",
  against: `${LIMIT_MS} ms from the node's own notification`,
  aim: 1,
  async run({ quick }) {
    const databases = await startDatabases();
    const busy = await startBusyChain(0);
    const db = await databases.create();
    const indexer = startIndexer(busy, db);
    const heads = await subscribe(busy.anvil.rpcUrl.replace("http", "ws"));
    try {
      await untilFollowing(db, busy);
      // The first blocks teach the indexer the chain's rhythm.
      const skipped = 5;
      const blocks = skipped + (quick ? 15 : 60);
      const latenciesMs: number[] = [];
      for (let index = 0; index < blocks; index += 1) {
        const dueAt = performance.now() + BLOCK_MS;
        const before = await countEntries(db);
        const notified = heads.next();
        await busy.block();
        const arrivedAt = await notified;
        while ((await countEntries(db)) === before) await sleep(2);
        latenciesMs.push(performance.now() - arrivedAt);
        await sleep(Math.max(0, dueAt - performance.now()));
      }
      const measured = latenciesMs.slice(skipped).sort((a, b) => a - b);
      const p50 = median(measured);
      const p99 = measured[Math.floor(measured.length * 0.99)]!;
      return {
        ratio: LIMIT_MS / p50,
        ours: p50,
        limit: LIMIT_MS,
        unit: "ms",
        spread: (measured.at(-1)! - measured[0]!) / p50,
        notes: { p99_ms: Math.round(p99), blocks: measured.length },
      };
    } finally {
      heads.close();
      indexer.kill("SIGKILL");
      await once(indexer, "exit");
      await databases.drop(db);
      await busy.anvil.stop();
      await databases.stop();
    }
  },
};

function startIndexer({ anvil, aggregator }: BusyChain, db: Database): ChildProcess {
  const sources = [{ family: "supervault" as const, aggregator }];
  const indexer: IndexerArguments = {
    databaseUrl: db.url,
    chains: [{ chainId: anvil.chainId, rpcUrls: [anvil.rpcUrl], confirmations: 0, sources }],
    batchLimits: { facts: 4_000, ms: 2_000 },
  };
  return spawn(process.execPath, [INDEXER, JSON.stringify(indexer)], {
    stdio: ["pipe", "ignore", "inherit"],
  });
}

async function untilFollowing(db: Database, { chain }: BusyChain): Promise<void> {
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  for (;;) {
    const { rows } = await db.pool.query<{ n: number }>(
      "select count(*)::int as n from sources s join chains c using (chain_id) where s.next_block is null and c.head_number >= $1",
      [head],
    );
    if (rows[0]!.n > 0) return;
    await sleep(20);
  }
}

async function countEntries(db: Database): Promise<number> {
  const { rows } = await db.pool.query<{ seq: number | null }>({
    name: "newest",
    text: "select max(seq) as seq from audit_entries",
  });
  return rows[0]?.seq ?? 0;
}

/** When the node's notifications of new heads came in, by the clock of `performance.now()`. */
async function subscribe(url: string): Promise<{ next(): Promise<number>; close(): void }> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: ["newHeads"] }));
  await once(socket, "message");
  return {
    next: async () => {
      await once(socket, "message");
      return performance.now();
    },
    close: () => socket.close(),
  };
}
