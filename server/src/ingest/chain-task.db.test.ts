// What may happen to one chain must not reach another; and nothing that happens outside may need a hand.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type Anvil, startAnvil } from "../../../demo/src/anvil.ts";
import { connectChain } from "../../../demo/src/chain.ts";
import { createFollowed, type Followed } from "../../test/followed.ts";
import { startIngest } from "../../test/ingest.ts";
import { startHoldingNode } from "../../test/node-proxy.ts";
import { type Database, openDatabase } from "../platform/db/db.ts";
import { migrate } from "../platform/db/migrate.ts";
import { silentLogger } from "../platform/log.ts";
import { startEmbeddedPostgres } from "../platform/postgres/postgres.ts";

let followed: Followed;
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

describe("a chain's task", () => {
  it("refuses a development chain that was restarted under the same id, says so, and mixes nothing", async () => {
    followed = await createFollowed({ seed: 21 });
    cleanups.push(() => followed.end());
    const { anvil, activity, database } = followed;
    const ingest = followed.start();
    for (let index = 0; index < 4; index += 1) await activity.block();
    await followed.settle();
    const stored = await snapshot(database.db);

    await anvil.stop();
    const restarted = await startAnvil({ port: anvil.port, genesisTimestamp: 1_600_000_000 });
    cleanups.push(() => restarted.stop());
    await ingest.until("refused", ({ error }) => error?.includes("another chain") ?? false);
    await mineOn(restarted, ingest.status().head! + 20);
    await ingest.until("still refused", ({ error }) => error?.includes("another chain") ?? false);
    await followed.stop();
    followed.start();
    await followed
      .ingest()
      .until("refused at the start", ({ error }) => error?.includes("another chain") ?? false);
    expect(await snapshot(database.db)).toEqual(stored);
  });

  it("names a node that serves another chain than configured once, and says which it serves", async () => {
    followed = await createFollowed({ seed: 25 });
    cleanups.push(() => followed.end());
    const { anvil } = followed;
    const ingest = followed.start({ chainId: 999 });
    const { error } = await ingest.until(
      "refused",
      (status) => status.error?.includes("serves") ?? false,
      999,
    );
    expect(error).toBe(`127.0.0.1:${anvil.port}: serves chain ${anvil.chainId}, but chain 999 is configured`);
  });

  it("is not held up by other chains, dead, hanging or restarted ones", async () => {
    followed = await createFollowed({ seed: 22 });
    cleanups.push(() => followed.end());
    const { anvil, activity, database } = followed;
    const second = await startAnvil({ chainId: 4242, blockTimeSeconds: 1 });
    cleanups.push(() => second.stop());
    const hanging = createServer(() => {}).listen(0, "127.0.0.1");
    await once(hanging, "listening");
    cleanups.push(async () => {
      hanging.closeAllConnections();
      hanging.close();
    });
    const { aggregator } = activity.system;
    const sources = [{ family: "supervault" as const, aggregator }];
    const ingest = startIngest(database.db, [
      { chainId: 5151, rpcUrls: [`http://127.0.0.1:${(hanging.address() as AddressInfo).port}`], sources },
      { chainId: 6161, rpcUrls: ["http://127.0.0.1:9"], sources },
      { chainId: anvil.chainId, rpcUrls: [anvil.rpcUrl], sources },
      { chainId: second.chainId, rpcUrls: [second.rpcUrl], sources: [] },
    ]);
    cleanups.push(() => ingest.stop());
    for (let index = 0; index < 6; index += 1) {
      const head = await activity.block();
      await ingest.until(`at ${head}`, (status) => status.head === head, anvil.chainId);
    }
    await ingest.until("three blocks on", (status) => (status.head ?? 0) >= 3, second.chainId);
    await ingest.until("dead", (status) => status.error !== null && status.head === null, 6161);
    expect(ingest.status(5151).head).toBeNull();
    expect(ingest.status(anvil.chainId).error).toBeNull();
  });

  it("goes on by itself after the node was away", async () => {
    followed = await createFollowed({ seed: 23 });
    cleanups.push(() => followed.end());
    const { anvil, activity } = followed;
    const ingest = followed.start();
    for (let index = 0; index < 4; index += 1) await activity.block();
    await followed.settle();
    process.kill(anvil.pid, "SIGSTOP");
    await ingest
      .until("failing", ({ error }) => error !== null)
      .finally(() => process.kill(anvil.pid, "SIGCONT"));
    for (let index = 0; index < 4; index += 1) await activity.block();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });

  it("goes on by itself after PostgreSQL was restarted, at the head and while the past is filled in", async () => {
    const dataDir = await scratchFolder();
    const log = silentLogger();
    let postgres = await startEmbeddedPostgres({ dataDir, log, isDurable: false });
    cleanups.push(() => postgres.stop());
    await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log });
    const db = await openDatabase({ url: postgres.appUrl });
    followed = await createFollowed({ seed: 24, database: { db, drop: () => db.close() } });
    cleanups.push(() => followed.end());
    const { activity } = followed;
    const restart = async () => {
      await postgres.stop();
      await activity.block();
      postgres = await startEmbeddedPostgres({
        dataDir,
        log,
        isDurable: false,
        port: Number(new URL(postgres.appUrl).port),
      });
    };
    for (let index = 0; index < 40; index += 1) {
      await activity.block(2);
      await activity.chain.client.mine({ blocks: 4 });
    }
    const node = await startHoldingNode(followed.anvil.rpcUrl, 200);
    cleanups.push(node.stop);
    const ingest = followed.start({ rpcUrls: [node.url], logStep: 2 }, { batchLimits: { facts: 5, ms: 50 } });
    const { head } = await ingest.until("filling in", ({ backfill }) => (backfill?.nextBlock ?? 0) > 40);
    expect(head).toBeGreaterThan(200);
    await restart();
    node.letOn();
    await followed.settle();
    for (let index = 0; index < 4; index += 1) await activity.block();
    await restart();
    for (let index = 0; index < 4; index += 1) await activity.block();
    await followed.settle();
    expect(await followed.expectTruth()).toEqual([]);
  });
});

async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "vaultops-chain-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function mineOn(anvil: Anvil, blocks: number): Promise<void> {
  const { client } = await connectChain(anvil.rpcUrl);
  await client.mine({ blocks });
}

/** Everything that ingestion writes, as it stands. */
async function snapshot(db: Database): Promise<unknown> {
  const tables = ["blocks", "facts", "vaults", "audit_entries", "vault_roles", "vault_states"];
  const counts = await Promise.all(
    tables.map(
      async (table) =>
        (
          await db.pool.query(
            `select count(*)::int as n, md5(string_agg(t::text, '' order by t::text)) as sum from ${table} t`,
          )
        ).rows[0],
    ),
  );
  const { rows } = await db.pool.query("select head_number, head_hash, confirmed_number from chains");
  return { counts, rows };
}
