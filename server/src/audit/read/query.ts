// Reading the log: pages in order of time with their exact total, and the walk by cursor, each one statement and so one
// snapshot. Entries come back as the text that was written: a page is a copy, nothing is parsed or serialised.
import { type QueryExecutorProvider, sql } from "kysely";
import { executeNamed, executeNamedByText } from "../../platform/db/db.ts";
import { ARCHIVED_BELOW } from "./archived.ts";
import { HEAD, locate, timeColumn, timeConditions, totalSql } from "./counts.ts";
import type { AuditFilter } from "./filter.ts";
import { isMerged, type Sql, scanOf } from "./scan.ts";

export interface PageRequest {
  filter: AuditFilter;
  order: "asc" | "desc";
  limit: number;
  offset: number;
}

export interface WalkRequest {
  filter: AuditFilter;
  /** The place after which to go on: a `seq`. */
  after: number | "now";
  limit: number;
}

export interface Page {
  /** Entries joined by commas, archived ones left out. */
  entries: string;
  /** Places in the order that the page takes, those of archived entries too. */
  length: number;
  /** Exact number of entries that match the filter. */
  total: number;
  /** Entries of the whole log in the snapshot = `seq` of the newest. */
  size: number;
  /** The first seq that is not archived. */
  below: number;
}

export interface WalkedPage extends Page {
  /** Whether more entries stand ready. */
  hasMore: boolean;
  /** The place to go on from: after the last entry, or, when no more stand ready, after everything in the snapshot. */
  next: number;
}

/** A page by offset. */
export async function readPage(db: QueryExecutorProvider, request: PageRequest): Promise<Page> {
  const { filter, order, limit, offset } = request;
  if (filter.branches.length === 0) return emptyPage(db);
  const isDescending = order === "desc";
  const deep = offset >= DEEP ? locate(filter, isDescending, offset) : null;
  // The bound on the page's own side is part of the located offset.
  const times = timeConditions({
    ...filter,
    ...(deep !== null && (isDescending ? { to: null } : { from: null })),
  });
  const rows = rowsSql(filter, {
    where: deep === null ? times : [...times, deep.condition],
    time: timeColumn(filter),
    direction: isDescending ? sql`desc` : sql`asc`,
    skip: deep === null ? sql`${offset}::bigint` : sql`(select skip from located)`,
    limit: sql`${limit}::bigint`,
  });
  const page = sql`
    select string_agg(body, ',') filter (where seq >= (select below from head)) as entries, count(*) as length, 0 as last
    from (${rows}) ordered`;
  const { last: _, ...read } = await run(db, filter, deep?.ctes ?? [], page);
  return read;
}

/** A page of a walk: entries after a place, in the order of `seq`. */
export async function readWalk(
  db: QueryExecutorProvider,
  { filter, after, limit }: WalkRequest,
): Promise<WalkedPage> {
  if (filter.branches.length === 0) {
    const empty = await emptyPage(db);
    return { ...empty, hasMore: false, next: empty.size };
  }
  const place = after === "now" ? sql`(select size from head)` : sql`${after}::bigint`;
  // One more than asked for tells whether more stand ready.
  const rows = rowsSql(filter, {
    where: [...timeConditions(filter), sql`seq > greatest(${place}, (select below from head) - 1)`],
    ...BY_SEQ,
    limit: sql`${limit + 1}::bigint`,
  });
  const kept = sql`filter (where nth <= ${limit}::bigint)`;
  const page = sql`
    select string_agg(body, ',') ${kept} as entries, count(*) as length, max(seq) ${kept} as last
    from (select seq, body, row_number() over () as nth from (${rows}) ordered) numbered`;
  const { last, ...read } = await run(db, filter, [], page);
  const hasMore = read.length > limit;
  return { ...read, length: Math.min(read.length, limit), hasMore, next: hasMore ? last : read.size };
}

/**
 * Entries of a filter after a place, up to another that the log has reached, in the order of `seq`. Null when the database, a replica that
 * is behind, has not reached it.
 */
export async function readBetween(
  db: QueryExecutorProvider,
  { filter, after, upTo, limit }: WalkRequest & { after: number; upTo: number },
): Promise<{ seq: number; body: string }[] | null> {
  if (filter.branches.length === 0) return [];
  const rows = rowsSql(filter, {
    where: [
      ...timeConditions(filter),
      sql`seq > ${after}::bigint`,
      sql`seq <= ${upTo}::bigint`,
      sql`seq >= (select below from head)`,
    ],
    ...BY_SEQ,
    limit: sql`${limit}::bigint`,
  });
  const found = sql<{ size: number; seq: number | null; body: string }>`
    with ${HEAD} select head.size::float8 as size, found.seq::float8 as seq, found.body
    from head left join (${rows}) found on true order by found.seq`;
  const result = await executeNamedByText(db, "audit", found);
  if (result.rows[0]!.size < upTo) return null;
  return result.rows.filter((row): row is { size: number; seq: number; body: string } => row.seq !== null);
}

