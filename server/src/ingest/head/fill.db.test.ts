// Blocks whose logs the nodes never tell as they are hold up nothing, and are filled in when a node tells them.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { PoolClient } from "pg";
import { zeroAddress } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { AUDITED_EVENTS } from "../../../test/entry-rules.ts";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import { inChainOrder, readFactPlaces, readRecorded, readTruth } from "../../../test/ground-truth.ts";
import type { IndexerArguments } from "../../../test/indexer.ts";
import type { Call } from "../../../test/simulation/faults.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/simulation/faulty-node.ts";
import { insertGaps } from "../block/gaps.ts";

let database: TestDatabase;
let followed: Followed;
let node: FaultyNode;

beforeEach(async () => {
  database = await createTestDatabase();
  followed = await createFollowed({ seed: 304, database });
  node = await startFaultyNode(followed.anvil.rpcUrl);
  aheadMs = 0;
  stillMs = null;
});
afterEach(async () => {
  await followed.end();
  await node.close();
});

/** Ten times as many in the full run. */
const STORMS = Array.from(
  { length: process.env.VAULTOPS_FULL === "1" ? 30 : 3 },
  (_, index) => `fill ${index + 1}`,
);

/** How far pauses and patience are ahead of the clock. */
let aheadMs = 0;
/** Where they stand still. */
let stillMs: number | null = null;

const nowMs = () => stillMs ?? performance.now() + aheadMs;

const start = (patienceMs?: number) =>
  followed.start(
    { rpcUrls: [node.url] },
    {
      ...(patienceMs === undefined ? {} : { patienceMs }),
      nowMs,
      client: { backoffMs: { base: 5, max: 50 }, settleMs: 200 },
    },
  );

describe("a block whose logs do not fit its header", () => {
  it("is gone on without, at the head, and comes whole with the vault that it announced once the node tells it", async () => {
    start(0);
    const gap = await leftOutAtHead();
    const isConfirmed = followed.ingest().status().confirmed! >= gap.block_number;
    expect([isConfirmed, await factsAt(gap.block_number)]).toEqual([true, 0]);

    node.calm();
    await filled();
    await expectWhole();
    const { entries } = await readRecorded(database.db, followed.anvil.chainId);
    const late = entries.filter(({ block_number }) => block_number === gap.block_number);
    expect(late.length).toBeGreaterThan(2);
    expect(late.every(({ details }) => details.backfilled === true)).toBe(true);
  });

  it("is gone on without, in the past, and what follows is filled in up to the head", async () => {
    const { activity } = followed;
    for (let index = 0; index < 12; index += 1) await activity.block();
    const number = Number(await activity.chain.client.getBlockNumber({ cacheTime: 0 }));
    const truth = await readTruth(activity.chain, activity.system.aggregator, {
      head: number,
      confirmed: number,
    });
    // Behind every announcement.
    const bad = truth.logs.findLast(({ block_number }) => block_number < number - 4)!;
    const isBad = ({ params }: Call) => {
      const { blockHash, fromBlock, toBlock } = params[0] as Record<string, string>;
      if (blockHash) return blockHash === bad.block_hash;
      return Number(fromBlock) <= bad.block_number && bad.block_number <= Number(toBlock);
    };
    node.script({ fault: "empty logs", when: (call) => call.method === "eth_getLogs" && isBad(call) });
    start(0);
    await followed.settle();
    expect(await gaps()).toMatchObject([{ block_number: bad.block_number, lacks: "logs", filled_at: null }]);
    const others = truth.logs.filter(({ block_number }) => block_number !== bad.block_number);
    const stored = await readFactPlaces(database.db, followed.anvil.chainId);
    expect(stored.slice(0, others.length)).toEqual(others);

    node.calm();
    await filled();
    const { logs } = await truthNow();
    expect(await readFactPlaces(database.db, followed.anvil.chainId)).toEqual(logs);
  });

  it("is not gone on without because its header was told wrong, and the next one's parent to match", async () => {
    const { activity } = followed;
    start(0);
    await activity.block();
    await followed.settle();
    await followed.stop();
    await activity.deployAndUse();
    const head = await activity.mine();
    const isOf = (number: number) => (call: Call) =>
      call.method === "eth_getBlockByNumber" && Number(call.params[0]) === number;
    const isLatest = ({ method, params }: Call) =>
      method === "eth_getBlockByNumber" && params[0] === "latest";
    const isTold = () => node.done.has("header with a wrong hash");
    node.script({ fault: "header with a wrong parent", when: (call) => isLatest(call) && !isTold() });
    node.script({ fault: "header with a wrong hash", times: 1, when: isOf(head - 1) });
    start(0);
    // Confirming follows the head: what is compared must not change meanwhile.
    const isConfirmed = (status: { confirmed: number | null }) => status.confirmed === head - 2;
    await followed.ingest().until(`at ${head}`, (status) => status.head === head && isConfirmed(status));
    expect(isTold()).toBe(true);
    expect(await gaps()).toEqual([]);
    await followed.expectTruth();
  });

  it("is waited for while the node tells no other block's logs either", async () => {
    const { activity } = followed;
    start(0);
    await activity.block();
    await followed.settle();
    node.script({ fault: "empty logs", when: ({ method }) => method === "eth_getLogs" });
    await activity.deployAndUse();
    const head = await activity.mine();
    await followed.ingest().until("held up", ({ error }) => error !== null);
    expect(await gaps()).toEqual([]);
    node.calm();
    await followed.ingest().until(`at ${head}`, (status) => status.head === head);
    await followed.settle();
    await followed.expectTruth();
  });
});

