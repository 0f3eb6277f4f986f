// A queue of the outbox whose targets answer as a test says, and a clock that stands where the test puts it.
import { Registry } from "prom-client";
import { Dispatcher } from "../src/delivery/dispatch.ts";
import { enqueue } from "../src/delivery/enqueue.ts";
import { deliveryMetrics } from "../src/delivery/metrics.ts";
import type { Delivery, DeliveryQueue, Outcome, QueueName, Settled } from "../src/delivery/types.ts";
import type { Clock } from "../src/platform/clock.ts";
import type { Database, Tx } from "../src/platform/db/db.ts";
import type { Notifier } from "../src/platform/db/notifier.ts";
import { silentLogger } from "../src/platform/log.ts";

export const TARGET_A = "aaaaaaaa-0000-4000-8000-000000000001";
export const TARGET_B = "bbbbbbbb-0000-4000-8000-000000000002";

/** Begins at a moment of its own, never the present. */
export class FakeClock implements Clock {
  static readonly BEGIN_MS = Date.UTC(2026, 4, 9, 10);
  #nowMs = FakeClock.BEGIN_MS;

  now(): number {
    return this.#nowMs;
  }

  /** So long after its beginning. */
  at(ms: number): void {
    this.#nowMs = FakeClock.BEGIN_MS + ms;
  }
}

/** Records what is sent. Targets exist unless named in `gone`. */
export class TestQueue implements DeliveryQueue<string> {
  readonly name: QueueName;
  leaseMs = 30_000;
  concurrencyPerTarget = 4;
  slots = 16;
  isOrdered = false;
  maxPerSend = 1;
  readonly gone = new Set<string>();
  readonly sent: Delivery[] = [];
  readonly batches: Delivery[][] = [];
  readonly settled: Settled[] = [];
  answer: (delivery: Delivery) => Outcome | Promise<Outcome> = () => ({ kind: "delivered" });
  failSettling: ((settled: readonly Settled[]) => void) | null = null;

  constructor(name: QueueName) {
    this.name = name;
  }

  loadTargets = async (ids: readonly string[]) =>
    new Map(ids.map((id) => [id, this.gone.has(id) ? null : id]));

  schedule = (attempt: number) => (attempt > 5 ? null : 1000 * 2 ** (attempt - 1));

  send = async (_target: string, deliveries: readonly Delivery[]): Promise<Outcome[]> => {
    this.batches.push([...deliveries]);
    this.sent.push(...deliveries);
    return Promise.all(deliveries.map((delivery) => this.answer(delivery)));
  };

  onSettled = async (_tx: Tx, settled: readonly Settled[]) => {
    this.failSettling?.(settled);
    this.settled.push(...settled);
  };
}

/** Helpers over a queue's rows. */
export function outbox(db: Database, queue: TestQueue, clock: Clock) {
  return {
    /** Enqueues a delivery whose body is its key. */
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
              chainId: 8453,
              vaultAddress: VAULT,
              body: key,
              dueAtMs: clock.now() + delayMs,
            },
          ],
          clock.now(),
        ),
      ),
    /** All deliveries, in the order of their making. */
    rows: async () => (await db.pool.query("select * from deliveries order by seq")).rows,
    /** Status by key. */
    statuses: async () =>
      Object.fromEntries(
        (await db.pool.query("select key, status from deliveries order by seq")).rows.map(
          ({ key, status }) => [key, status],
        ),
      ),
    /** Attempts of the delivery with the key. */
    attempts: async (key: string) =>
      (
        await db.pool.query(
          "select a.* from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.key = $1 order by a.number",
          [key],
        )
      ).rows,
    events: async () =>
      (await db.pool.query("select type, chain_id, vault_address, data from events order by seq")).rows.map(
        ({ data, ...event }) => ({ ...event, data: JSON.parse(data) }),
      ),
  };
}

/** Enqueues so many deliveries, in turn for so many targets. */
export async function enqueueMany(
  db: Database,
  queue: QueueName,
  count: number,
  targets: number,
): Promise<void> {
  const deliveries = Array.from({ length: count }, (_, n) => ({
    queue,
    targetId: `dddddddd-0000-4000-8000-${String(n % targets).padStart(12, "0")}`,
    key: `${n}`,
    eventId: null,
    eventType: "test",
    chainId: 8453,
    vaultAddress: VAULT,
    body: `${n}`,
    dueAtMs: 0,
  }));
  await db.transaction((tx) => enqueue(tx, deliveries, Date.now()));
}

export async function emptyOutbox(db: Database): Promise<void> {
  for (const table of ["delivery_attempts", "deliveries", "delivery_targets", "events"])
    await db.pool.query(`delete from ${table}`);
}

/** As if every lease had run out. */
export async function endLeases(db: Database): Promise<void> {
  await db.pool.query(
    "update deliveries set leased_until = statement_timestamp() where lease_id is not null",
  );
}

const VAULT = "0x0000000000000000000000000000000000000100";

/** Its `drain()` sends what is due; nothing runs by itself. */
export function testDispatcher(
  db: Database,
  queue: DeliveryQueue,
  clock: Clock,
  notifier: Notifier = { listen() {}, close: async () => {} },
): Dispatcher {
  return new Dispatcher(queue, {
    db,
    clock,
    log: silentLogger(),
    notifier,
    metrics: deliveryMetrics(new Registry()),
  });
}
