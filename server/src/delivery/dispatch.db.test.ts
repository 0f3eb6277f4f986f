// The dispatcher over a real database, with targets that answer as the test says and a clock that it holds: schedules, outcomes, and
// what one target may cost another.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
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
import { setTargetLimits } from "./enqueue.ts";
import { prune } from "./prune.ts";
import type { Outcome } from "./types.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyOutbox(database.db));

function setUp() {
  const clock = new FakeClock();
  const queue = new TestQueue("webhook");
  const { db } = database;
  return { clock, queue, dispatcher: testDispatcher(db, queue, clock), ...outbox(db, queue, clock) };
}

/** Milliseconds at which something was sent, looking every half second. */
async function sendTimes(
  { clock, dispatcher }: ReturnType<typeof setUp>,
  untilMs: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let ms = 0; ms <= untilMs; ms += 500) {
    clock.at(ms);
    if ((await dispatcher.drain()) > 0) times.push(ms);
  }
  return times;
}

describe("the schedule", () => {
  test("what fails is sent at 0, 1, 3, 7, 15 and 31 s, its attempts numbered 1 to 6, then it is dead", async () => {
    const world = setUp();
    world.queue.answer = () => ({ kind: "retry", error: "500", statusCode: 500, excerpt: "oh" });
    await world.add(TARGET_A, "one");
    expect(await sendTimes(world, 60_000)).toEqual([0, 1000, 3000, 7000, 15_000, 31_000]);
    expect(world.queue.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await world.rows()).toMatchObject([{ status: "dead", attempts_count: 6, lease_id: null }]);
    expect(
      (await world.attempts("one")).map((each) => [
        each.number,
        each.error,
        each.status_code,
        each.response_excerpt,
      ]),
    ).toEqual([1, 2, 3, 4, 5, 6].map((number) => [number, "500", 500, "oh"]));
  });

  test("Retry-After puts the next attempt off, and never brings it forward", async () => {
    const world = setUp();
    const waits = [10_000, 500];
    world.queue.answer = ({ attempt }) => {
      const retryAfterMs = waits[attempt - 1];
      return retryAfterMs === undefined
        ? { kind: "delivered" }
        : { kind: "retry", error: "503", retryAfterMs };
    };
    await world.add(TARGET_A, "one");
    // After the second attempt the schedule says 2 s.
    expect(await sendTimes(world, 20_000)).toEqual([0, 10_000, 12_000]);
    expect(await world.statuses()).toEqual({ one: "delivered" });
  });

  test("nothing is sent before it is due, nor twice for one key", async () => {
    const world = setUp();
    expect(await world.add(TARGET_A, "one", 2000)).toHaveLength(1);
    expect(await world.add(TARGET_A, "one", 0)).toHaveLength(0);
    expect(await sendTimes(world, 5000)).toEqual([2000]);
    expect(world.queue.sent).toHaveLength(1);
  });
});

describe("outcomes", () => {
  test("dead: never sent again, and told as an event of its vault", async () => {
    const world = setUp();
    world.queue.answer = () => ({ kind: "dead", error: "410" });
    await world.add(TARGET_A, "one");
    expect(await sendTimes(world, 5000)).toEqual([0]);
    expect(await world.statuses()).toEqual({ one: "dead" });
    expect(await world.events()).toEqual([
      {
        type: "delivery.dead",
        chain_id: 8453,
        vault_address: "0x0000000000000000000000000000000000000100",
        data: { queue: "webhook", target_id: TARGET_A, event_type: "test", last_error: "410" },
      },
    ]);
  });

  test("a target that is gone: canceled, with no attempt", async () => {
    const world = setUp();
    world.queue.gone.add(TARGET_A);
    await world.add(TARGET_A, "one");
    await world.dispatcher.drain();
    expect(await world.rows()).toMatchObject([{ status: "canceled", attempts_count: 0 }]);
    expect(await world.attempts("one")).toEqual([]);
  });

  test("a fault in sending is a failed attempt", async () => {
    const world = setUp();
    world.queue.answer = () => {
      throw new TypeError("a secret stands here");
    };
    await world.add(TARGET_A, "one");
    await world.dispatcher.drain();
    expect(await world.statuses()).toEqual({ one: "failed" });
    expect(JSON.stringify(await world.attempts("one"))).not.toContain("secret");
  });

  test("whatever a target answers can be stored: NUL, half a character, a kilobyte too much", async () => {
    const world = setUp();
    const hostile = `\0\ud800${"é".repeat(4000)}`;
    world.queue.answer = () => ({ kind: "retry", error: hostile, excerpt: hostile, statusCode: 500 });
    await world.add(TARGET_A, "one");
    await world.dispatcher.drain();
    const [attempt] = await world.attempts("one");
    expect(Buffer.byteLength(attempt.response_excerpt)).toBeLessThanOrEqual(1024);
    expect(attempt.response_excerpt.startsWith("\ufffd\ufffdéé")).toBe(true);
    expect(attempt.response_excerpt.endsWith("é")).toBe(true);
  });

  test("what follows from an outcome cannot keep it, or others, from being stored", async () => {
    const world = setUp();
    world.queue.failSettling = (settled) => {
      if (settled.some(({ delivery }) => delivery.key === "bad")) throw new Error("the hook is broken");
    };
    for (const key of ["one", "bad", "two"]) await world.add(TARGET_A, key);
    await world.dispatcher.drain();
    expect(await world.statuses()).toEqual({ one: "delivered", bad: "delivered", two: "delivered" });
    expect(world.queue.settled.map(({ delivery }) => delivery.key).sort()).toEqual(["one", "two"]);
    expect(world.queue.sent).toHaveLength(3);
  });
});