describe("a block that is filled in", () => {
  it("is so while each look at the node finds a new head, as where a WebSocket tells of them", async () => {
    const { activity, anvil } = followed;
    followed.start(
      { rpcUrls: [node.url, anvil.rpcUrl.replace("http", "ws")] },
      { patienceMs: 0, client: { backoffMs: { base: 5, max: 50 }, settleMs: 200 } },
    );
    await leftOutAtHead();
    node.calm();
    while ((await gaps())[0]!.filled_at === null) {
      const head = await activity.mine();
      await followed.ingest().until(`at ${head}`, (status) => status.head === head);
    }
    await followed.settle();
    expect(await readFactPlaces(database.db, anvil.chainId)).toEqual((await truthNow()).logs);
  });

  it("is so however many before it are never told", async () => {
    const { activity, anvil } = followed;
    for (let index = 0; index < 100; index += 1) await activity.mine();
    const first = (await activity.mine()) - 90;
    start(0);
    const gap = await leftOutAtHead();
    // Blocks that no node has: 70 of them, below the one that is told.
    const numbers = Array.from({ length: 70 }, (_, index) => first + index);
    await database.db.pool.query(
      `insert into blocks (chain_id, number, hash, parent_hash, block_timestamp)
       select $1, n, '0x' || lpad(to_hex(n), 64, 'f'), null, to_timestamp(n) from unnest($2::bigint[]) n
       on conflict do nothing`,
      [anvil.chainId, numbers],
    );
    await database.db.pool.query(
      `insert into chain_gaps (chain_id, block_number, subject, lacks, reason)
       select $1, number, 'x', 'logs', 'inconsistent' from blocks where number = any($2::bigint[])`,
      [anvil.chainId, numbers],
    );
    expect((await gaps()).length).toBeGreaterThan(64);
    node.calm();
    const isFilled = async () =>
      (await gaps()).find(({ block_number }) => block_number === gap.block_number)!.filled_at !== null;
    while (!(await isFilled())) await sleep(20);
  });

  it("is open again when the node does not tell it to a source that comes to it later", async () => {
    start(0);
    const { block_number, subject } = await leftOutAtHead();
    node.calm();
    await filled();
    await followed.stop();
    const gap = { blockNumber: block_number, subject, lacks: "logs", reason: "inconsistent" } as const;
    await database.db.transaction((tx) => insertGaps(tx, followed.anvil.chainId, [gap]));
    expect(await gaps()).toMatchObject([{ block_number, filled_at: null }]);
    start(0);
    await filled();
    await expectWhole();
  });
});

