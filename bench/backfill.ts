// How fast the past is filled in, from an empty database to the head: facts, projections, audit entries with their tree and
// counts; against fetching and decoding the same logs and doing nothing with them.
//
//   VAULTOPS_BENCH_BACKFILL_EVENTS   how many events the past holds, in place of 1,000,000; quick, always 5,000
import { setTimeout as sleep } from "node:timers/promises";
import { createChainClient } from "../server/src/chain/client/client.ts";
import { Directory, type Source } from "../server/src/chain/directory.ts";
import { createFamilies } from "../server/src/chain/families/registry.ts";
import { silentLogger } from "../server/src/platform/log.ts";
import { startIngest } from "../server/test/ingest.ts";
import { type BusyChain, startBusyChain } from "./support/busy-chain.ts";
import { type Databases, startDatabases } from "./support/databases.ts";
import { type Figure, interleave } from "./support/figure.ts";

/** Blocks a request, of forty logs each. */
const LIMIT_STEP = 100;

export const figure: Figure = {
  name: "backfill from an empty database",
  against: "fetching and decoding the same logs alone",
  aim: 0.6,
  async run({ quick }) {
    const events = quick ? 5_000 : Number(process.env.VAULTOPS_BENCH_BACKFILL_EVENTS ?? 1_000_000);
    const databases = await startDatabases();
    const busy = await startBusyChain(events);
    // The node's contracts were compiled in this process: what filling in needs is what comes on top.
    const baseBytes = process.memoryUsage().rss;
    let peakBytes = 0;
    try {
      const result = await interleave({
        rounds: events > 100_000 ? 1 : 3,
        unit: "events/s",
        ours: async () => {
          const { rate, peakRssBytes } = await fillIn(busy, databases);
          peakBytes = Math.max(peakBytes, peakRssBytes);
          return rate;
        },
        limit: () => fetchAndDecode(busy),
      });
      return {
        ...result,
        notes: {
          events,
          base_rss_mb: megabytes(baseBytes),
          peak_rss_mb: megabytes(peakBytes),
          chain_built_s: Math.round(busy.seconds),
        },
      };
    } finally {
      await busy.anvil.stop();
      await databases.stop();
    }
  },
};

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

/** Events a second from an empty database to the head, and the most memory that this process took meanwhile. */
export async function fillIn(
  { anvil, sources }: Pick<BusyChain, "anvil" | "sources">,
  databases: Databases,
): Promise<{ rate: number; peakRssBytes: number }> {
  let peakRssBytes = 0;
  const db = await databases.create();
  const startedAt = performance.now();
  const ingest = startIngest(db, [
    {
      chainId: anvil.chainId,
      rpcUrls: [anvil.rpcUrl],
      confirmations: 1,
      sources: [...sources],
    },
  ]);
  try {
    for (;;) {
      peakRssBytes = Math.max(peakRssBytes, process.memoryUsage.rss());
      const { rows } = await db.pool.query<{ n: number }>(
        "select count(*)::int as n from sources where next_block is null",
      );
      if (rows[0]!.n === sources.length) break;
      await sleep(50);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const { rows } = await db.pool.query<{ n: number }>("select count(*)::int as n from facts");
    return { rate: rows[0]!.n / seconds, peakRssBytes };
  } finally {
    await ingest.stop();
    await databases.drop(db);
  }
}

async function fetchAndDecode({ anvil, chain, aggregator, trios }: BusyChain): Promise<number> {
  const log = silentLogger();
  const client = createChainClient({
    chainId: anvil.chainId,
    name: "bench",
    rpcUrls: [anvil.rpcUrl],
    log,
    // Twice as fast as in the longest steps that this node allows, and as large as those in which the past is filled in.
    logStep: { initial: LIMIT_STEP, max: LIMIT_STEP },
  });
  const family = createFamilies(log).supervault;
  const source: Source = { family: "supervault", address: aggregator, governor: null, oracles: [] };
  const directory = new Directory();
  directory.addSource(source);
  for (const { vault, strategy, escrow, asset } of trios) {
    const capabilities = { erc7540_deposit: false, erc7540_redeem: true, erc7575: false };
    directory.addVault({
      family: "supervault",
      address: vault,
      source,
      strategy,
      escrow,
      asset,
      share: null,
      assetDecimals: 6,
      shareDecimals: 6,
      configuredPrimary: null,
      capabilities,
    });
  }
  const head = Number(await chain.client.getBlockNumber({ cacheTime: 0 }));
  const startedAt = performance.now();
  let facts = 0;
  for await (const chunk of client.logsInRange({
    fromBlock: 0,
    toBlock: head,
    addresses: directory.addresses(),
  })) {
    for (const each of chunk.logs) if (family.decode(each, directory)) facts += 1;
  }
  const rate = facts / ((performance.now() - startedAt) / 1000);
  await client.close();
  return rate;
}
