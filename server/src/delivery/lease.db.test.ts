// Several workers, workers that die, and deliveries that are canceled or asked for again while they are under way.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import {
  emptyOutbox,
  endLeases,
  FakeClock,
  outbox,
  TARGET_A,
  TARGET_B,
  TestQueue,
  testDispatcher,
} from "../../test/delivery.ts";
import { silentLogger } from "../platform/log.ts";
import { cancelPending } from "./enqueue.ts";
import { listDeliveries } from "./log.ts";
import { requestReplay } from "./replay.ts";
import { sendNow } from "./send-now.ts";
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
  const replay = async (key: string) => {
    const { rows } = await db.pool.query("select id from deliveries where key = $1", [key]);
    return db.transaction((tx) => requestReplay(tx, "webhook", [rows[0].id], clock.now()));
  };
  const cancel = (targetId: string) => db.transaction((tx) => cancelPending(tx, targetId, clock.now()));
  return {
    clock,
    queue,
    worker: () => testDispatcher(db, queue, clock),
    replay,
    cancel,
    ...outbox(db, queue, clock),
  };
}

/** Answers the next send of the queue when told to. */
function hold(queue: TestQueue) {
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Outcome>();
  const before = queue.answer;
  queue.answer = () => {
    queue.answer = before;
    begun.resolve();
    return answer.promise;
  };
  return { begun: begun.promise, answer: answer.resolve };
}

describe("workers", () => {
  test("four at once send every delivery once, and no target gets more at a time than it may", async () => {
    const world = setUp();
    const under = new Map<string, number>();
    let most = 0;
    world.queue.answer = async ({ targetId }) => {
      under.set(targetId, (under.get(targetId) ?? 0) + 1);
      most = Math.max(most, under.get(targetId) as number);
      await new Promise((resolve) => setImmediate(resolve));
      under.set(targetId, (under.get(targetId) as number) - 1);
      return { kind: "delivered" };
    };
    for (let n = 0; n < 100; n += 1) await world.add(n % 3 === 0 ? TARGET_A : TARGET_B, `${n}`);
    await Promise.all(Array.from({ length: 4 }, () => world.worker().drain()));
    expect(world.queue.sent.map(({ key }) => key).sort()).toEqual(
      Array.from({ length: 100 }, (_, n) => `${n}`).sort(),
    );
    expect(most).toBeLessThanOrEqual(4);
  });

  test("whose clocks are hours apart send nothing twice: leases end by the database's clock", async () => {
    const world = setUp();
    await world.add(TARGET_A, "one");
    const { begun, answer } = hold(world.queue);
    const sending = world.worker().drain();
    await begun;
    const ahead = { now: () => world.clock.now() + 7_200_000 };
    expect(await testDispatcher(database.db, world.queue, ahead).drain()).toBe(0);
    answer({ kind: "delivered" });
    await sending;
    expect(world.queue.sent).toHaveLength(1);
    expect(await world.rows()).toMatchObject([{ status: "delivered", attempts_count: 1 }]);
  });

  test("one that dies in the middle of a send: taken up when its lease ends, and the log says so; its late answer counts for nothing", async () => {
    const world = setUp();
    await world.add(TARGET_A, "one");
    const { begun, answer } = hold(world.queue);
    const dying = world.worker().drain();
    await begun;

    expect(await world.worker().drain()).toBe(0);
    await endLeases(database.db);
    expect(await world.worker().drain()).toBe(1);
    expect(await world.rows()).toMatchObject([{ status: "delivered", attempts_count: 2 }]);

    answer({ kind: "dead", error: "too late" });
    await dying;
    expect(await world.rows()).toMatchObject([{ status: "delivered", attempts_count: 2 }]);
    const attempts = await world.attempts("one");
    expect(attempts.map(({ number, error }) => [number, error])).toEqual([
      [1, "the process that sent it stopped before the outcome was known"],
      [2, null],
    ]);
  });
});

describe("cancelling", () => {
  test("what waits is never sent, and says when it was canceled", async () => {
    const world = setUp();
    world.queue.answer = () => ({ kind: "retry", error: "500" });
    await world.add(TARGET_A, "tried");
    await world.worker().drain();
    await world.add(TARGET_A, "waiting");
    await world.add(TARGET_B, "other");
    world.clock.at(500);
    expect(await world.cancel(TARGET_A)).toBe(2);
    world.clock.at(60_000);
    await world.worker().drain();
    expect(await world.statuses()).toEqual({ tried: "canceled", waiting: "canceled", other: "failed" });
    expect((await world.rows())[0].finished_at).toBe("2026-05-09T10:00:00.500000Z");
  });

  test.each([
    ["delivered", { kind: "delivered" }, "delivered"],
    ["failed", { kind: "retry", error: "500" }, "canceled"],
    ["given up", { kind: "dead", error: "410" }, "canceled"],
  ] as [string, Outcome, string][])(
    "under way, then %s: tried once, its attempt logged",
    async (_, outcome, status) => {
      const world = setUp();
      await world.add(TARGET_A, "one");
      const { begun, answer } = hold(world.queue);
      const draining = world.worker().drain();
      await begun;
      await world.cancel(TARGET_A);
      answer(outcome);
      await draining;
      world.clock.at(120_000);
      await world.worker().drain();
      expect(await world.statuses()).toEqual({ one: status });
      expect(await world.attempts("one")).toHaveLength(1);
      expect(world.queue.sent).toHaveLength(1);
      expect(await world.events()).toEqual([]);
    },
  );
});

