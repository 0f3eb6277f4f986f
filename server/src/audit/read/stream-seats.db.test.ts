// Streams that two processes serve count together.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../../test/database.ts";
import { Problem } from "../../platform/errors.ts";
import { silentLogger } from "../../platform/log.ts";
import { createStreamSeats, type StreamSeats } from "./stream-seats.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.db.pool.query("delete from open_streams"));

const limits = { perWallet: 2, total: 4 };
const processOf = () => createStreamSeats(database.db, limits, silentLogger());
const refused = (taking: Promise<unknown>) =>
  taking.then(
    () => null,
    (error) => (error instanceof Problem ? [error.code, error.message.split(" has ")[0]] : error),
  );
const said = async () =>
  (
    await database.db.pool.query<{ n: number }>(
      "select coalesce(sum(streams), 0)::integer as n from open_streams",
    )
  ).rows[0]?.n;
/** What the process does every ten seconds. */
async function sayAnew({ task }: StreamSeats): Promise<void> {
  const stopping = new AbortController();
  const running = task.run(stopping.signal);
  stopping.abort();
  await running;
}

test("a wallet's and everybody's are counted over both, and one that ends makes room", async () => {
  const [one, other] = [processOf(), processOf()];
  const leave = await one.take("anne");
  await other.take("anne");
  expect(await refused(one.take("anne"))).toEqual(["rate_limited", "Your wallet"]);
  expect(await refused(other.take("anne"))).toEqual(["rate_limited", "Your wallet"]);
  await one.take("ben");
  await other.take("carl");
  expect(await refused(one.take("vera"))).toEqual(["rate_limited", "This service"]);
  leave();
  leave();
  await expect.poll(said).toBe(3);
  await other.take("anne");
  expect(await refused(one.take("vera"))).toEqual(["rate_limited", "This service"]);
});

test("however many ask at once in both, no more are let in than may be", async () => {
  const [one, other] = [processOf(), processOf()];
  const asked = Array.from({ length: 10 }, (_, i) => refused((i % 2 === 0 ? one : other).take("anne")));
  expect((await Promise.all(asked)).filter((answer) => answer === null)).toHaveLength(2);
});

test("what a process that died had open counts no more; what one really has is said anew", async () => {
  const [dead, alive] = [processOf(), processOf()];
  await dead.take("anne");
  await alive.take("anne");
  await database.db.pool.query("update open_streams set seen_at = now() - interval '2 minutes'");
  await sayAnew(alive);
  expect(await said()).toBe(1);
  await database.db.pool.query("delete from open_streams");
  await sayAnew(alive);
  expect(await said()).toBe(1);
  await alive.close();
  expect(await said()).toBe(0);
});

test("thousands who ask and leave at once hold one connection, and others get theirs meanwhile", async () => {
  const limits = { perWallet: 2_000, total: 3_000 };
  const seats = createStreamSeats(database.db, limits, silentLogger());
  const takings = Array.from({ length: 4_000 }, (_, i) =>
    seats.take(i % 2 === 0 ? "anne" : `wallet ${i % 50}`),
  );
  const busy = () => database.db.pool.totalCount - database.db.pool.idleCount;
  let most = 0;
  const settled = Promise.allSettled(takings);
  for (let n = 0; n < 20; n += 1) {
    most = Math.max(most, busy());
    await database.db.pool.query("select 1");
  }
  const leaves = (await settled).flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  expect(most).toBeLessThanOrEqual(1);
  expect(leaves).toHaveLength(3_000);
  expect(await said()).toBe(3_000);
  for (const leave of leaves) leave();
  expect(database.db.pool.waitingCount).toBeLessThanOrEqual(1);
  await expect.poll(said).toBe(0);
});

test("one who cannot be seated while the database is away is told so, and the next may come", async () => {
  let isAway = true;
  const db = {
    kysely: database.db.kysely,
    transaction: (async (fn: never) => {
      if (isAway) throw new Error("away");
      return database.db.transaction(fn);
    }) as typeof database.db.transaction,
  };
  const seats = createStreamSeats(db, limits, silentLogger());
  await expect(seats.take("anne")).rejects.toThrow("away");
  isAway = false;
  await seats.take("anne");
  expect(await said()).toBe(1);
});
