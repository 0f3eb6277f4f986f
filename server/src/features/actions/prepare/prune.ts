// Forgets prepared actions that nobody did (role worker): 30 days after they expired, and after the last word of a submission. Until then a later
// execution is still found. What was executed stays, with the entries that it became.
import { sql } from "kysely";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { every } from "../../../platform/lifecycle/every.ts";
import type { Task } from "../../../platform/lifecycle/feature.ts";
import type { Logger } from "../../../platform/log.ts";

const KEEP_MS = 30 * 86_400_000;
const EVERY_MS = 3_600_000;
const BATCH = 500;

export function pruneTask(parts: { db: Pick<Database, "kysely">; clock: Clock; log: Logger }): Task {
  return every(
    { name: "pruning of prepared actions", role: "worker", ms: EVERY_MS, log: parts.log },
    (signal) => prunePrepared(parts.db, parts.clock.now(), signal),
  );
}

/** A little at a time, so that nothing else waits for it. */
export async function prunePrepared(
  db: Pick<Database, "kysely">,
  nowMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const before = timestampOfMs(nowMs - KEEP_MS);
  for (let isMore = true; isMore && !signal?.aborted; ) {
    const { numAffectedRows } = await sql`
      delete from prepared_actions where id in (
        select p.id from prepared_actions p
         where p.expires_at < ${before}
           and not exists (select from prepared_action_executions x where x.action_id = p.id)
           and not exists (select from prepared_action_submissions s where s.action_id = p.id and s.submitted_at >= ${before})
         limit ${BATCH})`.execute(db.kysely);
    isMore = Number(numAffectedRows ?? 0) >= BATCH;
  }
}