describe("targets", () => {
  test("a backlog of one does not hold up another", async () => {
    const world = setUp();
    for (let n = 0; n < 60; n += 1) await world.add(TARGET_A, `a${n}`);
    await world.add(TARGET_B, "b");
    await world.dispatcher.drain();
    expect(world.queue.sent.slice(0, 8).map(({ key }) => key)).toContain("b");
    expect(world.queue.sent).toHaveLength(61);
  });

  test("one that hangs holds its own sends and no other's", async () => {
    const world = setUp();
    const hung = Promise.withResolvers<Outcome>();
    world.queue.answer = ({ targetId }) => (targetId === TARGET_A ? hung.promise : { kind: "delivered" });
    for (let n = 0; n < 20; n += 1) {
      await world.add(TARGET_A, `a${n}`);
      await world.add(TARGET_B, `b${n}`);
    }
    const draining = world.dispatcher.drain();
    await expect
      .poll(async () => (await world.rows()).filter(({ status }) => status === "delivered").length)
      .toBe(20);
    expect(world.queue.sent.filter(({ targetId }) => targetId === TARGET_A)).toHaveLength(4);
    hung.resolve({ kind: "delivered" });
    await draining;
    expect(new Set(Object.values(await world.statuses()))).toEqual(new Set(["delivered"]));
  });

  test("one that fails is probed by two at a time until it takes one, and that is told", async () => {
    const world = setUp();
    world.queue.answer = () => ({ kind: "retry", error: "500" });
    await world.add(TARGET_A, "first");
    await world.dispatcher.drain();
    for (let n = 0; n < 6; n += 1) await world.add(TARGET_A, `a${n}`);
    const gates = Array.from({ length: 7 }, () => Promise.withResolvers<Outcome>());
    let begun = 0;
    world.queue.answer = () => (gates[begun++] as (typeof gates)[0]).promise;
    world.clock.at(500);
    const draining = world.dispatcher.drain();
    await expect.poll(() => begun).toBe(2);
    gates[0]?.resolve({ kind: "delivered" });
    // One has gone through: as many as ever.
    await expect.poll(() => begun).toBe(5);
    for (const gate of gates) gate.resolve({ kind: "delivered" });
    await draining;
    expect(await world.events()).toMatchObject([
      { type: "delivery.recovered", chain_id: 0, data: { queue: "webhook", target_id: TARGET_A } },
    ]);
  });

  test("one that asks for a pause gets it, alone", async () => {
    const world = setUp();
    world.queue.answer = ({ targetId, attempt }) =>
      targetId === TARGET_A && attempt === 1
        ? { kind: "retry", error: "429", retryAfterMs: 5000, pauseTargetMs: 5000 }
        : { kind: "delivered" };
    await world.add(TARGET_A, "a0");
    await world.dispatcher.drain();
    await world.add(TARGET_A, "a1");
    await world.add(TARGET_B, "b");
    expect(await sendTimes(world, 6000)).toEqual([0, 5000]);
    expect(world.queue.sent.map(({ key }) => key)).toEqual(["a0", "b", "a1", "a0"]);
  });

  test("one with a rate gets no more than that", async () => {
    const world = setUp();
    await database.db.transaction((tx) =>
      setTargetLimits(tx, TARGET_A, { maxConcurrency: null, maxPerSecond: 2 }),
    );
    for (let n = 0; n < 6; n += 1) await world.add(TARGET_A, `a${n}`);
    expect(await sendTimes(world, 5000)).toEqual([0, 1000, 2000]);
    expect(world.queue.sent).toHaveLength(6);
  });

  test("more targets than there are slots: all get their turn", async () => {
    const world = setUp();
    world.queue.slots = 3;
    const targets = Array.from(
      { length: 10 },
      (_, n) => `cccccccc-0000-4000-8000-${String(n).padStart(12, "0")}`,
    );
    for (const target of targets) for (let n = 0; n < 5; n += 1) await world.add(target, `${n}`);
    await world.dispatcher.drain();
    expect(world.queue.sent).toHaveLength(50);
    const firstHalf = new Set(world.queue.sent.slice(0, 30).map(({ targetId }) => targetId));
    expect(firstHalf.size).toBeGreaterThan(5);
  });
});

test("what is over is forgotten after 30 days with its attempts, what is open never", async () => {
  const world = setUp();
  world.queue.answer = ({ key }) =>
    key === "open" ? { kind: "retry", error: "500" } : { kind: "delivered" };
  await world.add(TARGET_A, "old");
  await world.add(TARGET_A, "open");
  await world.dispatcher.drain();
  const day = 86_400_000;
  await prune(database.db, world.clock.now() + 30 * day - 1000);
  expect(await world.rows()).toHaveLength(2);
  await prune(database.db, world.clock.now() + 30 * day + 1000);
  expect(await world.statuses()).toEqual({ open: "failed" });
  expect((await database.db.pool.query("select * from delivery_attempts")).rows).toHaveLength(1);
});
