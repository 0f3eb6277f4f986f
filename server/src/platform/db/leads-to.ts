// Whether a second URL of the configuration leads to the same database as the first. A server on the wrong host, another database of the same
// server, or a pooler where a session is needed all take connections and answer queries; what is wrong shows only when something is missing.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type pg from "pg";
import type { Database } from "./db.ts";
import { PooledClient } from "./pooled-client.ts";
import { clientConfig, openSession } from "./session.ts";

/** Which server and which of its databases a session is on; standbys have it of their primary. */
const IDENTITY_SQL = `(select system_identifier || '/' || oid from pg_control_system(), pg_database where datname = current_database())`;

/** The same within a statement. */
export const IDENTITY = sql.raw<string>(IDENTITY_SQL);

export type LeadsTo =
  /** Sessions of the same database, each its client's own. */
  | "the server"
  /** The same by way of a pooler, which gave each client a session of its own as far as could be seen. */
  | "a pooler"
  /** A pooler where another client gets the session between two transactions. */
  | "shared sessions"
  | "another database";

/** Where `url` leads, as seen from `db`. Sets nothing in the sessions, for they may be others' a moment later. */
export async function leadsTo(url: string, db: Pick<Database, "pool">): Promise<LeadsTo> {
  const applicationName = `vaultops ${randomUUID()}`;
  const settings = { url, applicationName, connectTimeoutMs: 5_000, isPooled: true };
  const open = async (): Promise<pg.Client & { processID?: number }> => {
    const client = new PooledClient({ ...clientConfig(settings), query_timeout: 5_000 });
    client.on("error", () => {});
    await openSession(client, settings);
    return client;
  };
  const first = await open();
  try {
    const [here, there] = await Promise.all([identityOf(db.pool), identityOf(first)]);
    if (here !== there) return "another database";
    const before = await pidOf(first);
    if (before !== first.processID)
      return (await isTakenOver(first, before, open)) ? "shared sessions" : "a pooler";
    // A standby that was promoted, or a copy, calls itself the same; but each knows its own sessions alone.
    const { rowCount } = await db.pool.query("select from pg_stat_activity where application_name = $1", [
      applicationName,
    ]);
    return rowCount === 0 ? "another database" : "the server";
  } finally {
    await first.end().catch(() => {});
  }
}

/** Whether another client gets the server's session while the first does nothing, or the first a new one while the other holds it. */
async function isTakenOver(first: pg.Client, pid: number, open: () => Promise<pg.Client>): Promise<boolean> {
  // A pooler of sessions that has no second one lets wait, which says the same.
  const second = await open().catch(() => null);
  if (second === null) return false;
  try {
    await second.query("begin");
    return (await pidOf(second)) === pid || (await pidOf(first)) !== pid;
  } finally {
    await second.end().catch(() => {});
  }
}

async function identityOf(sessions: pg.Client | pg.Pool): Promise<string> {
  const { rows } = await sessions.query<{ identity: string }>(`select ${IDENTITY_SQL} as identity`);
  return rows[0]!.identity;
}

async function pidOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]!.pid;
}
