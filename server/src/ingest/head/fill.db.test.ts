// Blocks whose logs the nodes never tell as they are hold up nothing, and are filled in when a node tells them.
import { setTimeout as sleep } from "node:timers/promises";
import { zeroAddress } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { createFollowed, type Followed } from "../../../test/followed.ts";
import { inChainOrder, readFactPlaces, readRecorded, readTruth } from "../../../test/ground-truth.ts";
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
});
afterEach(async () => {
  await followed.end();
  await node.close();
});

const start = (patienceMs: number) =>
  followed.start(
    { rpcUrls: [node.url] },
    { patienceMs, client: { backoffMs: { base: 5, max: 50 }, settleMs: 200 } },
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

/** A block at the head whose logs the node does not tell, with blocks above it. */
async function leftOutAtHead(): Promise<GapRow> {
  const { activity } = followed;
  for (let index = 0; index < 3; index += 1) await activity.block();
  await followed.settle();
  let hash: unknown;
  const isFirst = (call: Call) => {
    hash ??= hashOf(call);
    return hash === hashOf(call);
  };
  node.script({ fault: "empty logs", when: (call) => asksFor(call) && isFirst(call) });
  await activity.deployAndUse();
  await activity.mine();
  for (let index = 0; index < 6; index += 1) await activity.block();
  await followed.settle();
  const [gap] = await gaps();
  expect(gap).toMatchObject({ subject: hash, lacks: "logs", reason: "inconsistent", filled_at: null });
  return gap!;
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

async function filled(): Promise<void> {
  while ((await gaps()).some(({ filled_at }) => filled_at === null)) await sleep(20);
}

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
