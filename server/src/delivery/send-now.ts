// A send at once, whose outcome the caller waits for: a test of a target. It stands in the log like any other; should this process die
// in the middle, a worker sends it, once.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../platform/clock.ts";
import type { Database, Tx } from "../platform/db/db.ts";
import { timestampOfMs } from "../platform/http/time.ts";
import type { Logger } from "../platform/log.ts";
import { LEASE_NOW } from "./claim.ts";
import { enqueue } from "./enqueue.ts";
import { presentOf, sendBatch } from "./send.ts";
import { settle } from "./settle.ts";
import type { Delivery, DeliveryQueue, NewDelivery, Outcome } from "./types.ts";

interface Parts {
  db: Pick<Database, "transaction">;
  clock: Clock;
  log: Logger;
}

/** A delivery in the outbox, under a lease of the process that asked for it. */
export interface Taken {
  delivery: Delivery;
  leaseId: string;
}

/** Sends, and resolves with the delivery's id and what came of it once that is stored. */
export async function sendNow(
  parts: Parts,
  queue: DeliveryQueue,
  made: NewDelivery,
): Promise<{ id: string; outcome: Outcome }> {
  const taken = await parts.db.transaction((tx) => take(tx, queue, made, parts.clock.now()));
  return { id: taken.delivery.id, outcome: await sendTaken(parts, queue, taken) };
}

/** Makes the delivery in the caller's transaction, to be sent by `sendTaken` once that has committed. */
export async function take(tx: Tx, queue: DeliveryQueue, made: NewDelivery, nowMs: number): Promise<Taken> {
  const leaseId = randomUUID();
  const [id] = await enqueue(tx, [made], nowMs);
  if (id === undefined) throw new Error("a delivery with that key already exists");
  await sql`
    update deliveries set lease_id = ${leaseId}, leased_until = ${LEASE_NOW} + ${queue.leaseMs} * interval '1 ms', attempts_count = 1,
      replays_left = 1, status_before = 'dead' where id = ${id}`.execute(tx);
  const createdAt = timestampOfMs(nowMs);
  return { leaseId, delivery: { ...made, id, createdAt, attempt: 1, isReplay: true, isTargetFailing: true } };
}

/** Sends what was taken, and resolves with what came of it once that is stored. */
export async function sendTaken(
  parts: Parts,
  queue: DeliveryQueue,
  { delivery, leaseId }: Taken,
): Promise<Outcome> {
  const present = await presentOf(queue, [delivery]);
  const signal = AbortSignal.timeout(queue.leaseMs);
  const [finished] = await sendBatch(queue, present, [delivery], leaseId, signal, parts);
  if (finished === undefined) throw new Error("a send had no outcome");
  await parts.db.transaction((tx) => settle(tx, queue, [finished], parts.clock.now()));
  return finished.outcome;
}