describe("replay", () => {
  test("twice sends twice, with the same bytes and numbers that go on", async () => {
    const world = setUp();
    await world.add(TARGET_A, "one");
    await world.worker().drain();
    expect(await world.replay("one")).toHaveLength(1);
    expect(await world.replay("one")).toHaveLength(1);
    await world.worker().drain();
    expect(world.queue.sent.map(({ attempt, isReplay, body }) => [attempt, isReplay, body])).toEqual([
      [1, false, "one"],
      [2, true, "one"],
      [3, true, "one"],
    ]);
    expect(await world.statuses()).toEqual({ one: "delivered" });
  });

  test("is one send: failing, it is not retried, leaves the status as it was, and is no dead letter", async () => {
    const world = setUp();
    await world.add(TARGET_A, "one");
    await world.worker().drain();
    world.queue.answer = () => ({ kind: "retry", error: "500" });
    await world.replay("one");
    await world.worker().drain();
    world.clock.at(120_000);
    await world.worker().drain();
    expect(world.queue.sent).toHaveLength(2);
    expect(await world.statuses()).toEqual({ one: "delivered" });
    expect(await world.events()).toEqual([]);
  });

  test("of a dead delivery that goes well makes it delivered", async () => {
    const world = setUp();
    world.queue.answer = () => ({ kind: "dead", error: "410" });
    await world.add(TARGET_A, "one");
    await world.worker().drain();
    world.queue.answer = () => ({ kind: "delivered" });
    await world.replay("one");
    await world.worker().drain();
    expect(await world.statuses()).toEqual({ one: "delivered" });
  });

  test("while retries are pending is refused, and doubles nothing", async () => {
    const world = setUp();
    world.queue.answer = ({ attempt }) =>
      attempt === 1 ? { kind: "retry", error: "500" } : { kind: "delivered" };
    await world.add(TARGET_A, "one");
    await world.worker().drain();
    expect(await world.replay("one")).toEqual([]);
    world.clock.at(120_000);
    await world.worker().drain();
    expect(world.queue.sent).toHaveLength(2);
  });
});

describe("a send at once", () => {
  const made = (key: string, nowMs: number) => ({
    queue: "webhook" as const,
    targetId: TARGET_A,
    key,
    eventId: "0196b0a5-9d00-7000-8000-000000000001",
    eventType: "webhook.test",
    chainId: 0,
    vaultAddress: "0x0000000000000000000000000000000000000000",
    body: "{}",
    dueAtMs: nowMs,
  });

  test("tells what came of it, and stands in the log; failing, it is not retried and alarms nobody", async () => {
    const { clock, queue, worker, events } = setUp();
    const parts = { db: database.db, clock, log: silentLogger() };
    queue.answer = () => ({ kind: "retry", error: "answered 500", statusCode: 500, excerpt: "no" });
    const { id, outcome } = await sendNow(parts, queue, made("test", clock.now()));
    expect(outcome.kind).toBe("retry");
    clock.at(600_000);
    await worker().drain();
    const { deliveries, total } = await listDeliveries(database.db, {
      targetId: TARGET_A,
      reader: { grants: [], isMaintainer: false },
      limit: 10,
      offset: 0,
    });
    expect([total, deliveries]).toEqual([
      1,
      [
        {
          id,
          event_id: "evt_0196b0a5-9d00-7000-8000-000000000001",
          event_type: "webhook.test",
          chain_id: 0,
          vault_address: "0x0000000000000000000000000000000000000000",
          status: "dead",
          created_at: "2026-05-09T10:00:00.000000Z",
          next_attempt_at: null,
          attempts: [
            {
              number: 1,
              at: "2026-05-09T10:00:00.000000Z",
              status_code: 500,
              error: "answered 500",
              duration_ms: expect.any(Number),
              response_excerpt: "no",
            },
          ],
        },
      ],
    ]);
    expect(await events()).toEqual([]);
  });

  test("whose process dies in the middle is sent by a worker when the lease ends", async () => {
    const { clock, queue, worker, statuses } = setUp();
    const { begun } = hold(queue);
    void sendNow({ db: database.db, clock, log: silentLogger() }, queue, made("test", clock.now()));
    await begun;
    expect(await worker().drain()).toBe(0);
    await endLeases(database.db);
    expect(await worker().drain()).toBe(1);
    expect(await statuses()).toEqual({ test: "delivered" });
  });
});
