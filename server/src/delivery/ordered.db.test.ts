// Ordered queues: one send at a time to a target, in the order of enqueueing, what waits together in one.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import {
  emptyOutbox,
  FakeClock,
  outbox,
  TARGET_A,
  TARGET_B,
  TestQueue,
  testDispatcher,
} from "../../test/delivery.ts";
import type { Outcome } from "./types.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyOutbox(database.db));

function setUp(maxPerSend: number) {
  const clock = new FakeClock();
  const queue = new TestQueue("channel");
  queue.isOrdered = true;
  queue.maxPerSend = maxPerSend;
  const { db } = database;
  const batches = () => queue.batches.map((batch) => batch.map(({ key }) => key));
  return {
    clock,
    queue,
    batches,
    worker: () => testDispatcher(db, queue, clock),
    ...outbox(db, queue, clock),
  };
}

test("one that is retried holds up what comes after it, and no other target", async () => {
  const world = setUp(1);
  world.queue.answer = ({ key, attempt }) =>
    key === "a1" && attempt === 1 ? { kind: "retry", error: "500" } : { kind: "delivered" };
  for (const key of ["a1", "a2", "a3"]) await world.add(TARGET_A, key);
  await world.add(TARGET_B, "b1");
  await world.worker().drain();
  world.clock.at(999);
  await world.worker().drain();
  expect(world.batches().sort()).toEqual([["a1"], ["b1"]]);
  world.clock.at(1000);
  await world.worker().drain();
  expect(world.batches().filter(([key]) => key !== "b1")).toEqual([["a1"], ["a1"], ["a2"], ["a3"]]);
});

test("the order is that of enqueueing, whatever is due when, with four workers at it", async () => {
  const world = setUp(3);
  for (let n = 0; n < 40; n += 1) await world.add(TARGET_A, `${n}`, n % 2 === 0 ? 0 : -5000);
  await Promise.all(Array.from({ length: 4 }, () => world.worker().drain()));
  expect(world.queue.sent.map(({ key }) => Number(key))).toEqual(Array.from({ length: 40 }, (_, n) => n));
});

test("once the first is due, those behind it go along, due or not, as many as go into one", async () => {
  const world = setUp(3);
  for (const [key, delayMs] of [
    ["a", 2000],
    ["b", 2500],
    ["c", 3000],
    ["d", 3500],
  ] as const)
    await world.add(TARGET_A, key, delayMs);
  world.clock.at(1999);
  await world.worker().drain();
  expect(world.batches()).toEqual([]);
  world.clock.at(2000);
  await world.worker().drain();
  expect(world.batches()).toEqual([["a", "b", "c"]]);
  world.clock.at(3500);
  await world.worker().drain();
  expect(world.batches()).toEqual([["a", "b", "c"], ["d"]]);
});

test("what a broken-off batch did not come to goes out next, in order, without an attempt of its own", async () => {
  const world = setUp(4);
  let isBroken = true;
  world.queue.send = async (_target, deliveries) => {
    world.queue.batches.push([...deliveries]);
    if (!isBroken) return deliveries.map(() => ({ kind: "delivered" }));
    isBroken = false;
    return deliveries.map((_, index): Outcome => {
      if (index === 0) return { kind: "delivered" };
      return index === 1 ? { kind: "retry", error: "500" } : { kind: "unsent" };
    });
  };
  for (const key of ["a", "b", "c", "d"]) await world.add(TARGET_A, key);
  await world.worker().drain();
  expect(await world.statuses()).toEqual({ a: "delivered", b: "failed", c: "pending", d: "pending" });
  world.clock.at(1000);
  await world.worker().drain();
  expect(world.batches()).toEqual([
    ["a", "b", "c", "d"],
    ["b", "c", "d"],
  ]);
  expect((await world.attempts("b")).map(({ number }) => number)).toEqual([1, 2]);
  expect((await world.attempts("c")).map(({ number }) => number)).toEqual([1]);
});
