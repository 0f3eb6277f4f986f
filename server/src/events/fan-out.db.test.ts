// Events from the transaction that emits them to those who subscribe.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { silentLogger } from "../platform/log.ts";
import { emit } from "./emit.ts";
import { FanOut, type Subscriber } from "./fan-out.ts";
import type { DomainEvent, PublishedEvent } from "./types.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.pool.query("delete from events");
});

const event = (name: string): DomainEvent => ({
  type: "vault.paused",
  chainId: 8453,
  vaultAddress: "0x0000000000000000000000000000000000000100",
  at: "2026-05-09T10:00:00.123456Z",
  data: { account: null, block_number: 1, block_hash: name, tx_hash: "0x", log_index: 0 },
});
const nameOf = (each: PublishedEvent) => (each.data as { block_hash: string }).block_hash;

/** Keeps what it hears when the transaction that it hears it in has committed. */
function recorder(name: string, types: Subscriber["types"], refuse?: (each: PublishedEvent) => boolean) {
  const heard: string[] = [];
  const subscriber: Subscriber = {
    name,
    types,
    async onEvents(_tx, events) {
      if (refuse && events.some(refuse)) throw new Error("cannot take that");
      heard.push(...events.map(nameOf));
    },
  };
  return { heard, subscriber };
}

function fanOut(...subscribers: Subscriber[]): FanOut {
  const notifier = { listen() {}, close: async () => {} };
  return new FanOut({ db: database.db, log: silentLogger(), notifier, subscribers });
}

const emitted = (...names: string[]) => database.db.transaction((tx) => emit(tx, names.map(event)));
const waiting = async () =>
  (await database.db.pool.query("select count(*) as n from events where fanned_out_at is null")).rows[0].n;

test("each subscriber hears of its types, once, in the order of the spine, whole as emitted", async () => {
  const names = Array.from({ length: 1200 }, (_, n) => `${n}`);
  await emitted(...names);
  const seen: PublishedEvent[] = [];
  const whole: Subscriber = {
    name: "whole",
    types: ["vault.paused"],
    onEvents: async (_tx, events) => void seen.push(...events),
  };
  const other = recorder("other", ["vault.unpaused", "pps.updated"]);
  expect(await fanOut(whole, other.subscriber).drain()).toBe(1200);
  expect(seen.map(nameOf)).toEqual(names);
  expect(seen[7]).toEqual({
    ...event("7"),
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    seq: expect.any(Number),
  });
  expect(other.heard).toEqual([]);
  expect(await fanOut(whole).drain()).toBe(0);
});

test("an event of a transaction that failed never was", async () => {
  await expect(
    database.db.transaction(async (tx) => {
      await emit(tx, [event("lost")]);
      throw new Error("undone");
    }),
  ).rejects.toThrow("undone");
  const { heard, subscriber } = recorder("all", ["vault.paused"]);
  await fanOut(subscriber).drain();
  expect(heard).toEqual([]);
});

test("four processes at once hand each event out once", async () => {
  await emitted(...Array.from({ length: 300 }, (_, n) => `${n}`));
  const { heard, subscriber } = recorder("all", ["vault.paused"]);
  await Promise.all(Array.from({ length: 4 }, () => fanOut(subscriber).drain()));
  expect(heard.map(Number)).toEqual(Array.from({ length: 300 }, (_, n) => n));
});

describe("an event that cannot be handed out", () => {
  test("keeps no other back, is tried again, and is heard once when it can be", async () => {
    await emitted("a", "bad", "c");
    let isBroken = true;
    const { heard, subscriber } = recorder(
      "all",
      ["vault.paused"],
      (each) => isBroken && nameOf(each) === "bad",
    );
    await expect(fanOut(subscriber).drain()).rejects.toThrow("cannot take that");
    expect(heard).toEqual(["a", "c"]);
    isBroken = false;
    await fanOut(subscriber).drain();
    expect(heard).toEqual(["a", "c", "bad"]);
  });

  test("is left alone after ten times", async () => {
    await emitted("bad");
    const { subscriber } = recorder("all", ["vault.paused"], () => true);
    for (let n = 0; n < 10; n += 1) await expect(fanOut(subscriber).drain()).rejects.toThrow();
    expect(await fanOut(subscriber).drain()).toBe(0);
    expect(await waiting()).toBe(1);
  });
});

test("an event of a type that only another release knows is left to it, and holds nothing up", async () => {
  await database.db.pool.query(
    `insert into events (id, type, chain_id, vault_address, at, data)
     values (gen_random_uuid(), 'from.tomorrow', 0, '0x0000000000000000000000000000000000000000', now(), '{}')`,
  );
  await emitted("known");
  const { heard, subscriber } = recorder("all", ["vault.paused"]);
  expect(await fanOut(subscriber).drain()).toBe(1);
  expect(heard).toEqual(["known"]);
  expect(await waiting()).toBe(1);
});
