// A log of any size in minutes: entries rendered as the service renders them, copied in without indexes and triggers, and then
// the log's own functions for the tree and the counts over all of it at once. It verifies as any other log does.
import { once } from "node:events";
import type { Writable } from "node:stream";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { finish, prepare } from "../../server/src/audit/render.ts";
import { operation, type Pace } from "./audit-log.ts";

const ROWS_PER_CHUNK = 500;
const SECONDS_PER_ENTRY = 6;

/** Operations one each 6 s, up to an hour before `now` (Unix seconds): 10 million are almost two years, in several partitions. */
export function paceOf(size: number, now: number): Pace {
  return { firstSecond: now - 3600 - size * SECONDS_PER_ENTRY, secondsPerEntry: SECONDS_PER_ENTRY };
}

/** Fills an empty, migrated database. `url` is its owner's. */
export async function fillLog(url: string, size: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      "set maintenance_work_mem = '1GB'; set work_mem = '256MB'; set synchronous_commit = off",
    );
    const indexes = await indexesOf(client);
    await client.query("alter table audit_entries disable trigger audit_entries_appended");
    for (const { drop } of indexes) await client.query(drop);
    await copyEntries(client, size);
    for (const { create } of indexes) await client.query(create);
    await client.query("alter table audit_entries enable trigger audit_entries_appended");
    await client.query("vacuum (analyze) audit_entries");
    const tiles = Math.floor(size / 256);
    if (tiles > 0) {
      await client.query(
        "select audit_store_tile(0::smallint, tile) from generate_series(0, $1::bigint - 1) tile",
        [tiles],
      );
      await client.query("select audit_count(0, $1::bigint)", [tiles * 256]);
    }
    await client.query("vacuum (analyze) audit_counts, audit_actors, audit_tiles");
  } finally {
    await client.end();
  }
}

interface Index {
  drop: string;
  create: string;
}

async function indexesOf(client: pg.Client): Promise<Index[]> {
  const { rows } = await client.query<Index>(`
    select format('alter table audit_entries drop constraint %I', conname) as drop,
           format('alter table audit_entries add constraint %I %s', conname, pg_get_constraintdef(oid)) as create
      from pg_constraint where conrelid = 'audit_entries'::regclass and contype in ('p', 'u')
    union all
    select format('drop index %s', indexrelid::regclass), replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ')
      from pg_index where indrelid = 'audit_entries'::regclass
        and not exists (select from pg_constraint where conindid = indexrelid)`);
  return rows;
}

async function copyEntries(client: pg.Client, size: number): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const pace = paceOf(size, now);
  // One microsecond apart, up to the present.
  const firstRecorded = now * 1_000_000 - size;
  // Raw text, as the service's own COPY writes it: no column holds these bytes.
  const into: Writable = client.query(
    copyFrom(
      "copy audit_entries from stdin (format csv, quote E'\\x01', escape E'\\x01', delimiter E'\\x02')",
    ),
  );
  const nobody = new Map<string, number>();
  for (let n = 0; n < size; n += ROWS_PER_CHUNK) {
    let text = "";
    for (let i = n; i < Math.min(n + ROWS_PER_CHUNK, size); i += 1) {
      const columns = finish(prepare(operation(i, pace), nobody), i + 1, firstRecorded + i);
      text += `${i + 1}\u0002${columns.join("\u0002")}\n`;
    }
    if (!into.write(text)) await once(into, "drain");
  }
  into.end();
  await once(into, "finish");
}
