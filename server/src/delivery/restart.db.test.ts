// PostgreSQL restarted, and workers killed with -9, in the middle of thousands of deliveries: none is lost.
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../test/database.ts";
import { enqueueMany, TestQueue, testDispatcher } from "../../test/delivery.ts";
import { startReceiver } from "../../test/receiver.ts";
import { startRestartablePostgres } from "../../test/restartable-postgres.ts";
import { systemClock } from "../platform/clock.ts";
import type { Database } from "../platform/db/db.ts";
import { createNotifier } from "../platform/db/notifier.ts";
import { silentLogger } from "../platform/log.ts";

test("PostgreSQL restarted in the middle of 5,000 deliveries: each is delivered, and no more are doubled than were under way", async () => {
  const log = silentLogger();
  const postgres = await startRestartablePostgres();
  const { db } = postgres;
  const notifier = createNotifier(db, log);
  const queue = new TestQueue("webhook");
  // Leases end when the test says so, and for no standstill of the machine.
  queue.leaseMs = 3_600_000;
  queue.slots = 64;
  const controller = new AbortController();
  try {
    await enqueueMany(db, "webhook", 5000, 25);
    let restarting: Promise<void> | null = null;
    queue.answer = () => {
      if (queue.sent.length > 1000)
        restarting ??= postgres.restart().then(() => {
          return endLostLeases(db, queue.leaseMs);
        });
      return { kind: "delivered" };
    };
    const running = testDispatcher(db, queue, systemClock, notifier).run(controller.signal);
    const count = async () => {
      const { rows } = await db.pool
        .query("select count(*) as n from deliveries where status = 'delivered'")
        .catch(() => ({ rows: [{ n: 0 }] }));
      return rows[0].n;
    };
    await expect.poll(count, { timeout: 240_000, interval: 250 }).toBe(5000);
    await restarting;
    controller.abort();
    await running;
    expect(new Set(queue.sent.map(({ key }) => key)).size).toBe(5000);
    // What had been claimed when the server went, once in the claim that was lost and once in the sends that were.
    expect(queue.sent.length - 5000).toBeLessThanOrEqual(2 * queue.slots);
  } finally {
    controller.abort();
    await notifier.close();
    await postgres.drop();
  }
}, 300_000);

/** Those that were taken before the server came back. */
async function endLostLeases(db: Database, leaseMs: number): Promise<void> {
  await db.pool.query(
    `update deliveries set leased_until = statement_timestamp()
     where leased_until < pg_postmaster_start_time() + $1 * interval '1 ms'`,
    [leaseMs],
  );
}

const WORKER = fileURLToPath(new URL("./test-process.ts", import.meta.url));

test("workers killed with -9 in the middle of sends: each delivery arrives, and the log tells of the attempts that were lost", async () => {
  const database = await createTestDatabase();
  const receiver = await startReceiver();
  const { db } = database;
  const total = 400;
  let kills = 0;
  let worker: ChildProcess | null = null;
  const startWorker = () => {
    const child = spawn(process.execPath, [WORKER, database.url, receiver.url], {
      stdio: ["pipe", "inherit", "inherit"],
    });
    worker = child;
  };
  try {
    await enqueueMany(db, "webhook", total, 10);
    receiver.answer = (response) => {
      // In the middle of this very send, among others.
      if (kills < 3 && receiver.received.length > (kills + 1) * 60) {
        kills += 1;
        worker?.once("exit", startWorker);
        worker?.kill("SIGKILL");
        return;
      }
      response.writeHead(204).end();
    };
    startWorker();
    const delivered = async () =>
      (await db.pool.query("select count(*) as n from deliveries where status = 'delivered'")).rows[0].n;
    await expect.poll(delivered, { timeout: 240_000, interval: 100 }).toBe(total);
    expect(kills).toBe(3);
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(total);
    const { rows } = await db.pool.query(
      "select count(*) as n from delivery_attempts where error = 'the process that sent it stopped before the outcome was known'",
    );
    expect(rows[0].n).toBeGreaterThanOrEqual(3);
  } finally {
    (worker as ChildProcess | null)?.removeAllListeners("exit");
    (worker as ChildProcess | null)?.kill("SIGKILL");
    await receiver.close();
    await database.drop();
  }
}, 300_000);
