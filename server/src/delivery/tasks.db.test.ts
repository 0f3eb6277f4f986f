// The worker's tasks as they run in a service, woken by the database's notifications and by time.
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../test/database.ts";
import { TARGET_A, TestQueue } from "../../test/delivery.ts";
import { emit } from "../events/emit.ts";
import type { Subscriber } from "../events/fan-out.ts";
import { systemClock } from "../platform/clock.ts";
import { createNotifier } from "../platform/db/notifier.ts";
import { silentLogger } from "../platform/log.ts";
import { enqueue } from "./enqueue.ts";
import { deliveryTasks } from "./tasks.ts";

test("an event that is emitted is sent, and sent again when it failed, without anybody asking; then they end", async () => {
  const database = await createTestDatabase();
  const { db } = database;
  const notifier = createNotifier(db);
  const queue = new TestQueue("webhook");
  // However long the machine stands still in the middle of a send, it is not taken up a second time.
  queue.leaseMs = 3_600_000;
  queue.answer = ({ attempt }) => (attempt === 1 ? { kind: "retry", error: "500" } : { kind: "delivered" });
  const subscriber: Subscriber = {
    name: "test",
    types: ["vault.paused"],
    async onEvents(tx, events) {
      const nowMs = systemClock.now();
      const deliveries = events.map(({ id, type, chainId, vaultAddress }) => ({
        queue: queue.name,
        targetId: TARGET_A,
        key: id,
        eventId: id,
        eventType: type,
        chainId,
        vaultAddress,
        body: "{}",
        dueAtMs: nowMs,
      }));
      await enqueue(tx, deliveries, nowMs);
    },
  };
  const metrics = new Registry();
  const log = silentLogger();
  const tasks = deliveryTasks({
    db,
    clock: systemClock,
    log,
    notifier,
    metrics,
    subscribers: [subscriber],
    queues: [queue],
  });
  const controller = new AbortController();
  const running = Promise.all(tasks.map((task) => task.run(controller.signal)));
  try {
    for (let n = 0; n < 3; n += 1) {
      await db.transaction((tx) =>
        emit(tx, [
          {
            type: "vault.paused",
            chainId: 8453,
            vaultAddress: "0x0000000000000000000000000000000000000100",
            at: "2026-05-09T10:00:00.000000Z",
            data: { account: null, block_number: n, block_hash: "0x", tx_hash: "0x", log_index: 0 },
          },
        ]),
      );
    }
    const delivered = async () =>
      (await db.pool.query("select count(*) as n from deliveries where status = 'delivered'")).rows[0].n;
    await expect.poll(delivered, { timeout: 240_000, interval: 50 }).toBe(3);
    expect(queue.sent).toHaveLength(6);
    // Counted once the commit's answer is there, which others may see before.
    const text = () => metrics.metrics();
    await expect.poll(text).toContain('vaultops_delivery_attempts_total{queue="webhook",outcome="retry"} 3');
    await expect
      .poll(text)
      .toContain('vaultops_deliveries_ended_total{queue="webhook",status="delivered"} 3');
  } finally {
    controller.abort();
    await running;
    await notifier.close();
    await database.drop();
  }
});
