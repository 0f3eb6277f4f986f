// Reading the log: pages in order of time with their exact total, and the walk by cursor, each one statement and so one
// snapshot. Entries come back as the text that was written: a page is a copy, nothing is parsed or serialised.
import { hash } from "node:crypto";
import type pg from "pg";
import { ARCHIVED_BELOW } from "./archived.ts";
import { HEAD, locate, timeColumn, timeConditions, totalSql } from "./counts.ts";
import type { AuditFilter } from "./filter.ts";
import { isMerged, Parameters, scanOf } from "./scan.ts";

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
export async function readPage(db: Queryable, request: PageRequest): Promise<Page> {
  const { filter, order, limit, offset } = request;
  if (filter.branches.length === 0) return emptyPage(db);
  const p = new Parameters();
  const isDescending = order === "desc";
  const direction = isDescending ? "desc" : "asc";
  const column = timeColumn(filter);
  const sorted = (time: string) => `${time} ${direction}, seq ${direction}`;
  const deep = offset >= DEEP ? locate(p, filter, isDescending, offset) : null;
  // The bound on the page's own side is part of the located offset.
  const times = timeConditions(p, {
    ...filter,
    ...(deep !== null && (isDescending ? { to: null } : { from: null })),
  });
  const where = deep === null ? times : [...times, deep.condition];
  const skip = deep === null ? p.add(offset, "bigint") : "(select skip from located)";
  const rows = rowsSql(p, filter, {
    where,
    order: sorted(column),
    skip,
    limit: p.add(limit, "bigint"),
  });
  const page = `select string_agg(body, ',') filter (where seq >= (select below from head)) as entries, count(*) as length, 0 as last
    from (${rows}) ordered`;
  const { last: _, ...read } = await run(db, p, filter, deep?.ctes ?? [], page);
  return read;
}

/** A page of a walk: entries after a place, in the order of `seq`. */
export async function readWalk(db: Queryable, { filter, after, limit }: WalkRequest): Promise<WalkedPage> {
  if (filter.branches.length === 0) {
    const empty = await emptyPage(db);
    return { ...empty, hasMore: false, next: empty.size };
  }
  const p = new Parameters();
  const place = after === "now" ? "(select size from head)" : p.add(after, "bigint");
  // One more than asked for tells whether more stand ready.
  const rows = rowsSql(p, filter, {
    where: [...timeConditions(p, filter), `seq > greatest(${place}, (select below from head) - 1)`],
    order: "seq asc",
    skip: "0",
    limit: p.add(limit + 1, "bigint"),
  });
  const kept = `filter (where nth <= ${p.add(limit, "bigint")})`;
  const page = `select string_agg(body, ',') ${kept} as entries, count(*) as length, max(seq) ${kept} as last
    from (select seq, body, row_number() over () as nth from (${rows}) ordered) numbered`;
  const { last, ...read } = await run(db, p, filter, [], page);
  const hasMore = read.length > limit;
  return { ...read, length: Math.min(read.length, limit), hasMore, next: hasMore ? last : read.size };
}

/**
 * Entries of a filter after a place, up to another that the log has reached, in the order of `seq`. Null when the database, a replica that
 * is behind, has not reached it.
 */
export async function readBetween(
  db: Queryable,
  { filter, after, upTo, limit }: WalkRequest & { after: number; upTo: number },
): Promise<{ seq: number; body: string }[] | null> {
  if (filter.branches.length === 0) return [];
  const p = new Parameters();
  const rows = rowsSql(p, filter, {
    where: [
      ...timeConditions(p, filter),
      `seq > ${p.add(after, "bigint")}`,
      `seq <= ${p.add(upTo, "bigint")}`,
      "seq >= (select below from head)",
    ],
    order: "seq asc",
    skip: "0",
    limit: p.add(limit, "bigint"),
  });
  const text = `with ${HEAD} select head.size::float8 as size, found.seq::float8 as seq, found.body
    from head left join (${rows}) found on true order by found.seq`;
  const result = await db.query({ name: `audit_${hash("sha1", text, "base64url")}`, text, values: p.values });
  const { size } = result.rows[0];
  if (size < upTo) return null;
  return result.rows.filter((row) => row.seq !== null);
}

