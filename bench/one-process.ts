// The whole service in one process, as a small operator runs it: 500 vaults on 50 chains of one-second blocks, followed, judged and served to
// 300 polls a second. What it takes of processor and memory, the database apart.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startServiceProcess } from "../server/test/service-process.ts";
import { startBusyChain } from "./support/busy-chain.ts";
import { startChainCrowd } from "./support/chain-crowd.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, median } from "./support/figure.ts";
import { cpuMs, peakMemoryMb } from "./support/process-cost.ts";

const [CHAINS, VAULTS_PER_CHAIN, POLLS_PER_SECOND] = [50, 10, 300];
const FIRST_CHAIN_ID = 10_000;
const BLOCK_MS = 1_000;
const EVENTS_EVERY = 5;

export const figure: Figure = {
  name: `one process: ${CHAINS * VAULTS_PER_CHAIN} vaults, ${CHAINS} chains, ${POLLS_PER_SECOND} polls a second`,
  against: "one core",
  aim: 1,
  async run({ quick }) {
    const seconds = quick ? 10 : 60;
    const chainIds = Array.from({ length: CHAINS }, (_, index) => FIRST_CHAIN_ID + index);
    const databases = await startDatabases();
    const busy = await startBusyChain(0, { vaults: VAULTS_PER_CHAIN });
    const crowd = await startChainCrowd(busy.anvil.rpcUrl);
    const db = await databases.create();
    const dataDir = await mkdtemp(join(tmpdir(), "vaultops-bench-one-"));
    const service = startServiceProcess([], {
      VAULTOPS_DATA_DIR: dataDir,
      VAULTOPS_DATABASE__URL: db.url,
      VAULTOPS_HTTP__RATE_LIMITS: JSON.stringify({ per_wallet: 1e12, per_ip: 1e12 }),
      VAULTOPS_CHAINS: JSON.stringify(
        chainIds.map((chainId) => ({
          chain_id: chainId,
          name: `Chain ${chainId}`,
          rpc_urls: [crowd.urlOf(chainId)],
          confirmations: 2,
          sources: [{ family: "supervault", aggregator: busy.aggregator }],
        })),
      ),
    });
    try {
      const url = (await service.line(({ msg }) => msg === "serving")).url as string;
      for (;;) {
        const { rows } = await db.pool.query<{ n: number }>(
          "select count(*)::int as n from sources where next_block is null",
        );
        if (rows[0]!.n === CHAINS) break;
        crowd.moved();
        await sleep(500);
      }
      const begun = { cpuMs: await cpuMs(service.pid), atMs: performance.now() };
      const until = begun.atMs + seconds * 1_000;
      const [latenciesMs] = await Promise.all([poll(url, chainIds, until), makeBlocks(busy, crowd, until)]);
      const cores = ((await cpuMs(service.pid)) - begun.cpuMs) / (performance.now() - begun.atMs);
      latenciesMs.sort((a, b) => a - b);
      return {
        ratio: 1 / cores,
        ours: cores,
        limit: 1,
        unit: "cores",
        spread: 0,
        notes: {
          seconds,
          polls_per_second: Math.round(latenciesMs.length / seconds),
          poll_p50_ms: Math.round(median(latenciesMs)),
          poll_p99_ms: Math.round(latenciesMs[Math.floor(latenciesMs.length * 0.99)]!),
          peak_memory_mb: await peakMemoryMb(service.pid),
        },
      };
    } finally {
      await service.end();
      await crowd.close();
      await databases.drop(db);
      await busy.anvil.stop();
      await databases.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

/** Asks for each chain's vaults in turn, at the moments when polls are due whatever became of those before. */
async function poll(url: string, chainIds: readonly number[], until: number): Promise<number[]> {
  const latenciesMs: number[] = [];
  const asking = new Set<Promise<void>>();
  const ask = async (chainId: number) => {
    const askedAt = performance.now();
    const answer = await fetch(`${url}/api/v1/public/vaults?chain_id=${chainId}`);
    await answer.arrayBuffer();
    if (answer.status !== 200) throw new Error(`a poll was answered with ${answer.status}`);
    latenciesMs.push(performance.now() - askedAt);
  };
  const begunAt = performance.now();
  for (let count = 0; performance.now() < until; count += 1) {
    const dueAt = begunAt + (count * 1_000) / POLLS_PER_SECOND;
    if (dueAt > performance.now()) await sleep(dueAt - performance.now());
    const asked = ask(chainIds[count % chainIds.length]!).finally(() => asking.delete(asked));
    asking.add(asked);
  }
  await Promise.all(asking);
  return latenciesMs;
}

async function makeBlocks(
  busy: Awaited<ReturnType<typeof startBusyChain>>,
  crowd: { moved(): void },
  until: number,
): Promise<void> {
  for (let index = 0; performance.now() < until; index += 1) {
    const dueAt = performance.now() + BLOCK_MS;
    if (index % EVENTS_EVERY === 0) await busy.block();
    else await busy.chain.client.mine({ blocks: 1 });
    crowd.moved();
    await sleep(Math.max(0, dueAt - performance.now()));
  }
}
