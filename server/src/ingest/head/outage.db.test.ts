// Outages, each in the middle of filling in the past and at the head: the database killed, the node gone. The chain lives on meanwhile.
// Nothing is lost, nothing is twice, and nobody lends a hand. The time away is scaled; VAULTOPS_FULL=1 takes the real one.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import { freePort } from "../../../test/free-port.ts";
import { startHoldingNode } from "../../../test/node-proxy.ts";
import type { Call } from "../../../test/simulation/faults.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/simulation/faulty-node.ts";
import { openDatabase } from "../../platform/db/db.ts";
import { migrate } from "../../platform/db/migrate.ts";
import { silentLogger } from "../../platform/log.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../platform/postgres/postgres.ts";

const IS_FULL = process.env.VAULTOPS_FULL === "1";
const DATABASE_AWAY_MS = IS_FULL ? 30_000 : 1_500;
const NODE_AWAY_MS = IS_FULL ? 300_000 : 2_000;
const TIMEOUT_MS = 900_000;
/** In batches so small that some are written before the node holds the logs back. */
const SLOWLY = { batchLimits: { facts: 5, ms: 50 } };
/** Where filling in stands until the outage has come, for it could be over before. */
const HELD_FROM_BLOCK = 200;

describe("the database, killed and away", () => {
  let dataDir: string;
  let postgres: EmbeddedPostgres;
  let followed: Followed;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "vaultops-outage-"));
    postgres = await startEmbeddedPostgres({ dataDir, log: silentLogger(), port: await freePort() });
    await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log: silentLogger() });
    const db = await openDatabase({ url: postgres.appUrl });
    const database = { db, drop: () => db.close() };
    followed = await createFollowed({ confirmations: 3, seed: 101, database });
  });
  afterEach(async () => {
    await followed.end();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("in the middle of filling in the past", { timeout: TIMEOUT_MS }, async () => {
    await past(followed);
    const node = await startHoldingNode(followed.anvil.rpcUrl, HELD_FROM_BLOCK);
    const ingest = followed.start({ rpcUrls: [node.url], logStep: 2 }, SLOWLY);
    await ingest.until("half way", ({ backfill }) => (backfill?.nextBlock ?? 0) > 40);
    await kill();
    node.letOn();
    await liveOn(followed);
    await sleep(DATABASE_AWAY_MS);
    await restart();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
    await node.stop();
  });

  it("at the head", { timeout: TIMEOUT_MS }, async () => {
    followed.start();
    await liveOn(followed);
    await followed.settle();
    await kill();
    await liveOn(followed);
    await sleep(DATABASE_AWAY_MS);
    await restart();
    await liveOn(followed);
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  /** As the operating system kills; durable, for what was committed must be there afterwards. */
  async function kill(): Promise<void> {
    const file = await readFile(join(dataDir, "postgres", "data", "postmaster.pid"), "utf8");
    process.kill(Number(file.split("\n")[0]), "SIGKILL");
    await postgres.ended;
  }

  async function restart(): Promise<void> {
    const port = Number(new URL(postgres.appUrl).port);
    postgres = await startEmbeddedPostgres({ dataDir, log: silentLogger(), port });
  }
});

// Side by side, since each only waits for most of its time.
describe.concurrent.each(["connection reset", "hung socket", "bad gateway"])(
  "the node, away by: %s",
  (fault) => {
    // Shorter than the outage, so that the chain's loops meet it and not the client alone.
    const client = { timeoutMs: 500, logsTimeoutMs: 500, settleMs: 1_000, deadlineMs: 3_000 };

    it("in the middle of filling in the past", { timeout: TIMEOUT_MS }, () =>
      behindFaultyNode(async (followed, node) => {
        await past(followed);
        node.script({ fault: "hung socket", when: isForLaterLogs });
        const ingest = followed.start({ rpcUrls: [node.url], logStep: 2 }, { ...SLOWLY, client });
        await ingest.until("half way", ({ backfill }) => (backfill?.nextBlock ?? 0) > 40);
        await away(followed, node);
        await followed.settle();
        expect(await followed.expectTruth()).toEqual([]);
      }),
    );

    it("at the head", { timeout: TIMEOUT_MS }, () =>
      behindFaultyNode(async (followed, node) => {
        followed.start({ rpcUrls: [node.url] }, { client });
        await liveOn(followed);
        await followed.settle();
        await away(followed, node);
        await liveOn(followed);
        await followed.settle();
        expect(await followed.expectTruth()).toEqual([]);
      }),
    );

    async function away(followed: Followed, node: FaultyNode): Promise<void> {
      node.calm();
      node.script({ fault });
      await followed.ingest().until("failing", ({ error }) => error !== null);
      await liveOn(followed);
      await sleep(NODE_AWAY_MS);
      node.calm();
    }
  },
);

async function behindFaultyNode(
  work: (followed: Followed, node: FaultyNode) => Promise<void>,
): Promise<void> {
  const followed = await createFollowed({ confirmations: 3, seed: 102 });
  const node = await startFaultyNode(followed.anvil.rpcUrl);
  try {
    await work(followed, node);
  } finally {
    await followed.end();
    await node.close();
  }
}

function isForLaterLogs({ method, params }: Call): boolean {
  const [range] = params as { fromBlock?: string }[];
  return method === "eth_getLogs" && Number(range?.fromBlock) >= HELD_FROM_BLOCK;
}

/** Some two hundred and twenty blocks with an operation or two in every fifth. */
async function past({ activity }: Followed): Promise<void> {
  for (let index = 0; index < 44; index += 1) {
    await activity.block(2);
    await activity.chain.client.mine({ blocks: 4 });
  }
}

async function liveOn({ activity }: Followed): Promise<void> {
  for (let index = 0; index < 4; index += 1) await activity.block();
  await activity.reorg(2);
}
