// PostgreSQL restarted, and workers killed with -9, in the middle of thousands of deliveries: none is lost.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestDatabase } from "../../test/database.ts";
import { enqueueMany, TestQueue, testDispatcher } from "../../test/delivery.ts";
import { startReceiver } from "../../test/receiver.ts";
import { systemClock } from "../platform/clock.ts";
import { openDatabase } from "../platform/db.ts";
import { silentLogger } from "../platform/log.ts";
import { migrate } from "../platform/migrate.ts";
import { createNotifier } from "../platform/notifier.ts";
import { startEmbeddedPostgres } from "../platform/postgres.ts";

/** A stable address before a server that comes back at another. */
async function startProxy() {
  let port = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    /** The same URL by way of the proxy, which from now on leads to where the URL does. */
    to(url: string): string {
      const parsed = new URL(url);
      port = Number(parsed.port);
      parsed.port = String((server.address() as AddressInfo).port);
      return parsed.toString();
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("PostgreSQL restarted in the middle of 5,000 deliveries: each is delivered, and no more are doubled than were under way", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "vaultops-restart-"));
  const log = silentLogger();
  const start = () => startEmbeddedPostgres({ dataDir, log, isDurable: true });
  let postgres = await start();
  const proxy = await startProxy();
  await migrate({ ownerUrl: postgres.ownerUrl, appUrl: postgres.appUrl, log });
  const db = await openDatabase({ url: proxy.to(postgres.appUrl), log });
  const notifier = createNotifier(db, log);
  const queue = new TestQueue("webhook");
  queue.leaseMs = 15_000;
  queue.slots = 64;
  const controller = new AbortController();
  try {
    await enqueueMany(db, "webhook", 5000, 25);
    let restarting: Promise<void> | null = null;
    const restart = async () => {
      await postgres.stop();
      postgres = await start();
      proxy.to(postgres.appUrl);
    };
    queue.answer = () => {
      if (queue.sent.length > 1000) restarting ??= restart();
      return { kind: "delivered" };
    };
    const running = testDispatcher(db, queue, systemClock, notifier).run(controller.signal);
    const count = async () => {
      const { rows } = await db.pool
        .query("select count(*) as n from deliveries where status = 'delivered'")
        .catch(() => ({ rows: [{ n: 0 }] }));
      return rows[0].n;
    };
    await expect.poll(count, { timeout: 110_000, interval: 250 }).toBe(5000);
    await restarting;
    controller.abort();
    await running;
    expect(new Set(queue.sent.map(({ key }) => key)).size).toBe(5000);
    // What had been claimed when the server went, once in the claim that was lost and once in the sends that were.
    expect(queue.sent.length - 5000).toBeLessThanOrEqual(2 * queue.slots);
  } finally {
    controller.abort();
    await notifier.close();
    await db.close();
    await proxy.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 180_000);

const WORKER = fileURLToPath(new URL("../../test/delivery-process.ts", import.meta.url));

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
    await expect.poll(delivered, { timeout: 110_000, interval: 100 }).toBe(total);
    expect(kills).toBe(3);
    expect(new Set(receiver.received.map(({ body }) => body.toString())).size).toBe(total);
    const { rows } = await db.pool.query(
      "select count(*) as n from delivery_attempts where error = 'the process that sent it ended before the outcome was known'",
    );
    expect(rows[0].n).toBeGreaterThanOrEqual(3);
  } finally {
    (worker as ChildProcess | null)?.removeAllListeners("exit");
    (worker as ChildProcess | null)?.kill("SIGKILL");
    await receiver.close();
    await database.drop();
  }
}, 180_000);
