// A log of any size in minutes: entries rendered as the service renders them and copied in without indexes and triggers, with the tree
// and the counts that the triggers would have made, summed up as the entries pass. It verifies as any other log does.
import { once } from "node:events";
import type { Writable } from "node:stream";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { finish, prepare } from "../../server/src/audit/append/render.ts";
import { FilledCounts, FilledTree } from "./audit-fill-sums.ts";
import { operation, type Pace } from "./audit-log.ts";

const ROWS_PER_CHUNK = 500;
const SECONDS_PER_ENTRY = 6;
const WIDTH = 256;

/** Operations one each 6 s, up to an hour before `now` (Unix seconds): 10 million are almost two years, in several partitions. */
export function paceOf(size: number, now: number): Pace {
  return { firstSecond: now - 3600 - size * SECONDS_PER_ENTRY, secondsPerEntry: SECONDS_PER_ENTRY };
}

/** Entries of each partition: as many as a deployment has, or of a smaller log a tenth. */
export function partitionOf(size: number): number {
  return Math.min(1_000_000, Math.max(1, Math.floor(size / 10 / WIDTH)) * WIDTH);
}

/** Fills an empty, migrated database. `url` is its owner's. */
export async function fillLog(url: string, size: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      "set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 2; set synchronous_commit = off",
    );
    const width = partitionOf(size);
    await client.query("select audit_ensure_partitions($1)", [width]);
    for (let end = width; end < size + width; end += width)
      await client.query("select audit_make_room($1)", [end]);
    const indexes = await indexesOf(client);
    await client.query("alter table audit_entries disable trigger audit_entries_appended");
    for (const { drop } of indexes) await client.query(drop);
    const actors = await copyAll(client, url, size);
    for (const { create } of indexes) await client.query(create);
    await client.query("alter table audit_entries enable trigger audit_entries_appended");
    // The last to be filled in: a log without them is not whole.
    await copyLines(client, "audit_actors", actors);
    await client.query("vacuum (analyze) audit_entries, audit_counts, audit_actors, audit_tiles");
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

/** Entries, tiles and counts, each over a session of its own; resolves with the lines of audit_actors. */
async function copyAll(client: pg.Client, url: string, size: number): Promise<string[]> {
  const now = Math.floor(Date.now() / 1000);
  const pace = paceOf(size, now);
  // One microsecond apart, up to the present.
  const firstRecorded = now * 1_000_000 - size;
  const counted = size - (size % WIDTH);
  const others = [
    new pg.Client({ connectionString: url }),
    new pg.Client({ connectionString: url }),
  ] as const;
  for (const other of others) await other.connect();
  // Raw text, as the service's own COPY writes it: no column holds these bytes.
  const entries = copyInto(
    client,
    "audit_entries from stdin (format csv, quote E'\\x01', escape E'\\x01', delimiter E'\\x02')",
  );
  const tiles = copyInto(others[0], "audit_tiles from stdin");
  const counts = copyInto(others[1], "audit_counts from stdin");
  const tree = new FilledTree();
  const sums = new FilledCounts(counted, pace);
  const noneUndone = new Map<string, number>();
  for (let n = 0; n < size; n += ROWS_PER_CHUNK) {
    let text = "";
    for (let i = n; i < Math.min(n + ROWS_PER_CHUNK, size); i += 1) {
      const input = operation(i, pace);
      const columns = finish(prepare(input), noneUndone, i + 1, firstRecorded + i);
      text += `${i + 1}\u0002${columns.join("\u0002")}\n`;
      if (i < counted) {
        tree.add(columns.at(-1)!);
        sums.add(input);
      }
    }
    await entries.write(text);
    await tiles.write(tree.takeLines());
    await counts.write(sums.takeLines());
  }
  sums.finish();
  await counts.write(sums.takeLines());
  for (const { end } of [entries, tiles, counts]) await end();
  for (const other of others) await other.end();
  return sums.actorLines();
}

interface Copy {
  write(text: string): Promise<void>;
  end(): Promise<void>;
}

function copyInto(client: pg.Client, target: string): Copy {
  const into: Writable = client.query(copyFrom(`copy ${target}`));
  const failed = new Promise<never>((_, reject) => into.once("error", reject));
  failed.catch(() => {});
  return {
    async write(text) {
      if (text !== "" && !into.write(text)) await Promise.race([once(into, "drain"), failed]);
    },
    async end() {
      into.end();
      await Promise.race([once(into, "finish"), failed]);
    },
  };
}

async function copyLines(client: pg.Client, table: string, lines: readonly string[]): Promise<void> {
  const copy = copyInto(client, `${table} from stdin`);
  await copy.write(lines.join(""));
  await copy.end();
}
