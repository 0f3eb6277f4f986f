// Forgets events and deliveries after 30 days (role worker): what is over, a little at a time, so that nothing else waits for it.
import { sql } from "kysely";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/db/db.ts";
import { timestampOfMs } from "../platform/http/time.ts";
import { every } from "../platform/lifecycle/every.ts";
import type { Task } from "../platform/lifecycle/feature.ts";
import type { Logger } from "../platform/log.ts";

const KEEP_MS = 30 * 86_400_000;
const EVERY_MS = 3_600_000;
const BATCH = 5_000;

export function pruneTask(parts: { db: Pick<Database, "kysely">; clock: Clock; log: Logger }): Task {
  return every({ name: "pruning", role: "worker", ms: EVERY_MS, log: parts.log }, (signal) =>
    prune(parts.db, parts.clock.now(), signal),
  );
}

/** Deletes events that were handed out and deliveries that are over, with their attempts, when made more than 30 days ago. */
export async function prune(
  db: Pick<Database, "kysely">,
  nowMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const before = timestampOfMs(nowMs - KEEP_MS);
  const oldEvents = sql`delete from events where seq in (
    select seq from events where created_at < ${before} and (fanned_out_at is not null or failures >= 10) limit ${BATCH})`;
  const oldDeliveries = sql`
    with gone as (
      delete from deliveries where id in (
        select id from deliveries where created_at < ${before} and status not in ('pending', 'failed') limit ${BATCH})
      returning id
    )
    delete from delivery_attempts using gone where delivery_id = gone.id returning 1`;
  for (const statement of [oldEvents, oldDeliveries]) {
    for (let isMore = true; isMore && !signal?.aborted; ) {
      const { numAffectedRows } = await statement.execute(db.kysely);
      isMore = Number(numAffectedRows ?? 0) >= BATCH;
    }
  }
}
