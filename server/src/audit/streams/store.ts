// Where each stream stands: what its receiver has taken, who sends, and what stands in the way.
import { type QueryExecutorProvider, sql } from "kysely";
import { executeNamed } from "../../platform/db/db.ts";
import { ARCHIVED_BELOW } from "../read/archived.ts";
import { ENVELOPE_BYTES, type StreamedEntry } from "./wire.ts";

/** Longer than a request takes: it is renewed before each. */
const CLAIM = sql`interval '90 seconds'`;
/** Entries that are read at once, however small they are. */
const MAX_ENTRIES = 1_000;

/** Who sends, and under which name it writes. */
export interface Hold {
  name: string;
  holder: string;
}

/** Why a stream does not go on. `refused` and `missing` are final; a failing one is tried again. */
export type TroubleKind = "refused" | "missing" | "failing";

/** Whether there are entries that the stream has not sent. */
export async function isBehind(db: QueryExecutorProvider, name: string): Promise<boolean> {
  const behind = sql<{ is_behind: boolean }>`
    select coalesce((select seq from audit_entries order by seq desc limit 1), 0)
      > coalesce((select taken_seq from log_streams where name = ${name}), 0) as is_behind`;
  return (await executeNamed(db, "audit_stream_behind", behind)).rows[0]?.is_behind === true;
}

/** What a stream goes on from. */
export interface Standing {
  taken_seq: number;
  failures: number;
  /** The first seq that is not archived. */
  below: number;
}

/** Null: this process may not send now. */
export async function claim(
  db: QueryExecutorProvider,
  { name, holder }: Hold,
  nowMs: number,
): Promise<Standing | null> {
  const { rows } = await sql<Standing>`
    insert into log_streams as s (name, holder, claimed_until) values (${name}, ${holder}::uuid, now() + ${CLAIM})
    on conflict (name) do update set holder = excluded.holder, claimed_until = excluded.claimed_until
      where s.claimed_until < now() and s.not_before <= to_timestamp(${nowMs}::float8 / 1000)
    returning taken_seq::float8, failures, ${ARCHIVED_BELOW}::float8 as below`.execute(db);
  return rows[0] ?? null;
}

/** False: another process has it by now. */
export async function renew(db: QueryExecutorProvider, { name, holder }: Hold): Promise<boolean> {
  const { rows } = await sql`
    update log_streams set claimed_until = now() + ${CLAIM} where name = ${name} and holder = ${holder}::uuid
    returning name`.execute(db);
  return rows.length === 1;
}

export async function release(db: QueryExecutorProvider, { name, holder }: Hold): Promise<void> {
  await sql`
    update log_streams set claimed_until = '-infinity'
     where name = ${name} and holder = ${holder}::uuid and claimed_until > '-infinity'`.execute(db);
}

/** Entries up to there were taken. False: another process has the stream by now, and nothing is written. */
export async function advance(
  db: QueryExecutorProvider,
  { name, holder }: Hold,
  seq: number,
  { isOmitted, nowMs }: { isOmitted: boolean; nowMs: number },
): Promise<boolean> {
  const omitted = sql`omitted_count = omitted_count + 1, omitted_seq = ${seq}::bigint, omitted_at = to_timestamp(${nowMs}::float8 / 1000),`;
  const { rows } = await sql`
    update log_streams set ${isOmitted ? omitted : sql``} taken_seq = ${seq}, claimed_until = now() + ${CLAIM}, failures = 0,
      not_before = '-infinity', trouble = null, message = null, since = null
     where name = ${name} and holder = ${holder}::uuid and taken_seq < ${seq}
    returning name`.execute(db);
  return rows.length === 1;
}

export interface Failure {
  kind: TroubleKind;
  message: string;
  notBeforeMs: number;
  nowMs: number;
}

/** Why nothing was taken, and until when nobody tries again. Gives the stream free. */
export async function fail(
  db: QueryExecutorProvider,
  { name, holder }: Hold,
  { kind, message, notBeforeMs, nowMs }: Failure,
): Promise<void> {
  await sql`
    update log_streams set claimed_until = '-infinity', failures = failures + 1,
      not_before = to_timestamp(${notBeforeMs}::float8 / 1000),
      since = case when trouble is not distinct from ${kind}::text then since else to_timestamp(${nowMs}::float8 / 1000) end,
      trouble = ${kind}, message = ${message}
     where name = ${name} and holder = ${holder}::uuid`.execute(db);
}

/** The next entries after a place that are not archived, in order: as many as fit, at least one where there is one. */
export async function readBatch(
  db: QueryExecutorProvider,
  after: number,
  maxBytes: number,
): Promise<StreamedEntry[]> {
  const next = sql<StreamedEntry>`
    select seq::float8, id, body, (extract(epoch from "timestamp") * 1000)::float8 as "atMs"
    from (
      select *, row_number() over (order by seq) as nth,
        sum(octet_length(body) + ${sql.lit(ENVELOPE_BYTES)}) over (order by seq) as bytes
      from (
        select seq, id, body, "timestamp" from audit_entries
         where seq > ${after}::bigint and seq >= ${ARCHIVED_BELOW} order by seq limit ${sql.lit(MAX_ENTRIES)}) next
    ) each_entry where nth = 1 or bytes <= ${maxBytes}::bigint order by seq`;
  return (await executeNamed(db, "audit_stream_batch", next)).rows;
}

/** What every one of these streams that has begun has taken; null where none has. */
export async function takenByAll(
  db: QueryExecutorProvider,
  names: readonly string[],
): Promise<{ name: string; taken_seq: number } | null> {
  const { rows } = await sql<{ name: string; taken_seq: number }>`
    select name, taken_seq::float8 from log_streams where name = any(${names}::text[])
     order by taken_seq limit 1`.execute(db);
  return rows[0] ?? null;
}

export interface StreamState {
  name: string;
  taken_seq: number;
  lag_entries: number;
  /** Age of the oldest entry that was not taken; 0 where all were. */
  lag_seconds: number;
  trouble: TroubleKind | null;
  message: string | null;
  since_ms: number | null;
  failures: number;
  omitted_count: number;
  omitted_seq: number | null;
  omitted_ms: number | null;
}

/** One for each name, also of streams that have never sent. */
export async function readStates(
  db: QueryExecutorProvider,
  names: readonly string[],
): Promise<StreamState[]> {
  const { rows } = await sql<StreamState>`
    select n.name, p.taken::float8 as taken_seq, (head.size - p.taken)::float8 as lag_entries,
      coalesce((select greatest(extract(epoch from now() - e.recorded_at), 0)::float8
        from audit_entries e where e.seq > p.taken order by e.seq limit 1), 0) as lag_seconds,
      s.trouble, s.message, (extract(epoch from s.since) * 1000)::float8 as since_ms, coalesce(s.failures, 0) as failures,
      coalesce(s.omitted_count, 0)::float8 as omitted_count, s.omitted_seq::float8,
      (extract(epoch from s.omitted_at) * 1000)::float8 as omitted_ms
    from unnest(${names}::text[]) with ordinality n (name, nth)
    left join log_streams s on s.name = n.name
    cross join lateral (select coalesce(s.taken_seq, 0) as taken) p
    cross join (select coalesce((select seq from audit_entries order by seq desc limit 1), 0) as size) head
    order by n.nth`.execute(db);
  return rows;
}
