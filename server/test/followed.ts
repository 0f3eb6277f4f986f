// A chain that is followed, for tests: a node with activity, a database, ingestion that can be stopped and started, and the
// comparison of what was stored with what the node says.
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type Anvil, type AnvilOptions, startAnvil } from "../../demo/src/anvil.ts";
import { Activity } from "./activity.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { type Entry, inChainOrder, readFactPlaces, readRecorded, readTruth } from "./ground-truth.ts";
import { type IngestOptions, type RunningIngest, startIngest, type TestChain } from "./ingest.ts";

export interface FollowedOptions {
  confirmations?: number;
  seed?: number;
  trios?: number;
  anvil?: AnvilOptions;
  /** A fresh clone of the template where left out. */
  database?: Pick<TestDatabase, "db" | "drop">;
}

export interface Followed {
  anvil: Anvil;
  activity: Activity;
  database: Pick<TestDatabase, "db" | "drop">;
  /** Starts ingestion, or starts it again. */
  start(overrides?: Partial<TestChain>, options?: IngestOptions): RunningIngest;
  /** The one that runs. */
  ingest(): RunningIngest;
  stop(): Promise<void>;
  /** Mines a block and waits until everything is stored, filled in and, where deep enough, confirmed. */
  settle(): Promise<void>;
  /** Waits until no source is behind the head. */
  joined(): Promise<void>;
  /** Holds the facts and the audit log against the node. Returns the entries that are marked as reverted. */
  expectTruth(): Promise<Entry[]>;
  /** The same chain, followed into another database. */
  with(database: Followed["database"]): Followed;
  end(): Promise<void>;
}

export async function createFollowed(options: FollowedOptions = {}): Promise<Followed> {
  const confirmations = options.confirmations ?? 2;
  // The truth is read at the blocks themselves, however many come.
  const anvil = await startAnvil({ persistedStates: 100_000, ...options.anvil });
  const activity = await Activity.start(anvil.rpcUrl, { ...options, confirmations });
  return followedInto(options.database ?? (await createTestDatabase()), { anvil, activity, confirmations });
}

function followedInto(
  database: Followed["database"],
  chain: { anvil: Anvil; activity: Activity; confirmations: number },
): Followed {
  const { anvil, activity, confirmations } = chain;
  const { chainId, rpcUrl } = anvil;
  const { aggregator } = activity.system;
  let running: RunningIngest | null = null;
  const ingest = () => {
    if (!running) throw new Error("ingestion is stopped");
    return running;
  };

  return {
    anvil,
    activity,
    database,
    ingest,
    start(overrides = {}, ingestOptions = {}) {
      const sources = [{ family: "supervault" as const, aggregator }];
      running = startIngest(
        database.db,
        [{ chainId, rpcUrls: [rpcUrl], confirmations, sources, ...overrides }],
        ingestOptions,
      );
      return running;
    },
    async stop() {
      await running?.stop();
      running = null;
    },
    async settle() {
      const head = await activity.mine();
      await ingest().until(
        `settled at ${head}`,
        (status) =>
          status.head === head &&
          status.confirmed === Math.max(0, head - confirmations) &&
          status.backfill === null &&
          status.error === null,
      );
      await untilJoined(database);
    },
    joined: () => untilJoined(database),
    async expectTruth() {
      const { head, confirmed } = ingest().status();
      const truth = await readTruth(activity.chain, aggregator, { head: head!, confirmed: confirmed! });
      const recorded = await readRecorded(database.db, chainId);
      expect(await readFactPlaces(database.db, chainId)).toEqual(truth.logs);
      expect(inChainOrder(recorded.entries)).toEqual(inChainOrder(truth.entries));
      return recorded.reverted;
    },
    with: (other) => followedInto(other, chain),
    async end() {
      await running?.stop();
      await database.drop();
      await anvil.stop();
    },
  };
}

/** No source is behind the head. */
export async function untilJoined(database: Pick<TestDatabase, "db">): Promise<void> {
  for (;;) {
    const { rows } = await database.db.pool.query(
      "select 1 from sources where next_block is not null limit 1",
    );
    if (rows.length === 0) return;
    await sleep(20);
  }
}
