// Brings a database to the schema of this release: plain SQL files in the order of their numbers, each once and in a
// transaction of its own (those that build indexes while others write aside, concurrent-indexes.ts), one migrator at a time, and the privileges of the application's role last.
// Writers do not wait while it waits for a lock (short-locks.ts).
// Runs as the owner; the application's role owns nothing, so that the database itself refuses it to change the past.
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Logger } from "../log.ts";
import { isConcurrent, runConcurrently } from "./concurrent-indexes.ts";
import type { Database } from "./db.ts";
import {
  type AppliedMigration,
  isNewer,
  MIGRATIONS_DIRECTORY,
  MigrationError,
  type MigrationFile,
  missingFrom,
  readMigrations,
} from "./migrations.ts";
import { clientConfig, openSession } from "./session.ts";
import { withShortLocks } from "./short-locks.ts";

export interface MigrateOptions {
  /** The role that owns the tables. */
  ownerUrl: string;
  /** The role that the service works as. Left out, or the same role: no privileges are granted, append-only is not held. */
  appUrl?: string | undefined;
  log: Logger;
  /** Refuses a database that was never migrated instead of making the schema in it. */
  mustExist?: boolean;
  /** Where the migrations are, for tests. */
  directory?: string;
}

export interface MigrateResult {
  /** Versions applied by this call, in order. */
  applied: number[];
  /** The version that the database now has. */
  version: number;
  /** Whether two roles are used, so that the database refuses changes to the audit log. */
  appendOnlyHeld: boolean;
}

/**
 * Applies what is missing and grants the application's privileges again.
 * @throws MigrationError when the database and this release do not belong together; nothing has been changed then
 * @throws the driver's error of the statement that failed; its migration is rolled back, earlier ones stay
 */
export async function migrate(options: MigrateOptions): Promise<MigrateResult> {
  const { log } = options;
  const files = await readMigrations(options.directory);
  const appRole = options.appUrl === undefined ? null : await roleOf(options.appUrl);
  const client = await connect(options.ownerUrl);
  try {
    await checkServer(client);
    const ownerRole = await currentRole(client);
    if (options.mustExist === true) await mustBeMigrated(client);
    if (!(await mayCreate(client))) return await checkOnly(client, files);
    await lock(client, log);
    // What grants.sql does not name is denied; for functions PostgreSQL's own default is the opposite.
    await client.query("alter default privileges revoke execute on functions from public");
    await client.query(
      "create table if not exists schema_migrations (version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())",
    );
    await client.query("alter table schema_migrations add column if not exists compatible_from text");
    const applied = await readApplied(client);
    const missing = missingFrom(files, applied);
    for (const file of missing) {
      const done = () =>
        client.query(
          "insert into schema_migrations (version, name, checksum, compatible_from) values ($1, $2, $3, $4)",
          [file.version, file.name, file.checksum, file.compatibleFrom],
        );
      if (isConcurrent(file)) {
        await runConcurrently(client, file, log, () => connect(options.ownerUrl));
        await done();
      } else {
        const apply = () =>
          inTransaction(client, async () => {
            await client.query(file.sql);
            await done();
          });
        await withShortLocks(client, apply, () =>
          log.info(
            { name: file.name },
            "a migration waits for older transactions to end; writers do not wait for it",
          ),
        );
      }
      log.info({ version: file.version, name: file.name }, "migration applied");
    }
    const appendOnlyHeld = appRole !== null && appRole !== ownerRole;
    // What a newer release has granted is not named here, and would be taken away.
    if (isNewer(files, applied))
      log.warn(
        { newest: applied.at(-1)?.name },
        "the database is from a newer release; its migrations are kept",
      );
    else if (appendOnlyHeld) await grant(client, appRole, options.directory);
    return {
      applied: missing.map((file) => file.version),
      version: files.at(-1)?.version ?? 0,
      appendOnlyHeld,
    };
  } finally {
    await client.end();
  }
}

/** What was done to an empty database by mistake for another would look well: an empty log verifies. */
async function mustBeMigrated(client: pg.Client): Promise<void> {
  if ((await readApplied(client).catch(absent)).length > 0) return;
  throw new MigrationError(
    "not_there",
    `the database ${JSON.stringify(client.database)} contains nothing of VaultOps: name the right one, or create it with vaultops migrate`,
  );
}

/** For a role that owns nothing: it finds the database migrated by somebody else, or says who must do it. */
async function checkOnly(client: pg.Client, files: MigrationFile[]): Promise<MigrateResult> {
  const missing = missingFrom(files, await readApplied(client).catch(absent));
  if (missing.length > 0) {
    throw new MigrationError(
      "owner_needed",
      `migrations ${missing.map((file) => file.name).join(", ")} are missing, and this role may not apply them: set database.owner_url, or run vaultops migrate with it`,
    );
  }
  return { applied: [], version: files.at(-1)?.version ?? 0, appendOnlyHeld: true };
}

export type MigrationState = { isCurrent: true; version: number } | { isCurrent: false; detail: string };

