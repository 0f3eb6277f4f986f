// The fence: what a writer that has lost the lead may do to a chain, which is nothing.
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { settingsOf } from "../../../test/ingest.ts";
import type { BlockHeader } from "../../chain/rpc/raw.ts";
import type { Tx } from "../../platform/db/db.ts";
import { introduceChain } from "../configure.ts";
import { insertBlocks } from "./rows.ts";
import { ChainStore, LeadLost } from "./store.ts";

let database: TestDatabase;
let chainId = 100;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
});
beforeEach(async () => {
  chainId += 1;
  await introduceChain(database.db, settingsOf({ chainId, rpcUrls: [], sources: [] }));
});

describe("the chain's store", () => {
  it("lets a writer that was overtaken write nothing, be it a transaction or a single statement", async () => {
    const [first, second] = [await loaded(), await loaded()];
    await first.commitAlone({ head: block(1) }, block(1));
    await expect(second.commitAlone({ head: block(1) }, block(1))).rejects.toThrow(LeadLost);
    const write = second.commit({ head: block(2) }, (tx) =>
      insertBlocks(tx, chainId, [{ ...block(2), isEmpty: true }]),
    );
    await expect(write).rejects.toThrow(LeadLost);
    expect(second.head).toBeNull();
    expect(await numbers()).toEqual([1]);

    await second.load(0, []);
    await second.commitAlone({ head: block(2) }, block(2));
    await expect(first.commitAlone({ head: block(2) }, block(2))).rejects.toThrow(LeadLost);
    expect(await numbers()).toEqual([1, 2]);
  });

  it("lets one of many writers that commit at once win, and no other", async () => {
    const writers = await Promise.all(Array.from({ length: 8 }, loaded));
    const results = await Promise.allSettled(
      writers.map((store, index) =>
        store.commit({}, (tx) => insertBlocks(tx, chainId, [{ ...block(index), isEmpty: true }])),
      ),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await numbers()).toHaveLength(1);
  });

  it("changes nothing in memory when the transaction fails, and goes on after it", async () => {
    const store = await loaded();
    await store.commitAlone({ head: block(1), confirmed: 0 }, block(1));
    const failing = store.commit({ head: block(2), confirmed: 1 }, (tx) => sql`select 1 / 0`.execute(tx));
    await expect(failing).rejects.toThrow(/division by zero/);
    expect([store.head?.number, store.confirmed]).toEqual([1, 0]);
    await store.commitAlone({ head: block(2), confirmed: 1 }, block(2));
    expect([store.head?.number, store.confirmed]).toEqual([2, 1]);
    const again = await loaded();
    expect([again.head, again.confirmed, again.window.map(({ number }) => number)]).toEqual([
      block(2),
      1,
      [2, 1],
    ]);
  });

  describe("what it writes before its turn", () => {
    it("stands with the rest, after what came before it", async () => {
      const store = await loaded();
      const order: string[] = [];
      const first = store.commit({}, async (tx) => {
        await insertBlocks(tx, chainId, [row(1)]);
        order.push("first");
      });
      const later = store.commitAhead(
        (tx) => insertBlocks(tx, chainId, [row(2)]),
        first.then(() => true),
        async () => order.push("second"),
        () => true,
      );
      expect(await later).not.toBeNull();
      expect(order).toEqual(["first", "second"]);
      expect(await numbers()).toEqual([1, 2]);
      await store.commit({}, (tx) => insertBlocks(tx, chainId, [row(3)]));
    });

    it.each([
      ["the one before it wrote nothing", Promise.resolve(false), () => true],
      ["it is not wanted any more", Promise.resolve(true), () => false],
    ])("does not stand where %s", async (_case, previous, isStill) => {
      const store = await loaded();
      const insert = (tx: Tx) => insertBlocks(tx, chainId, [row(2)]);
      expect(await store.commitAhead(insert, previous, async () => {}, isStill)).toBeNull();
      expect(await numbers()).toEqual([]);
    });

    it("does not stand where another process has taken the lead meanwhile", async () => {
      const store = await loaded();
      const taken = loaded().then((other) => other.commit({}, async () => true));
      const write = store.commitAhead(
        (tx) => insertBlocks(tx, chainId, [row(2)]),
        taken.then(() => true),
        async () => {},
        () => true,
      );
      await expect(write).rejects.toThrow(LeadLost);
      expect(await numbers()).toEqual([]);
    });

    it("is taken back where its turn is long in coming, and written then", async () => {
      const store = await loaded();
      const sessions: number[] = [];
      const insert = async (tx: Tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        sessions.push(rows[0]!.pid);
        await insertBlocks(tx, chainId, [row(2)]);
      };
      const { promise: previous, resolve } = Promise.withResolvers<boolean>();
      const write = store.commitAhead(
        insert,
        previous,
        async () => true,
        () => true,
      );
      const isOver = async () => {
        const { rows } = await database.db.pool.query(
          "select from pg_stat_activity where pid = any($1) and state like 'idle in transaction%'",
          [sessions],
        );
        return sessions.length === 1 && rows.length === 0;
      };
      await expect.poll(() => sessions.length, { timeout: 60_000 }).toBe(1);
      await expect.poll(isOver, { timeout: 60_000 }).toBe(true);
      resolve(true);
      expect(await write).toEqual({ value: true });
      expect(sessions).toHaveLength(2);
      expect(await numbers()).toEqual([2]);
    });
  });

  it("refuses a block that is not the one stored at its height", async () => {
    const store = await loaded();
    await store.commitAlone({ head: block(1) }, block(1));
    const other = { ...block(1), hash: block(9).hash, isEmpty: false };
    await expect(store.commit({}, (tx) => insertBlocks(tx, chainId, [other]))).rejects.toMatchObject({
      code: "inconsistent",
    });
    await store.commit({}, (tx) => insertBlocks(tx, chainId, [{ ...block(1), isEmpty: false }]));
    const { rows } = await database.db.pool.query("select is_empty from blocks where chain_id = $1", [
      chainId,
    ]);
    expect(rows).toEqual([{ is_empty: false }]);
  });
});

async function loaded(): Promise<ChainStore> {
  const store = new ChainStore(database.db, chainId);
  await store.load(0, []);
  return store;
}

async function numbers(): Promise<number[]> {
  const { rows } = await database.db.pool.query<{ number: number }>(
    "select number from blocks where chain_id = $1 order by number",
    [chainId],
  );
  return rows.map(({ number }) => number);
}

function row(number: number) {
  return { ...block(number), isEmpty: false };
}

function block(number: number): BlockHeader {
  const hash = (n: number): `0x${string}` => `0x${n.toString(16).padStart(64, "0")}`;
  return { number, hash: hash(number + 1), parentHash: hash(number), timestamp: 1_700_000_000 + number };
}
