// The dispatcher over a real database, with targets that answer as the test says and a clock that it holds.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../test/database.ts";
import { FakeClock, TARGET_A, TestQueue, testDispatcher } from "../../test/delivery.ts";
import { enqueue } from "./enqueue.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.pool.query("delete from delivery_attempts");
  await database.db.pool.query("delete from deliveries");
  await database.db.pool.query("delete from delivery_targets");
});

describe("retries", () => {
  test("a delivery that fails is sent at 0, 1, 3, 7, 15 and 31 s, its attempts numbered 1 to 6, then it is dead", async () => {
    const { clock, queue, dispatcher, rows, attempts, add } = setUp();
    queue.answer = () => ({ kind: "retry", error: "500", statusCode: 500 });
    await add(TARGET_A, "one");
    const sentAtMs: number[] = [];
    for (let ms = 0; ms <= 60_000; ms += 500) {
      clock.at(ms);
      if ((await dispatcher.drain()) > 0) sentAtMs.push(ms);
    }
    expect(sentAtMs).toEqual([0, 1000, 3000, 7000, 15_000, 31_000]);
    expect(queue.sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await rows()).toMatchObject([{ status: "dead", attempts_count: 6, lease_id: null }]);
    expect((await attempts()).map(({ number, error }) => [number, error])).toEqual(
      [1, 2, 3, 4, 5, 6].map((number) => [number, "500"]),
    );
  });
});

function setUp() {
  const clock = new FakeClock();
  const queue = new TestQueue("webhook");
  const { db } = database;
  const dispatcher = testDispatcher(db, queue, clock);
  return {
    clock,
    queue,
    dispatcher,
    add: (targetId: string, key: string, delayMs = 0) =>
      db.transaction((tx) =>
        enqueue(
          tx,
          [
            {
              queue: queue.name,
              targetId,
              key,
              eventId: null,
              eventType: "test",
              chainId: 0,
              vaultAddress: "0x",
              body: key,
              dueAtMs: clock.now() + delayMs,
            },
          ],
          clock.now(),
        ),
      ),
    rows: async () => (await db.pool.query("select * from deliveries order by seq")).rows,
    attempts: async () =>
      (await db.pool.query("select * from delivery_attempts order by delivery_id, number")).rows,
  };
}