describe("what is told late", () => {
  it.each(STORMS)("is whole, and all that is derived with it, after a storm: %s", async (seed) => {
    start(0);
    await leftOutAtHead();
    node.storm({ seed, exchanges: 0.05, calls: 0.2, lags: [0, 1], hangMs: 200 });
    for (let index = 0; index < 10; index += 1) await followed.activity.block();
    const head = Number(await followed.activity.chain.client.getBlockNumber({ cacheTime: 0 }));
    await followed.ingest().until(`at ${head}`, (status) => status.head === head);
    node.calm();
    await filled();
    await expectWhole();
  });

  it("is read at once where the vaults that it tells of could not be read for long", async () => {
    start(0);
    await leftOutAtHead();
    node.script({ fault: "internal error", when: ({ method }) => method === "eth_call" });
    // Each failure in a row doubles the pause.
    for (let index = 0; index < 5; index += 1) {
      const head = await followed.activity.block();
      await followed.ingest().until(`at ${head}`, (status) => status.head === head);
      aheadMs += 60_000;
    }
    node.calm();
    await filled();
    await expectWhole();
  });

  it("holds up no vault that an earlier block without its logs announced", async () => {
    start(0);
    const gap = await leftOutAtHead();
    const later = await leftOutAtHead(tellsOf(gap));
    node.calm();
    node.script({ fault: "empty logs", when: tellsOf(later) });
    await filled(gap);
    expect(await vaultsOf(gap)).not.toEqual([]);
    expect(await open()).toMatchObject([{ block_number: later.block_number, lacks: "logs" }]);
    node.calm();
    await filled();
    await expectWhole();
  });

  it("stays open for a source that passes its block while it is being filled in", async () => {
    start(0);
    const gap = await leftOutAtHead();
    // Nothing is marked as filled in while this is held, but by the holder.
    const hold = await holdBefore("update on chain_gaps");
    node.calm();
    while (!(await hold.isMet())) await sleep(20);
    stillMs = nowMs();
    // As a source does that comes to the block meanwhile and is not told its logs.
    await hold.holder.query("update chain_gaps set found_at = now(), reason = 'passed' where lacks = 'logs'");
    await hold.release();
    const head = await followed.activity.mine();
    await followed.ingest().until(`at ${head}`, (status) => status.head === head);
    expect(await open()).toMatchObject([{ block_number: gap.block_number, reason: "passed" }]);
    stillMs = null;
    await filled();
    await expectWhole();
  });

  it("is asked for at once though nothing was for long: a pause does not outlast what it was for", async () => {
    start(0);
    await followed.activity.block();
    for (let index = 0; index < 12; index += 1) {
      aheadMs += 120_000;
      await followed.settle();
    }
    stillMs = nowMs();
    await leftOutAtHead();
    node.calm();
    // Long enough for the first pause, and for no other.
    stillMs += 1_000;
    await filled();
  });

  it("completes an entry that is not written yet, and stands beside one that is", async () => {
    start(0);
    await followed.activity.block();
    await followed.settle();
    node.script({ fault: "unknown transactions" });
    for (let index = 0; index < 6; index += 1) await followed.activity.block();
    const head = await followed.activity.mine();
    await followed.ingest().until(`at ${head}`, ({ confirmed }) => confirmed === head - 2);
    const before = await bodies();
    const lacking = before.filter(({ details }) => details.not_told);
    expect(lacking.length).toBeGreaterThan(2);
    node.calm();
    await filled();
    await expectWhole();
    const after = await bodies();
    expect(after.slice(0, before.length)).toEqual(before);
    const later = after.filter(({ details }) => details.told_later);
    expect(later.map(placeOf).sort()).toEqual(lacking.map(placeOf).sort());
    expect(later.every(({ details }) => details.backfilled === true && !details.not_told)).toBe(true);
    expect(later.some(({ actor_wallet }) => actor_wallet !== zeroAddress)).toBe(true);
  });

  it("is marked where the state lacks that a fact is completed with, and filled in when a node has it", async () => {
    const { activity } = followed;
    start();
    await activity.block();
    await followed.settle();
    node.script({ fault: "pruned state", when: ({ method }) => method === "eth_call" });
    const proposed = AUDITED_EVENTS.find(({ signature }) => signature.startsWith("PPSExpirationProposed("))!;
    await activity.emit(proposed);
    const block = await activity.mine();
    await activity.mine();
    await activity.mine();
    await followed.ingest().until(`confirmed ${block}`, ({ confirmed }) => confirmed === block);
    const own = (await bodies()).filter(({ details }) => details.block_number === block);
    expect(own).toMatchObject([
      { details: { current_pps_expiration_seconds: null, not_told: ["pps_expiration"] } },
    ]);
    const lacking = { block_number: block, lacks: "pps_expiration", reason: "state_missing" };
    expect(await open()).toMatchObject([lacking]);
    node.calm();
    aheadMs += 3_600_000;
    await filled();
    await expectWhole();
  });
});

