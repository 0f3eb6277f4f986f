// Forgets alerts that were resolved long ago, silences that ended as long ago and what was noted of reorganisations and outages, a little at a time, so
// that nothing else waits for it. What is open stays, however old it is.
import { sql } from "kysely";
import type { Clock } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import { every } from "../../../platform/lifecycle/every.ts";
import type { Task } from "../../../platform/lifecycle/feature.ts";
import type { Logger } from "../../../platform/log.ts";

export interface PruneParts {
  db: Pick<Database, "kysely">;
  clock: Clock;
  log: Logger;
  /** How long what is over is kept. */
  historyDays: number;
}

const EVERY_MS = 3_600_000;
const BATCH = 5_000;
const DAY_MS = 86_400_000;
/** Longer than anything that is judged by listened time may be apart. */
const GAPS_KEPT_DAYS = 400;

export function pruneTask(parts: PruneParts): Task {
  return every({ name: "alerts: forget old ones", role: "worker", ms: EVERY_MS, log: parts.log }, (signal) =>
    pruneAlerts(parts, signal),
  );
}

/** Deletes what has been over for longer than is kept. Returns how many alerts went. */
export async function pruneAlerts(
  { db, clock, historyDays }: Pick<PruneParts, "db" | "clock" | "historyDays">,
  signal?: AbortSignal,
): Promise<number> {
  const before = timestampOfMs(clock.now() - historyDays * DAY_MS);
  let gone = 0;
  for (let isMore = true; isMore && !signal?.aborted; ) {
    const { numAffectedRows } = await sql`
      delete from alerts where id in (select id from alerts where resolved_at < ${before} limit ${BATCH})`.execute(
      db.kysely,
    );
    gone += Number(numAffectedRows ?? 0);
    isMore = Number(numAffectedRows ?? 0) >= BATCH;
  }
  await sql`delete from silences where ends_at < ${before}`.execute(db.kysely);
  await sql`delete from deep_reorganisations where happened_at < ${before}`.execute(db.kysely);
  const old = timestampOfMs(clock.now() - GAPS_KEPT_DAYS * DAY_MS);
  await sql`delete from listening_gaps where to_at < ${old}`.execute(db.kysely);
  return gone;
}
