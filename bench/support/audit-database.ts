// The database that the audit figures share: a filled log on an embedded server of the run's own, or, where
// VAULTOPS_BENCH_DATABASE_URL names a superuser of another server, there; what was filled there stays for the next run, one database
// for each size (vaultops_bench_audit_10000000), and is brought up to this release's migrations. VAULTOPS_BENCH_AUDIT_ENTRIES says how
// many entries, of a quick run too: so a log that took an hour to fill is measured in minutes. One run at a time on a server: each gives
// the roles a password of its own.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { migrate } from "../../server/src/platform/db/migrate.ts";
import { silentLogger } from "../../server/src/platform/log.ts";
import type { SuperuserUrl } from "./audit-embedded.ts";
import { fillLog } from "./audit-fill.ts";
import { forkProgram } from "./audit-process.ts";

export interface AuditDatabase {
  superuserUrl: string;
  ownerUrl: string;
  appUrl: string;
  /** Entries of the log. */
  size: number;
}

/** Entries of the log: VAULTOPS_BENCH_AUDIT_ENTRIES, else 10 million; quick, 50,000. */
export function sizeOf(quick: boolean): number {
  return Number(process.env.VAULTOPS_BENCH_AUDIT_ENTRIES ?? (quick ? 50_000 : 10_000_000));
}

let filled: Promise<AuditDatabase> | undefined;

/** One for all figures of a run. @param size where it is not the figures' own */
export function filledDatabase(quick: boolean, size = sizeOf(quick)): Promise<AuditDatabase> {
  filled ??= prepareFilled(size);
  return filled;
}

/** A fresh one without entries, on the same server. */
export async function emptyDatabase(): Promise<AuditDatabase> {
  const urls = await urlsOf(await server(), "vaultops_bench_audit_empty");
  await createDatabase(urls);
  return { ...urls, size: 0 };
}

async function prepareFilled(size: number): Promise<AuditDatabase> {
  const urls = await urlsOf(await server(), `vaultops_bench_audit_${size}`);
  if (await isFilled(urls.ownerUrl, size)) {
    await migrate({ ownerUrl: urls.ownerUrl, appUrl: urls.appUrl, log: silentLogger() });
  } else {
    await createDatabase(urls);
    await fillLog(urls.ownerUrl, size);
  }
  return { ...urls, size };
}

let started: Promise<string> | undefined;

/** The URL of a superuser. */
function server(): Promise<string> {
  const outside = process.env.VAULTOPS_BENCH_DATABASE_URL;
  if (outside !== undefined) return Promise.resolve(outside);
  started ??= forkProgram(join(import.meta.dirname, "audit-embedded.ts")).then(
    ({ said }) => said as SuperuserUrl,
  );
  return started;
}

interface Urls {
  superuserUrl: string;
  ownerUrl: string;
  appUrl: string;
}

const OWNER = "vaultops_bench_owner";
const APP = "vaultops_bench_app";
const password = randomBytes(18).toString("hex");

/** URLs of a database, whether it is there or not; both roles are made, or given this run's password. */
async function urlsOf(superuserUrl: string, name: string): Promise<Urls> {
  await asSuperuser(superuserUrl, async (client) => {
    for (const role of [OWNER, APP]) {
      const { rows } = await client.query("select from pg_roles where rolname = $1", [role]);
      await client.query(
        `${rows.length === 0 ? "create" : "alter"} role ${role} login password '${password}'`,
      );
    }
  });
  const urlOf = (role?: string) => {
    const url = new URL(superuserUrl);
    url.pathname = `/${name}`;
    if (role !== undefined) [url.username, url.password] = [role, password];
    return url.toString();
  };
  return { superuserUrl: urlOf(), ownerUrl: urlOf(OWNER), appUrl: urlOf(APP) };
}

async function createDatabase({ superuserUrl, ownerUrl, appUrl }: Urls): Promise<void> {
  const name = new URL(ownerUrl).pathname.slice(1);
  const maintenance = new URL(superuserUrl);
  maintenance.pathname = "/postgres";
  await asSuperuser(maintenance.toString(), async (client) => {
    await client.query(`drop database if exists ${name} with (force)`);
    await client.query(`create database ${name} owner ${OWNER} template template0`);
  });
  await migrate({ ownerUrl, appUrl, log: silentLogger() });
}

async function isFilled(url: string, size: number): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    const { rows } = await client.query("select max(seq)::float8 as size from audit_entries");
    // Counts are what is filled in last.
    const counts = await client.query("select coalesce(sum(n), 0)::float8 as n from audit_actors");
    return rows[0].size === size && counts.rows[0].n === size - (size % 256);
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

async function asSuperuser(url: string, run: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await run(client);
  } finally {
    await client.end();
  }
}
