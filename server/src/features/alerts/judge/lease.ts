// Who judges: of all workers one at a time. Every evaluation takes the lease first, in its own transaction, so two never judge at once,
// whatever each believes; and a holder that is gone is replaced when the lease has run out.
import { type Kysely, sql } from "kysely";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";

/** A clock that was wrong by more than this is not followed. */
const MOST_AHEAD_MS = 60_000;

/**
 * Takes the lease, or keeps it. Null: another holds it. Else the time to judge by: `nowMs`, or that of the last evaluation where another
 * worker's clock ran ahead, so that what time has brought about is not taken back.
 */
export async function takeLease(
  db: Kysely<unknown> | Tx,
  holder: string,
  leaseMs: number,
  nowMs: number,
): Promise<{ nowMs: number } | null> {
  const { rows } = await sql<{ now_ms: number }>`
    update alert_lease set holder = ${holder}, expires_at = now() + ${leaseMs}::float8 * interval '1 millisecond',
      evaluated_at = case when evaluated_at <= ${timestampOfMs(nowMs + MOST_AHEAD_MS)}::timestamptz
        then greatest(evaluated_at, ${timestampOfMs(nowMs)}::timestamptz) else ${timestampOfMs(nowMs)}::timestamptz end
    where holder = ${holder} or holder is null or expires_at <= now()
    returning round(extract(epoch from evaluated_at) * 1000)::float8 as now_ms`.execute(db);
  return rows[0] ? { nowMs: rows[0].now_ms } : null;
}

/** Gives the lease up, so that another worker need not wait until it runs out. */
export async function giveUpLease(db: Kysely<unknown>, holder: string): Promise<void> {
  await sql`update alert_lease set holder = null where holder = ${holder}`.execute(db);
}
