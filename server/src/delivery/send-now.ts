// A send at once, whose outcome the caller waits for: a test of a target. It stands in the log like any other; should this process die
// in the middle, a worker sends it, once.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/db.ts";
import { timestampOfMs } from "../platform/http/time.ts";
import type { Logger } from "../platform/log.ts";
import { enqueue } from "./enqueue.ts";
import { sendBatch } from "./send.ts";
import { settle } from "./settle.ts";
import type { Delivery, DeliveryQueue, NewDelivery, Outcome } from "./types.ts";

/** Sends, and resolves with the delivery's id and what came of it once that is stored. */
export async function sendNow(
  parts: { db: Pick<Database, "transaction">; clock: Clock; log: Logger },
  queue: DeliveryQueue,
  made: NewDelivery,
): Promise<{ id: string; outcome: Outcome }> {
  const { db, clock } = parts;
  const nowMs = clock.now();
  const leaseId = randomUUID();
  const id = await db.transaction(async (tx) => {
    const [id] = await enqueue(tx, [made], nowMs);
    if (id === undefined) throw new Error("a delivery with that key was made before");
    await sql`
      update deliveries set lease_id = ${leaseId}, leased_until = ${timestampOfMs(nowMs + queue.leaseMs)}, attempts_count = 1,
        replays_left = 1, status_before = 'dead' where id = ${id}`.execute(tx);
    return id;
  });
  const delivery: Delivery = {
    ...made,
    id,
    createdAt: timestampOfMs(nowMs),
    attempt: 1,
    isReplay: true,
    isTargetFailing: true,
  };
  const targets = await queue.loadTargets([made.targetId]);
  const signal = AbortSignal.timeout(queue.leaseMs);
  const [finished] = await sendBatch(
    queue,
    targets.get(made.targetId) ?? null,
    [delivery],
    leaseId,
    signal,
    parts,
  );
  if (finished === undefined) throw new Error("a send came to nothing");
  await db.transaction((tx) => settle(tx, queue, [finished], clock.now()));
  return { id, outcome: finished.outcome };
}