/** What a page is a function of, beside what is asked for. */
export interface Stand {
  /** Entries of the log. */
  size: number;
  /** The first that is not archived. */
  below: number;
}

/** For conditional requests. */
export async function readStand(db: Queryable): Promise<Stand> {
  const { rows } = await db.query({
    name: "audit_stand",
    text: `select coalesce((select seq from audit_entries order by seq desc limit 1), 0)::float8 as size, ${ARCHIVED_BELOW}::float8 as below`,
  });
  return { size: Number(rows[0].size), below: Number(rows[0].below) };
}

/** How many entries the log has. */
export async function readSize(db: Queryable): Promise<number> {
  const { rows } = await db.query({
    name: "audit_size",
    text: "select coalesce((select seq from audit_entries order by seq desc limit 1), 0)::float8 as size",
  });
  return Number(rows[0].size);
}

/** An entry's bytes with its place, by id; null when there is none. Times as the API writes them. */
export async function readById(db: Queryable, id: string): Promise<EntryRow | null> {
  // The id begins with the time at which the entry happened, in milliseconds (see record.ts).
  const milliseconds = Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
  const { rows } = await db.query({
    name: "audit_by_id",
    text: `select seq, seq < ${ARCHIVED_BELOW} as is_archived, body, vault_address, chain_id, actor_wallet from audit_entries
      where id = $1 and occurred_at >= to_timestamp($2::float8 / 1000) and occurred_at < to_timestamp($2::float8 / 1000) + interval '1 millisecond'`,
    values: [id, milliseconds],
  });
  return rows[0] ?? null;
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

/** The part of a pool or client that is needed. */
export type Queryable = Pick<pg.Pool, "query">;

/** From this offset on a page is found by counts. Below, passing over entries costs less. */
const DEEP = 1000;

interface Rows {
  where: string[];
  order: string;
  skip: string;
  limit: string;
}

/**
 * Rows (seq, body) in order. Several scans are merged by their keys, which stand in the indexes that the scans follow: of what is merged
 * the page's own entries alone are fetched.
 */
function rowsSql(p: Parameters, filter: AuditFilter, { where, order, skip, limit }: Rows): string {
  const [first, ...others] = filter.branches;
  if (first === undefined) throw new Error("a filter without a branch is answered without the database");
  if (others.length === 0 && !isMerged(filter, first)) {
    return scanOf(p, filter, first, { columns: "seq, body", where, order, offset: skip, limit });
  }
  const columns = ["seq", ...(/occurred_at|"timestamp"/.exec(order) ?? [])].join(", ");
  const keys = filter.branches.map((branch) => {
    const options = {
      columns,
      where,
      order,
      offset: "0",
      limit: `${limit} + ${skip}`,
    };
    return `(${scanOf(p, filter, branch, options)})`;
  });
  const qualified = order.replaceAll(/(seq|occurred_at|"timestamp")/g, "k.$1");
  return `select e.seq, e.body from (
      select * from (${keys.join(" union all ")}) every order by ${order} limit ${limit} offset ${skip}
    ) k join audit_entries e on e.seq = k.seq order by ${qualified}`;
}

async function emptyPage(db: Queryable): Promise<Page> {
  return { entries: "", length: 0, total: 0, ...(await readStand(db)) };
}

async function run(
  db: Queryable,
  p: Parameters,
  filter: AuditFilter,
  ctes: readonly string[],
  page: string,
): Promise<Page & { last: number }> {
  const total = totalSql(p, filter);
  const text = `with ${[HEAD, ...ctes].join(",\n")}
    select (${total})::text, (select size from head)::text, (select below from head)::text, page.length::text, page.last::text, page.entries from (${page}) page`;
  const result = await db.query({
    name: `audit_${hash("sha1", text, "base64url")}`,
    text,
    values: p.values,
    rowMode: "array",
  } as pg.QueryArrayConfig);
  const [totalText, size, below, length, last, entries] = result.rows[0] as (string | null)[];
  return {
    entries: entries ?? "",
    length: Number(length),
    total: Number(totalText),
    size: Number(size),
    below: Number(below),
    last: Number(last),
  };
}