/** Whether the database has the migrations of this release; for /readyz. */
export async function migrationsCurrent(db: Database, directory?: string): Promise<MigrationState> {
  const files = await readMigrations(directory);
  try {
    const missing = missingFrom(files, await readApplied(db.pool).catch(absent));
    if (missing.length === 0) return { isCurrent: true, version: files.at(-1)?.version ?? 0 };
    const names = missing.map((file) => file.name).join(", ");
    return { isCurrent: false, detail: `migrations ${names} are missing: run vaultops migrate` };
  } catch (error) {
    if (error instanceof MigrationError) return { isCurrent: false, detail: error.message };
    throw error;
  }
}

export interface Privileges {
  role: string;
  /** Whether the database itself keeps this role from changing or removing audit entries. */
  appendOnlyHeld: boolean;
  /** What stands against it, in words for the log and /readyz; empty when it is held. */
  reasons: string[];
}

/** What the role that `db` works as could do to the audit log, as the database sees it now. */
export async function checkPrivileges(db: Database): Promise<Privileges> {
  const { rows } = await db.pool.query(PRIVILEGES_SQL);
  const { role, is_superuser, can_create, owned, writable } = rows[0];
  const reasons: string[] = [];
  if (is_superuser) reasons.push(`the role ${role} is a superuser`);
  if (can_create) reasons.push(`the role ${role} may create objects in the schema public`);
  if (owned.length > 0)
    reasons.push(`the role ${role} owns, or may act as the owner of, ${owned.join(", ")}`);
  if (writable.length > 0)
    reasons.push(`the role ${role} may change or remove rows of ${writable.join(", ")}`);
  return { role, appendOnlyHeld: reasons.length === 0, reasons };
}

// Tables of the audit log are named audit_…, their partitions included.
const PRIVILEGES_SQL = `
  with tables as (
    select oid, relname::text as name, relowner from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
  )
  select current_user::text as role,
    (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
    has_schema_privilege(current_user, 'public', 'create') as can_create,
    array(select name from tables where pg_has_role(current_user, relowner, 'member') order by name) as owned,
    array(select name from tables where starts_with(name, 'audit_') and (
      has_table_privilege(current_user, oid, 'update, delete, truncate, trigger')
      or has_any_column_privilege(current_user, oid, 'update')) order by name) as writable`;

// "vaultops" as a number: any constant does, as long as it stays.
const LOCK = "8530217449563025523";
const LOCK_RETRY_MS = 200;

async function readApplied(client: pg.Client | pg.Pool): Promise<AppliedMigration[]> {
  const { rows } = await client.query(
    "select version, name, checksum, to_jsonb(m) ->> 'compatible_from' as compatible_from from schema_migrations m order by version",
  );
  return rows;
}

/** A database never migrated: no such table, or no right to read it yet. */
function absent(error: { code?: string }): AppliedMigration[] {
  if (error.code === "42P01" || error.code === "42501") return [];
  throw error;
}

async function grant(client: pg.Client, appRole: string, directory = MIGRATIONS_DIRECTORY): Promise<void> {
  const sql = await readFile(`${directory}/grants.sql`, "utf8");
  const role = pg.escapeIdentifier(appRole);
  await inTransaction(client, async () => {
    // What the file does not name any more must be gone, too.
    await client.query(`revoke all on all tables in schema public from ${role};
      revoke all on all sequences in schema public from ${role};
      revoke all on all functions in schema public from ${role};
      revoke all on schema public from ${role}`);
    await client.query(sql.replaceAll(":app_role", role));
  });
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query("show server_version_num");
  checkServerVersion(Number(rows[0].server_version_num));
}

/**
 * PostgreSQL 15 to 18 are what the SQL is tested with. `version` is the server's `server_version_num`, e.g. 150014.
 * @throws MigrationError `unsupported_server`
 */
export function checkServerVersion(version: number): void {
  const major = Math.floor(version / 10_000);
  if (major >= 15 && major <= 18) return;
  throw new MigrationError(
    "unsupported_server",
    `PostgreSQL ${major} is not supported: use 15, 16, 17 or 18`,
  );
}

/**
 * Held until the connection ends, so that a migrator that dies leaves it to the next. Asked for again and again: a statement that waits
 * would hold a snapshot, and an index that is built concurrently waits for the end of every older one.
 */
async function lock(client: pg.Client, log: Logger): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    const { rows } = await client.query("select pg_try_advisory_lock($1) as is_ours", [LOCK]);
    if (rows[0].is_ours) return;
    if (!isTold) log.info("another process is migrating the database; waiting for it");
    await sleep(LOCK_RETRY_MS);
  }
}

async function roleOf(url: string): Promise<string> {
  const client = await connect(url);
  try {
    return await currentRole(client);
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<pg.Client> {
  const settings = {
    url,
    applicationName: "vaultops migrate",
    statementTimeoutMs: 0,
    // With time for a server that has only just been started on a busy machine.
    connectTimeoutMs: 60_000,
  };
  const client = new pg.Client(clientConfig(settings));
  client.on("error", () => {});
  await openSession(client, settings);
  return client;
}

async function mayCreate(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select has_schema_privilege('public', 'create') as may");
  return rows[0].may;
}

async function currentRole(client: pg.Client): Promise<string> {
  const { rows } = await client.query("select current_user as role");
  return rows[0].role;
}

async function inTransaction(client: pg.Client, run: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await run();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}
