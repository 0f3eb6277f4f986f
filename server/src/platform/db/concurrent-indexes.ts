// Migrations that build indexes while others write: files that begin with the line `-- concurrently`. Their statements run one by one and
// outside a transaction, as PostgreSQL demands it.
//
// Guarantee: writers wait for no build, however large the table is, and for a moment's lock half a second at most. Whatever ends a build, the next run takes it up: what is valid stays, what
// is not is dropped and rebuilt. A partitioned table, which PostgreSQL builds no index on concurrently, gets it partition by partition.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "../log.ts";
import { MigrationError, type MigrationFile } from "./migrations.ts";
import { withShortLocks } from "./short-locks.ts";

const TELL_EVERY_MS = 2_000;

type Statement =
  | { kind: "create"; unique: string; index: string; table: string; rest: string }
  | { kind: "drop"; index: string };

export function isConcurrent({ sql }: MigrationFile): boolean {
  return /^-- concurrently\r?\n/.test(sql);
}

/**
 * Runs the file's statements, those that earlier runs have done left out.
 * @throws MigrationError `unknown_migration` for a statement of another kind, before any is run
 */
export async function runConcurrently(
  client: pg.Client,
  file: MigrationFile,
  log: Logger,
  openWatcher: () => Promise<pg.Client>,
): Promise<void> {
  const statements = statementsOf(file);
  const stop = new AbortController();
  const watching = tellProgress(client, openWatcher, log.child({ migration: file.name }), stop.signal);
  try {
    for (const statement of statements) {
      if (statement.kind === "drop") await dropIndex(client, statement.index);
      else await createIndex(client, statement);
    }
  } finally {
    stop.abort();
    await watching;
  }
}

function statementsOf({ name, sql }: MigrationFile): Statement[] {
  const texts = sql
    .replaceAll(/--.*$/gm, "")
    .split(";")
    .map((text) => text.trim())
    .filter((text) => text !== "");
  return texts.map((text) => {
    const made = /^create (unique )?index concurrently (\w+) on (\w+) (.+)$/is.exec(text);
    if (made !== null) {
      const [, unique = "", index = "", table = "", rest = ""] = made;
      return { kind: "create", unique, index, table, rest };
    }
    const dropped = /^drop index concurrently if exists (\w+)$/i.exec(text)?.[1];
    if (dropped !== undefined) return { kind: "drop", index: dropped };
    throw new MigrationError(
      "unknown_migration",
      `${name} is to run concurrently, and holds another statement than "create index concurrently NAME on TABLE …" and "drop index concurrently if exists NAME": ${text.slice(0, 80)}`,
    );
  });
}

type Created = Statement & { kind: "create" };

async function createIndex(client: pg.Client, statement: Created): Promise<void> {
  const { unique, index, table, rest } = statement;
  const { rows } = await client.query("select relkind from pg_class where oid = to_regclass($1)", [table]);
  if (rows[0]?.relkind !== "p") return await buildIndex(client, statement);
  // Partitions that are made from now on get it by themselves. It becomes valid when the last partition has its part.
  await withShortLocks(client, () =>
    client.query(`create ${unique}index if not exists ${index} on only ${table} ${rest}`),
  );
  const partitions = await client.query(
    `select t.relid::regclass::text as name from pg_partition_tree($1::regclass) t where t.isleaf
       and not exists (select from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid
         where i.indrelid = t.relid and h.inhparent = $2::regclass) order by 1`,
    [table, index],
  );
  for (const { name } of partitions.rows) {
    const part = partName(name, index);
    await buildIndex(client, { ...statement, index: part, table: name });
    await withShortLocks(client, () => client.query(`alter index ${index} attach partition ${part}`));
  }
}

/** No longer than a name may be, and the same in the next run. */
function partName(partition: string, index: string): string {
  return `${partition.slice(0, 30)}_${index.slice(-30)}`;
}

async function buildIndex(client: pg.Client, { unique, index, table, rest }: Created): Promise<void> {
  const { rows } = await client.query("select indisvalid from pg_index where indexrelid = to_regclass($1)", [
    index,
  ]);
  if (rows[0]?.indisvalid === true) return;
  // A build that was ended leaves one that nobody reads and everybody keeps up.
  if (rows.length > 0) await dropIndex(client, index);
  await client.query(`create ${unique}index concurrently ${index} on ${table} ${rest}`);
}

async function dropIndex(client: pg.Client, index: string): Promise<void> {
  await client.query(`drop index concurrently if exists ${index}`);
}

/** Tells how far the current build is, as the server says it to a second session. */
async function tellProgress(
  client: pg.Client,
  openWatcher: () => Promise<pg.Client>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { processID } = client as pg.Client & { processID: number };
  let watcher: pg.Client | null = null;
  try {
    for (;;) {
      await sleep(TELL_EVERY_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      watcher ??= await openWatcher();
      const { rows } = await watcher.query(PROGRESS_SQL, [processID]);
      for (const row of rows) log.info(row, "building an index while others write");
    }
  } catch (error) {
    // The build goes on whether it is watched or not.
    log.warn({ err: error }, "the progress of an index build cannot be read");
  } finally {
    await watcher?.end().catch(() => {});
  }
}

const PROGRESS_SQL = `
  select relid::regclass::text as "table", phase, blocks_done, blocks_total, tuples_done, tuples_total, lockers_done, lockers_total
  from pg_stat_progress_create_index where pid = $1`;
