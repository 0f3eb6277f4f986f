// The database of the configuration, or the embedded one: opened with its migrations applied, and what of it matters for readiness.
import { sql } from "kysely";
import type { Config } from "../config/load.ts";
import { type Database, openDatabase } from "../platform/db/db.ts";
import { type LeadsTo, leadsTo } from "../platform/db/leads-to.ts";
import { checkPrivileges, migrate, migrationsCurrent } from "../platform/db/migrate.ts";
import { poolerWarnings, readLimits } from "../platform/db/pooled-client.ts";
import { Replica, type SqlReads } from "../platform/db/replica.ts";
import type { Task } from "../platform/lifecycle/feature.ts";
import type { Condition, Readiness } from "../platform/lifecycle/health.ts";
import type { Logger } from "../platform/log.ts";
import { startEmbeddedPostgres } from "../platform/postgres/postgres.ts";

export interface Storage {
  db: Database;
  /** Reads of the audit log, in sessions with settings of their own. */
  auditReader: Database;
  /** Reads that may lag: of the replica where one is configured and not too far behind. */
  reads: SqlReads;
  /** The same of the audit log. */
  auditReads: SqlReads;
  replica: Replica | null;
  /** The same database as its owner; the same as `db`'s where no owner is configured. */
  ownerUrl: string;
  /** Of the embedded server: resolves when it ends without having been stopped. */
  ended: Promise<string> | null;
  close(): Promise<void>;
}

/**
 * Opens the configured database, or the embedded one, with its migrations applied. `mayShare`: for a command beside a running
 * service, whose embedded server is then used.
 */
export async function openStorage(
  config: Config,
  log: Logger,
  options: { mayShare?: boolean; mustExist?: boolean } = {},
): Promise<Storage> {
  const { url, owner_url: owner, replica_url: replicaUrl, max_connections: maxConnections } = config.database;
  const { replica_max_lag_seconds: maxLagSeconds } = config.database;
  const listenUrl = config.database.listen_url ?? undefined;
  const embedded =
    url === null ? await startEmbeddedPostgres({ dataDir: config.data_dir, log, ...options }) : null;
  try {
    const appUrl = embedded?.appUrl ?? (url as string);
    const directUrl = listenUrl ?? appUrl;
    const ownerUrl = embedded?.ownerUrl ?? owner ?? directUrl;
    if (listenUrl !== undefined) await checkListenUrl(appUrl, listenUrl, log);
    await migrate({ ownerUrl, appUrl: directUrl, log, mustExist: options.mustExist ?? false });
    const db = await openDatabase({ url: appUrl, directUrl: listenUrl, maxConnections, log });
    const forAudit = { directUrl: listenUrl, maxConnections, genericPlans: true } as const;
    const auditReader = await openDatabase({
      ...forAudit,
      url: appUrl,
      applicationName: "vaultops audit reader",
    });
    const opened = [db, auditReader];
    let reads: SqlReads = db;
    let auditReads: SqlReads = auditReader;
    let replica: Replica | null = null;
    if (replicaUrl !== null) {
      const onReplica = { url: replicaUrl, isReplica: true, applicationName: "vaultops replica reader" };
      const all = await openDatabase({ ...onReplica, directUrl: listenUrl, maxConnections, log });
      const audit = await openDatabase({ ...forAudit, ...onReplica, log });
      opened.push(all, audit);
      replica = new Replica(db, all, { maxLagMs: maxLagSeconds * 1000, log });
      reads = replica.reads(db, all);
      auditReads = replica.reads(auditReader, audit);
    }
    const close = async () => {
      await Promise.all(opened.map((each) => each.close()));
      await embedded?.stop();
    };
    const privileges = await checkPrivileges(db);
    if (!privileges.appendOnlyHeld) {
      log.warn(
        { reasons: privileges.reasons },
        "the database does not enforce that the audit log is append-only (see docs/operations/database.md)",
      );
    }
    for (const warning of poolerWarnings(await readLimits(db.pool), listenUrl !== undefined))
      log.warn(warning);
    return { db, auditReader, reads, auditReads, replica, ownerUrl, ended: embedded?.ended ?? null, close };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** Before anything is done by way of it: a lease or a notice in another database is one that nobody else sees. */
async function checkListenUrl(url: string, listenUrl: string, log: Logger): Promise<void> {
  const db = await openDatabase({ url, directUrl: listenUrl, maxConnections: 1, log });
  const place = await leadsTo(listenUrl, db).finally(() => db.close());
  if (place === "another database") throw new Error(LISTEN_URL_SAYS[place]);
  if (place !== "the server") log.warn(LISTEN_URL_SAYS[place]);
}

/** What is wrong with a `database.listen_url` that leads there. */
export const LISTEN_URL_SAYS: Record<Exclude<LeadsTo, "the server">, string> = {
  "another database": "database.listen_url leads to another server or database than database.url",
  "shared sessions":
    "database.listen_url leads through a pooler that gives a session to several clients: no notice comes, and chains change hands",
  "a pooler": "database.listen_url leads through a pooler: it must lead past it, or to one in session mode",
};

/** Measures how far the replica is behind, for everything that reads from it. */
export function lagTask(replica: Replica): Task {
  return { name: "lag of the replica", role: "api", run: (signal) => replica.watch(signal) };
}

/** What `/readyz` says of it. */
export function addStorageChecks(readiness: Readiness, db: Database, config: Config): void {
  readiness.add({
    name: "database",
    async check() {
      await sql`select 1`.execute(db.kysely);
      return { state: "ok" };
    },
  });
  readiness.add({
    name: "migrations",
    async check() {
      const state = await migrationsCurrent(db);
      return state.isCurrent ? { state: "ok" } : { state: "failed", detail: state.detail };
    },
  });
  readiness.add({
    name: "append-only",
    async check() {
      const { appendOnlyHeld, reasons } = await checkPrivileges(db);
      if (appendOnlyHeld) return { state: "ok" };
      const advice =
        config.database.owner_url === null && config.database.url !== null ? " Set database.owner_url." : "";
      return { state: "degraded", detail: `not enforced by the database: ${reasons.join("; ")}.${advice}` };
    },
  });
}

export function replicaCondition(replica: Replica): Condition {
  if (replica.isFresh()) return { state: "ok" };
  return {
    state: "degraded",
    detail:
      "The replica is away, or too far behind (database.replica_max_lag_seconds): the primary is read from.",
  };
}