describe("a block whose logs are not told", () => {
  it("holds up its chain for five minutes, and no longer", async () => {
    const { activity } = followed;
    start();
    await activity.block();
    await followed.settle();
    const isBad = whichIsFirst();
    node.script({ fault: "empty logs", when: (call) => asksFor(call) && isBad(call) });
    await activity.deployAndUse();
    await activity.mine();
    const head = await activity.mine();
    await followed.ingest().until("held up", ({ error }) => error !== null);
    aheadMs += 290_000;
    await followed.ingest().until("held up still", ({ error }) => error !== null);
    expect(await gaps()).toEqual([]);
    aheadMs += 10_000;
    await followed.ingest().until(`at ${head}`, (status) => status.head === head);
    expect(await gaps()).toMatchObject([{ lacks: "logs", filled_at: null }]);
    node.calm();
    await filled();
    await expectWhole();
  });
});

describe("a block that is being filled in", () => {
  it("comes whole though its process ends between its facts and what is derived of them", async () => {
    const { activity } = followed;
    start(0);
    const gap = await leftOutAtHead();
    await database.owner.pool.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'the end'; end $$;
      create trigger refuse before update on chain_gaps for each row execute function refuse()`);
    node.calm();
    while ((await factsAt(gap.block_number)) === 0) await sleep(20);
    await followed.stop();
    start(0);
    for (let index = 0; index < 6; index += 1) {
      const head = await activity.block();
      await followed.ingest().until(`at ${head}`, (status) => status.head === head);
    }
    await database.owner.pool.query("drop trigger refuse on chain_gaps");
    await filled();
    await expectWhole();
  });
});

describe("a process that is killed while it fills in", () => {
  // Before its facts are there, before their entries are, and before what is derived of them is.
  it("leaves nothing lost and nothing twice, wherever it was", async () => {
    start(0);
    await leftOutAtHead();
    await followed.stop();
    node.calm();
    for (const at of ["insert on facts", "insert on audit_entries", "update on chain_gaps"]) await killAt(at);
    for (let kill = 0; kill < RANDOM_KILLS; kill += 1) {
      const child = await startIndexer();
      await sleep(followed.activity.draw(1_500));
      await kill9(child);
    }
    start(0);
    await filled();
    await expectWhole();
    const { rows } = await database.db.pool.query(
      "select id from audit_entries group by id having count(*) > 1",
    );
    expect(rows).toEqual([]);
  });
});

/** Of the full run. */
const RANDOM_KILLS = process.env.VAULTOPS_FULL === "1" ? 20 : 0;
const INDEXER = fileURLToPath(new URL("../../../test/indexer.ts", import.meta.url));

async function startIndexer(): Promise<ChildProcess> {
  const { anvil, activity } = followed;
  const sources = [{ family: "supervault" as const, aggregator: activity.system.aggregator }];
  const indexer: IndexerArguments = {
    databaseUrl: database.url,
    chains: [{ chainId: anvil.chainId, rpcUrls: [node.url], confirmations: 2, sources }],
    batchLimits: { facts: 8, ms: 100 },
    options: { patienceMs: 0, client: { backoffMs: { base: 5, max: 50 }, settleMs: 200 } },
  };
  const child = spawn(process.execPath, [INDEXER, JSON.stringify(indexer)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await Promise.race([once(child.stdout!, "data"), once(child, "exit")]);
  return child;
}

async function kill9(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
}

/** Kills an indexer that is about to do that to a table. */
async function killAt(what: string): Promise<void> {
  const hold = await holdBefore(what);
  const child = await startIndexer();
  while (!(await hold.isMet())) await sleep(20);
  await kill9(child);
  await hold.release();
}

/** Whoever is about to do that to a table waits until this is released. */
async function holdBefore(what: string): Promise<{
  holder: PoolClient;
  isMet(): Promise<boolean>;
  release(): Promise<void>;
}> {
  const { pool } = database.owner;
  await pool.query(`
    create table held ();
    create function hold() returns trigger language plpgsql security definer as $$ begin
      lock table held in access share mode; return null; end $$;
    create trigger hold before ${what} for each statement execute function hold()`);
  const holder = await pool.connect();
  await holder.query("begin; lock table held in access exclusive mode");
  return {
    holder,
    async isMet() {
      const { rows } = await pool.query(
        "select from pg_locks where relation = 'held'::regclass and not granted",
      );
      return rows.length > 0;
    },
    async release() {
      await holder.query("commit");
      holder.release();
      await pool.query("drop function hold cascade; drop table held");
    },
  };
}

describe("an entry of which the nodes did not tell everything", () => {
  it("says so: details.not_told, at the head and in the past, and no other entry has it", async () => {
    const { activity } = followed;
    for (let index = 0; index < 6; index += 1) await activity.block();
    node.script({ fault: "unknown transactions" });
    start(0);
    for (let index = 0; index < 6; index += 1) await activity.block();
    await followed.settle();
    const { entries } = await readRecorded(database.db, followed.anvil.chainId);
    const { rows } = await database.db.pool.query<{ subject: string }>(
      "select subject from chain_gaps where lacks = 'transaction'",
    );
    const untold = new Set(rows.map(({ subject }) => subject));
    const marked = entries.filter(({ details }) => details.not_told !== undefined);
    expect(marked.length).toBeGreaterThan(3);
    expect(
      marked.every(
        ({ details, tx_hash }) => String(details.not_told) === "transaction" && untold.has(tx_hash),
      ),
    ).toBe(true);
    expect(entries.filter(({ tx_hash }) => untold.has(tx_hash))).toEqual(marked);
  });
});

const asksFor = ({ method, params }: Call) =>
  method === "eth_getLogs" && (params[0] as { blockHash?: string }).blockHash !== undefined;
const hashOf = ({ params }: Call) => (params[0] as { blockHash?: string }).blockHash;

/** The first block that is asked for, and no other. */
function whichIsFirst(): (call: Call) => boolean {
  let hash: unknown;
  return (call) => {
    hash ??= hashOf(call);
    return hash === hashOf(call);
  };
}

/** By its hash, or in a range. */
function tellsOf({ block_number, subject }: GapRow): (call: Call) => boolean {
  return ({ method, params }) => {
    if (method !== "eth_getLogs") return false;
    const { blockHash, fromBlock, toBlock } = params[0] as Record<string, string>;
    if (blockHash) return blockHash === subject;
    return Number(fromBlock) <= block_number && block_number <= Number(toBlock);
  };
}

/** A block at the head whose logs the node does not tell, with blocks above it; nor does it those of others. */
async function leftOutAtHead(isOther: (call: Call) => boolean = () => false): Promise<GapRow> {
  const { activity } = followed;
  for (let index = 0; index < 3; index += 1) await activity.block();
  await followed.settle();
  const known = (await gaps()).length;
  const isFirst = whichIsFirst();
  node.script({
    fault: "empty logs",
    when: (call) => isOther(call) || (asksFor(call) && isFirst(call)),
  });
  await activity.deployAndUse();
  await activity.mine();
  for (let index = 0; index < 6; index += 1) await activity.block();
  await followed.settle();
  const all = await gaps();
  expect(all).toHaveLength(known + 1);
  const gap = all.at(-1)!;
  expect(gap).toMatchObject({ lacks: "logs", reason: "inconsistent", filled_at: null });
  return gap;
}

async function expectWhole(): Promise<void> {
  await followed.settle();
  const truth = await truthNow();
  expect(await readFactPlaces(database.db, followed.anvil.chainId)).toEqual(truth.logs);
  const { entries } = await readRecorded(database.db, followed.anvil.chainId);
  const own = entries.filter(({ vault_address }) => vault_address !== zeroAddress);
  expect(inChainOrder(own.map(withoutMark))).toEqual(
    inChainOrder(truth.entries.filter(({ vault_address }) => vault_address !== zeroAddress)),
  );
  expect(await derived(database)).toEqual(await derivedElsewhere());
}

interface GapRow {
  block_number: number;
  subject: string;
  lacks: string;
  reason: string;
  filled_at: string | null;
}

async function gaps(): Promise<GapRow[]> {
  return (
    await database.db.pool.query<GapRow>(
      "select * from chain_gaps where lacks = 'logs' order by block_number",
    )
  ).rows;
}

/** All of them, or that one. */
async function filled(one?: GapRow): Promise<void> {
  const isMeant = (gap: GapRow) => one === undefined || gap.block_number === one.block_number;
  while ((await open()).some(isMeant)) await sleep(20);
}

async function open(): Promise<GapRow[]> {
  return (await database.db.pool.query<GapRow>("select * from chain_gaps where filled_at is null")).rows;
}

async function vaultsOf({ block_number }: GapRow): Promise<unknown[]> {
  return (await database.db.pool.query("select from vaults where created_block = $1", [block_number])).rows;
}

interface Body {
  action_type: string;
  actor_wallet: string;
  details: Record<string, unknown>;
}

async function bodies(): Promise<Body[]> {
  const { rows } = await database.db.pool.query<{ body: string }>(
    "select body from audit_entries order by seq",
  );
  return rows.map(({ body }) => JSON.parse(body) as Body);
}

const placeOf = ({ action_type, details }: Body) =>
  `${action_type} ${details.block_number} ${details.log_index}`;

async function factsAt(block: number): Promise<number> {
  const { rows } = await database.db.pool.query("select from facts where block_number = $1", [block]);
  return rows.length;
}

async function truthNow() {
  const { head, confirmed } = followed.ingest().status();
  const { chain, system } = followed.activity;
  return await readTruth(chain, system.aggregator, { head: head!, confirmed: confirmed! });
}

function withoutMark<E extends { details: Record<string, unknown> }>(entry: E): E {
  const { backfilled: _, ...details } = entry.details;
  return { ...entry, details };
}

/** What facts alone give: roles, supplies, queues and intervals. */
async function derived({ db }: Pick<TestDatabase, "db">): Promise<unknown> {
  const roles = await db.pool.query(
    "select vault_address, wallet, role from vault_roles where to_block is null order by 1, 2, 3",
  );
  const flows = await db.pool.query(
    "select vault_address, controller, block_number, log_index, pending_shares, vault_pending_shares from redeem_flows order by block_number, log_index, controller",
  );
  const intervals = await db.pool.query(
    "select vault_address, kind, from_block, to_block from vault_intervals order by from_block, vault_address, kind, to_block",
  );
  return { roles: roles.rows, flows: flows.rows, intervals: intervals.rows };
}

/** The same where nothing went wrong. */
async function derivedElsewhere(): Promise<unknown> {
  await followed.stop();
  const other = followed.with(await createTestDatabase());
  try {
    other.start();
    await other.settle();
    return await derived(other.database);
  } finally {
    await other.stop();
    await other.database.drop();
  }
}
