// Invariant: one block, one transaction. An indexer that is killed with -9 at random instants, while blocks come and reorganise,
// leaves nothing lost and nothing twice; and each one started after goes on from what it finds.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { createFollowed } from "../../test/followed.ts";
import { readRecorded } from "../../test/ground-truth.ts";
import type { IndexerArguments } from "../../test/indexer.ts";

const KILLS = process.env.VAULTOPS_FULL === "1" ? 50 : 4;
/** From beginning to work to being killed: from before the first query to well into following the head. */
const MAX_LIFE_MS = 1_500;
const INDEXER = fileURLToPath(new URL("../../test/indexer.ts", import.meta.url));

it(`loses nothing and doubles nothing, killed ${KILLS} times at random instants while blocks come and reorganise`, async () => {
  const database = await createTestDatabase();
  const followed = await createFollowed({ seed: 31, confirmations: 3, database });
  const { anvil, activity } = followed;
  const kept: (string | null)[] = [];
  try {
    for (let index = 0; index < 60; index += 1) {
      await activity.block(2);
      await activity.chain.client.mine({ blocks: 4 });
    }
    const sources = [{ family: "supervault" as const, aggregator: activity.system.aggregator }];
    const indexer: IndexerArguments = {
      databaseUrl: database.url,
      chains: [{ chainId: anvil.chainId, rpcUrls: [anvil.rpcUrl], confirmations: 3, sources, logStep: 10 }],
      batchLimits: { facts: 8, ms: 100 },
    };
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = start(indexer);
      const lifeMs = activity.draw(MAX_LIFE_MS);
      let isAlive = true;
      // One that ends before it says anything would be waited for in vain.
      const begun = Promise.race([once(child.stdout!, "data"), once(child, "exit")]);
      // Every other one from its first commit on, so that on however busy a machine some did write before they were killed.
      const killed = begun
        .then(() => (kill % 2 === 1 ? untilWritten(database, kept.at(-1), child) : undefined))
        .then(() => sleep(lifeMs))
        .then(() => child.kill("SIGKILL"))
        .finally(() => {
          isAlive = false;
        });
      while (isAlive) {
        await activity.block(3);
        // Every so often deeper than the confirmations.
        if (activity.draw(4) === 0) await activity.reorg(1 + activity.draw(5));
        await sleep(activity.draw(60));
      }
      await killed;
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      expect(child.signalCode).toBe("SIGKILL");
      kept.push(await written(database));
    }
    followed.start();
    await followed.settle();
    await followed.expectTruth();
    const { entries } = await readRecorded(database.db, anvil.chainId);
    expect(entries.length).toBeGreaterThan(50);
    // The test is not about the last one alone.
    expect(new Set(kept).size).toBeGreaterThan(KILLS / 2);
  } finally {
    await followed.end();
  }
}, 600_000);

/** How far what is stored has come: another text after each commit. */
async function written({ db }: TestDatabase): Promise<string | null> {
  const { rows } = await db.pool.query<{ at: string | null }>(
    "select (select revision from chains)::text || ':' || (select count(*) from audit_entries) as at",
  );
  return rows[0]!.at;
}

async function untilWritten(
  database: TestDatabase,
  before: string | null | undefined,
  by: ChildProcess,
): Promise<void> {
  while (by.exitCode === null && by.signalCode === null && (await written(database)) === before)
    await sleep(20);
}

function start(indexer: IndexerArguments): ChildProcess {
  return spawn(process.execPath, [INDEXER, JSON.stringify(indexer)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}