/** What a page is a function of, beside what is asked for. */
export interface Stand {
  /** Entries of the log. */
  size: number;
  /** The first that is not archived. */
  below: number;
}

/** For conditional requests. */
export async function readStand(db: QueryExecutorProvider): Promise<Stand> {
  const stand = sql<Stand>`
    select coalesce((select seq from audit_entries order by seq desc limit 1), 0)::float8 as size, ${ARCHIVED_BELOW}::float8 as below`;
  return (await executeNamed(db, "audit_stand", stand)).rows[0]!;
}

/** How many entries the log has. */
export async function readSize(db: QueryExecutorProvider): Promise<number> {
  const size = sql<{ size: number }>`
    select coalesce((select seq from audit_entries order by seq desc limit 1), 0)::float8 as size`;
  return (await executeNamed(db, "audit_size", size)).rows[0]!.size;
}

/** An entry's bytes with its place, by id; null when there is none. Times as the API writes them. */
export async function readById(db: QueryExecutorProvider, id: string): Promise<EntryRow | null> {
  // The id begins with the time at which the entry happened, in milliseconds (see record.ts).
  const milliseconds = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  const at = sql`to_timestamp(${milliseconds}::float8 / 1000)`;
  const entry = sql<EntryRow>`
    select seq, seq < ${ARCHIVED_BELOW} as is_archived, body, vault_address, chain_id, actor_wallet from audit_entries
     where id = ${id} and occurred_at >= ${at} and occurred_at < ${at} + interval '1 millisecond'`;
  return (await executeNamed(db, "audit_by_id", entry)).rows[0] ?? null;
}

export interface EntryRow {
  seq: number;
  /** Then its text is not in the database. */
  is_archived: boolean;
  body: string;
  vault_address: string;
  chain_id: number;
  actor_wallet: string;
}

/** From this offset on a page is found by counts. Below, passing over entries costs less. */
const DEEP = 1000;

interface Rows {
  where: readonly Sql[];
  /** What they are in the order of, before `seq`; null: of `seq` alone. */
  time: Sql | null;
  direction: Sql;
  skip: Sql;
  limit: Sql;
}

const BY_SEQ = { time: null, direction: sql`asc`, skip: sql`0` } as const;

/**
 * Rows (seq, body) in order. Several scans are merged by their keys, which stand in the indexes that the scans follow: of what is merged
 * the page's own entries alone are fetched.
 */
function rowsSql(filter: AuditFilter, { where, time, direction, skip, limit }: Rows): Sql {
  const [first, ...others] = filter.branches;
  if (first === undefined) throw new Error("a filter without a branch is answered without the database");
  const order = time === null ? sql`seq ${direction}` : sql`${time} ${direction}, seq ${direction}`;
  if (others.length === 0 && !isMerged(filter, first))
    return scanOf(filter, first, { columns: sql`seq, body`, where, order, offset: skip, limit });
  const columns = time === null ? sql`seq` : sql`seq, ${time}`;
  const keys = filter.branches.map((branch) => {
    const scan = scanOf(filter, branch, {
      columns,
      where,
      order,
      offset: sql`0`,
      limit: sql`${limit} + ${skip}`,
    });
    return sql`(${scan})`;
  });
  const ofKeys = time === null ? sql`k.seq ${direction}` : sql`k.${time} ${direction}, k.seq ${direction}`;
  return sql`select e.seq, e.body from (
      select * from (${sql.join(keys, sql` union all `)}) every order by ${order} limit ${limit} offset ${skip}
    ) k join audit_entries e on e.seq = k.seq order by ${ofKeys}`;
}

async function emptyPage(db: QueryExecutorProvider): Promise<Page> {
  return { entries: "", length: 0, total: 0, ...(await readStand(db)) };
}

async function run(
  db: QueryExecutorProvider,
  filter: AuditFilter,
  ctes: readonly Sql[],
  page: Sql,
): Promise<Page & { last: number }> {
  const statement = sql<Page & { last: number }>`
    with ${sql.join([HEAD, ...ctes], sql`, `)}
    select (${totalSql(filter)})::float8 as total, (select size from head)::float8 as size, (select below from head)::float8 as below,
      page.length::float8 as length, page.last::float8 as last, coalesce(page.entries, '') as entries
    from (${page}) page`;
  return (await executeNamedByText(db, "audit", statement)).rows[0]!;
}
