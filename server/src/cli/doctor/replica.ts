// The replica for reads that may lag: one of the same database, streaming, and as near as the configuration asks.
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "../../platform/db/db.ts";
import { IDENTITY } from "../../platform/db/leads-to.ts";
import { type Check, type Finding, fault, ok } from "./check.ts";
import { withDatabase } from "./database.ts";
import { asked } from "./second-database.ts";

const PAUSE_MS = 100;
/** No check waits longer, however far behind a replica may be. */
const MOST_WAITED_MS = 15_000;

interface Standby {
  identity: string;
  is_standby: boolean;
  is_streaming: boolean;
  /** Whether it has replayed what the primary had written. */
  is_there: boolean;
  /** How old what it replayed last is: more than it is behind where little is written. */
  replayed_seconds: number | null;
}

export const replica: Check = {
  name: "replica",
  looksAt:
    "the replica is one of the same database, streams, and keeps within database.replica_max_lag_seconds",
  run: withDatabase(async (db, { config: { database } }) => {
    const { replica_url: url, listen_url: directUrl } = database;
    if (url === null) return [];
    const mostMs = database.replica_max_lag_seconds * 1000;
    const found = await asked({ url, directUrl: directUrl ?? undefined, isReplica: true }, (standby) =>
      look(db, standby, Math.min(mostMs, MOST_WAITED_MS)),
    );
    if ("reason" in found)
      return [fault(`cannot be reached (${found.reason})`, "mend database.replica_url, or take it out")];
    return [judge(found.answer, database.replica_max_lag_seconds)];
  }),
};

interface Looked extends Standby {
  isOfDatabase: boolean;
  waitedMs: number;
}

/** Waits until the standby has what the primary has now: so long is it behind, whatever its clock says. */
async function look(primary: Database, standby: Database, mostMs: number): Promise<Looked> {
  const { rows } = await sql<{ place: string; identity: string }>`
    select pg_current_wal_lsn()::text as place, ${IDENTITY} as identity`.execute(primary.kysely);
  const { place, identity } = rows[0]!;
  for (const beganAt = performance.now(); ; await sleep(PAUSE_MS)) {
    const { rows: seen } = await standbyAt(place).execute(standby.kysely);
    const now = seen[0]!;
    const waitedMs = performance.now() - beganAt;
    const isOfDatabase = now.identity === identity;
    const isOver =
      now.is_there || waitedMs >= mostMs || !isOfDatabase || !now.is_standby || !now.is_streaming;
    if (isOver) return { ...now, isOfDatabase, waitedMs };
  }
}

function judge(seen: Looked, mostSeconds: number): Finding {
  if (!seen.isOfDatabase)
    return fault(
      "database.replica_url leads to a server of another database",
      "let it lead to a streaming replica of database.url, or take it out",
    );
  if (!seen.is_standby)
    return fault(
      "database.replica_url leads to a server that is no standby",
      "let it lead to a streaming replica of database.url, or take it out",
    );
  const replayed = Math.round(seen.replayed_seconds ?? 0);
  if (!seen.is_streaming)
    return fault(
      `streams from no primary; what it replayed last is ${replayed} s old`,
      "look at the replica's log, at primary_conninfo there, and at pg_stat_replication on the primary",
    );
  if (!seen.is_there)
    return fault(
      `more than ${Math.round(seen.waitedMs / 1000)} s behind the primary, where ${mostSeconds} s are allowed; what it replayed last is ${replayed} s old`,
      "look at the replica's disk and long queries, and at pg_stat_replication on the primary",
    );
  return ok(`less than ${Math.ceil((seen.waitedMs + PAUSE_MS) / 1000)} s behind the primary`);
}

const standbyAt = (place: string) => sql<Standby>`
  select ${IDENTITY} as identity, pg_is_in_recovery() as is_standby,
         exists (select from pg_stat_wal_receiver) as is_streaming,
         coalesce(pg_last_wal_replay_lsn() >= ${place}::pg_lsn, false) as is_there,
         extract(epoch from now() - pg_last_xact_replay_timestamp())::float8 as replayed_seconds`;
