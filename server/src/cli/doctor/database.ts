// Checks of the database: it can be reached, its version is a tested one, the role is the right one, the schema is this release's, and its
// clock agrees with this machine's.

import { sql } from "kysely";
import { checkPrivileges, checkServerVersion, migrationsCurrent } from "../../platform/db/migrate.ts";
import { MigrationError } from "../../platform/db/migrations.ts";
import { READ_ONLY } from "../../platform/db/session.ts";
import { type Check, type Finding, fault, type Ground, ok, warning } from "./check.ts";
import { owners } from "./owner.ts";

/** A check that needs the database says nothing of its own where there is none. */
export function withDatabase(
  look: (db: NonNullable<Ground["db"]>, ground: Ground) => Promise<Finding[]>,
): Check["run"] {
  return async (ground) => (ground.db === null ? [] : look(ground.db, ground));
}

export const databaseReached: Check = {
  name: "database",
  looksAt: "the database is reached as the application's role, and can be written to",
  async run({ config, db, noDatabase }) {
    if (noDatabase === READ_ONLY)
      return [
        fault(
          "the server only reads",
          "let database.url lead to the primary; look at default_transaction_read_only of the server, the database and the role",
        ),
      ];
    if (noDatabase !== null)
      return [
        fault(
          `cannot be reached (${noDatabase})`,
          "start the database, or mend database.url: host, port, role, password, sslmode",
        ),
      ];
    if (db === null)
      return [ok(`the embedded one under ${config.data_dir}, which runs while the service does`)];
    const { rows } = await sql<{ role: string; size: string }>`
      select current_user as role, pg_size_pretty(pg_database_size(current_database())) as size`.execute(
      db.kysely,
    );
    const { role, size } = rows[0]!;
    return [ok(`reached as ${role}, ${size}`)];
  },
};

export const databaseVersion: Check = {
  name: "database version",
  looksAt: "PostgreSQL is of a version that the service is tested with (15 to 18)",
  run: withDatabase(async (db) => {
    const { rows } = await sql<{ server_version_num: string }>`show server_version_num`.execute(db.kysely);
    const version = Number(rows[0]!.server_version_num);
    try {
      checkServerVersion(version);
    } catch (error) {
      if (error instanceof MigrationError) return [fault(error.message, "docs/operations/database.md")];
      throw error;
    }
    return [ok(`PostgreSQL ${Math.floor(version / 10_000)}`)];
  }),
};

export const databaseRoles: Check = {
  name: "database roles",
  looksAt: "the application's role owns nothing and can change no audit entry, and the owner's can migrate",
  run: withDatabase(async (db, { config }) => {
    const { role, appendOnlyHeld, reasons } = await checkPrivileges(db);
    const held = appendOnlyHeld
      ? ok(`${role} can append to the audit log, and change nothing of it`)
      : fault(
          `the audit log is not append-only: ${reasons.join("; ")}`,
          "use two roles, database.url and database.owner_url, and run vaultops migrate, which grants anew (docs/operations/database.md)",
        );
    return [held, ...(await owners(config, db, role))];
  }),
};

export const schema: Check = {
  name: "schema",
  looksAt: "the migrations of this release are applied",
  run: withDatabase(async (db) => {
    const state = await migrationsCurrent(db);
    return [
      state.isCurrent
        ? ok(`as of migration ${state.version}`)
        : fault(
            state.detail,
            "run vaultops migrate with this release, or start the release that the database is of",
          ),
    ];
  }),
};

const MOST_APART_MS = 5_000;

export const databaseClock: Check = {
  name: "clock",
  looksAt: "this machine and the database tell the same time, within five seconds",
  run: withDatabase(async (db, { clock }) => {
    const askedAtMs = clock.now();
    const { rows } = await sql<{ now_ms: number }>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms`.execute(db.kysely);
    const answeredAtMs = clock.now();
    const apartMs = Math.abs(rows[0]!.now_ms - (askedAtMs + answeredAtMs) / 2);
    if (apartMs - (answeredAtMs - askedAtMs) / 2 <= MOST_APART_MS) return [ok("the same as the database's")];
    return [
      fault(
        `${Math.round(apartMs / 1000)} s from the database's`,
        "run an NTP client on both machines (timedatectl, chronyc tracking)",
      ),
    ];
  }),
};

export const processesOfRelease: Check = {
  name: "processes",
  looksAt: "which processes share the database, and whether they are of one release",
  run: withDatabase(async (db) => {
    const { rows } = await sql<{ roles: string[]; release: string }>`
      select roles, release from processes
      where seen_at > now() - interval '60 seconds' order by roles`.execute(db.kysely);
    if (rows.length === 0) return [ok("none runs")];
    const releases = [...new Set(rows.map(({ release }) => release))];
    const told = rows.map(({ roles }) => roles.join("+")).join(", ");
    if (releases.length === 1) return [ok(`${rows.length} of release ${releases[0]}: ${told}`)];
    return [
      warning(
        `of several releases (${releases.join(", ")}): ${told}`,
        "end the roll-out: start all with one release",
      ),
    ];
  }),
};
