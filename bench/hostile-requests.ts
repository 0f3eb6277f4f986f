// How long others wait while hostile requests come, one after the other: the 99th percentile of the event loop's delay, against that while
// JSON.parse reads the same bytes, once a turn. Bodies of 1 MiB, bodies as large as each route takes, long headers and queries.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createNotifier } from "../server/src/platform/db/notifier.ts";
import { silentLogger } from "../server/src/platform/log.ts";
import { createToken } from "../server/src/reports/tokens.ts";
import { as } from "../server/test/caller.ts";
import { testAddress } from "../server/test/chain-rows.ts";
import { addTwoVaults } from "../server/test/engine.ts";
import { hostileRequests } from "../server/test/hostile-requests.ts";
import { buildWholeApp } from "../server/test/whole-app.ts";
import { startDatabases } from "./support/databases.ts";
import { type Figure, interleave } from "./support/figure.ts";

export const figure: Figure = {
  name: "event loop's delay under hostile requests, p99",
  against: "JSON.parse of the same bytes",
  aim: 0.2,
  async run({ quick }) {
    const databases = await startDatabases();
    const db = await databases.create();
    const dir = await mkdtemp(join(tmpdir(), "vaultops-bench-hostile-"));
    const notifier = createNotifier(db, silentLogger());
    await addTwoVaults(db);
    const app = await buildWholeApp({ db, notifier, dir, chainId: 8453 });
    try {
      const { token } = await createToken(db, { name: "bench", source: "/engine", chains: [], vaults: [] });
      const engine = { authorization: `Bearer ${token}` };
      const requests = hostileRequests({ manager: as(testAddress(1)), engine }).map(({ request }) => request);
      const texts = requests.map(({ payload }) => payload ?? "null");
      const seconds: number[] = [];
      const result = await interleave({
        rounds: quick ? 2 : 7,
        unit: "1/s",
        ours: async () => {
          const delay = await p99Seconds(requests, (request) => app.inject({ ...request }));
          seconds.push(delay);
          return 1 / delay;
        },
        limit: async () => 1 / (await p99Seconds(texts, async (text) => JSON.parse(text))),
      });
      return { ...result, notes: { "longest p99, ms": Math.max(...seconds) * 1000 } };
    } finally {
      await app.close();
      await notifier.close();
      await rm(dir, { recursive: true, force: true });
      await databases.drop(db);
      await databases.stop();
    }
  },
};

async function p99Seconds<T>(all: readonly T[], run: (one: T) => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (const one of all) {
    await run(one);
    await new Promise((resolve) => setImmediate(resolve));
  }
  delay.disable();
  return delay.percentile(99) / 1e9;
}
