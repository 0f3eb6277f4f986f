// The leader lost in the middle of filling in the past, in the middle of a batch's transaction: another process goes on from what was
// committed, and nothing is lost or twice. The batch is held in the database, so that it is the middle on any machine.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import type { IndexerArguments } from "../../../test/indexer.ts";

const INDEXER = fileURLToPath(new URL("../../../test/indexer.ts", import.meta.url));
const CONFIRMATIONS = 3;
const HELD_FROM_BLOCK = 60;
const KEY = 60_606;
const WAIT = { timeout: 240_000, interval: 20 };

let database: TestDatabase;
let followed: Followed;
let holder: pg.Client;
const indexers: ChildProcess[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  followed = await createFollowed({ seed: 71, confirmations: CONFIRMATIONS, database });
  for (let index = 0; index < 40; index += 1) {
    await followed.activity.block(2);
    await followed.activity.chain.client.mine({ blocks: 4 });
  }
  await database.owner.pool.query(`
    create function hold_batch() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(${KEY}); return new; end $$;
    create trigger hold_batch before update on sources for each row
      when (new.next_block > ${HELD_FROM_BLOCK}) execute function hold_batch()`);
  holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query("select pg_advisory_lock($1)", [KEY]);
});
afterEach(async () => {
  for (const indexer of indexers.splice(0)) await kill(indexer, "SIGKILL");
  await holder.end();
  await followed.end();
});

it.each(["SIGKILL", "SIGSTOP"] as const)("by %s", { timeout: 600_000 }, async (signal) => {
  const [first, second] = [start(), start()];
  await expect.poll(isHeld, WAIT).toBe(true);
  const leader = (await leads(first)) ? first : second;
  const standby = leader === first ? second : first;
  expect(await leads(leader)).toBe(true);
  const { rows: before } = await database.db.pool.query("select next_block from sources");
  expect(before[0].next_block).toBeLessThanOrEqual(HELD_FROM_BLOCK);
  await kill(leader, signal);
  await holder.query("select pg_advisory_unlock($1)", [KEY]);

  await expect.poll(() => leads(standby), WAIT).toBe(true);
  leader.kill("SIGCONT");
  await followed.activity.block(3);
  await followed.joined();
  // Either might take the lead from the one that is asked below.
  for (const indexer of [standby, leader]) await kill(indexer, "SIGKILL");
  followed.start();
  await followed.settle();
  expect(await followed.expectTruth()).toEqual([]);
});

function start(): ChildProcess {
  const { anvil, activity } = followed;
  const sources = [{ family: "supervault" as const, aggregator: activity.system.aggregator }];
  const indexer: IndexerArguments = {
    databaseUrl: database.url,
    chains: [
      {
        chainId: anvil.chainId,
        rpcUrls: [anvil.rpcUrl],
        confirmations: CONFIRMATIONS,
        sources,
        logStep: 2,
      },
    ],
    batchLimits: { facts: 5, ms: 50 },
  };
  const child = spawn(process.execPath, [INDEXER, JSON.stringify(indexer)], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  indexers.push(child);
  return child;
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  if (signal === "SIGKILL") await once(child, "exit");
}

async function leads({ pid }: ChildProcess): Promise<boolean> {
  const { rows } = await database.db.pool.query<{ holder_name: string }>(
    "select holder_name from chain_leases where holder is not null",
  );
  return rows[0]?.holder_name.endsWith(`:${pid}`) ?? false;
}

/** Whether a batch waits in its transaction. */
async function isHeld(): Promise<boolean> {
  const { rows } = await database.db.pool.query(
    `select 1 from pg_locks where locktype = 'advisory' and objid = $1 and not granted
       and database = (select oid from pg_database where datname = current_database())`,
    [KEY],
  );
  return rows.length > 0;
}
