// The owner's role and the replica: databases that are named beside the first.
import type { Config } from "../../config/load.ts";
import { type Database, openDatabase } from "../../platform/db/db.ts";
import { withoutUrls } from "../../platform/log.ts";
import { type Check, type Finding, fault, ok, reasonOf, warning } from "./check.ts";

async function asked<T>(
  url: string,
  look: (db: Database) => Promise<T>,
  isReplica = false,
): Promise<{ answer: T } | { reason: string }> {
  try {
    const db = await openDatabase({
      url,
      maxConnections: 1,
      applicationName: "vaultops doctor",
      connectTimeoutMs: 5_000,
      isReplica,
    });
    try {
      return { answer: await look(db) };
    } finally {
      await db.close();
    }
  } catch (error) {
    return { reason: withoutUrls(reasonOf(error)) };
  }
}

export async function owners({ database }: Config, appRole: string): Promise<Finding[]> {
  if (database.url === null) return [];
  if (database.owner_url === null)
    return [warning("database.owner_url is not set", "set it, so that two roles hold the log append-only")];
  const found = await asked(database.owner_url, async (db) => {
    const { rows } = await db.pool.query(
      "select current_user as role, has_schema_privilege('public', 'create') as may_create",
    );
    return rows[0] as { role: string; may_create: boolean };
  });
  if ("reason" in found)
    return [fault(`the owner cannot sign in (${found.reason})`, "mend database.owner_url")];
  const { role, may_create } = found.answer;
  if (role === appRole)
    return [
      fault(
        `database.url and database.owner_url use one role, ${role}`,
        "give the service a role of its own",
      ),
    ];
  if (!may_create)
    return [fault(`${role} may create nothing in the schema public`, `alter schema public owner to ${role}`)];
  return [ok(`${role} can migrate`)];
}

export const replica: Check = {
  name: "replica",
  looksAt: "the replica is one, and keeps up with the primary",
  async run({ config }) {
    const { replica_url: url, replica_max_lag_seconds: mostSeconds } = config.database;
    if (url === null) return [];
    const found = await asked(
      url,
      async (db) => {
        const { rows } = await db.pool.query(
          `select pg_is_in_recovery() as is_standby,
          case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
            else extract(epoch from now() - pg_last_xact_replay_timestamp()) end::float8 as lag_seconds`,
        );
        return rows[0] as { is_standby: boolean; lag_seconds: number | null };
      },
      true,
    );
    if ("reason" in found)
      return [fault(`cannot be reached (${found.reason})`, "mend database.replica_url, or take it out")];
    const { is_standby, lag_seconds } = found.answer;
    if (!is_standby)
      return [
        fault(
          "database.replica_url leads to a server that is no standby",
          "let it lead to a streaming replica of database.url, or take it out",
        ),
      ];
    const lag = Math.round(lag_seconds ?? 0);
    if (lag > mostSeconds)
      return [fault(`${lag} s behind the primary`, "look at the replica's disk, and at pg_stat_replication")];
    return [ok(`${lag} s behind the primary`)];
  },
};
