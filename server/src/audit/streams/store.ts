// Where each stream stands: what its receiver has taken, who sends, and what stands in the way.
import type { Database } from "../../platform/db/db.ts";
import type { Queryable } from "../read/query.ts";
import { ENVELOPE_BYTES, type StreamedEntry } from "./wire.ts";

type Pool = Pick<Database, "pool">;

/** Longer than a request takes: it is renewed before each. */
const CLAIM = "interval '90 seconds'";
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
export async function isBehind({ pool }: Pool, name: string): Promise<boolean> {
  const { rows } = await pool.query<{ is_behind: boolean }>({
    name: "audit_stream_behind",
    text: `select coalesce((select seq from audit_entries order by seq desc limit 1), 0)
      > coalesce((select taken_seq from log_streams where name = $1), 0) as is_behind`,
    values: [name],
  });
  return rows[0]?.is_behind === true;
}

/** What it goes on from, where this process may send now. */
export async function claim(
  { pool }: Pool,
  { name, holder }: Hold,
  nowMs: number,
): Promise<{ taken_seq: number; failures: number } | null> {
  const { rows } = await pool.query(
    `insert into log_streams as s (name, holder, claimed_until) values ($1, $2, now() + ${CLAIM})
     on conflict (name) do update set holder = excluded.holder, claimed_until = excluded.claimed_until
       where s.claimed_until < now() and s.not_before <= to_timestamp($3::float8 / 1000)
     returning taken_seq::float8, failures`,
    [name, holder, nowMs],
  );
  return rows[0] ?? null;
}

/** False: another process has it by now. */
export async function renew({ pool }: Pool, { name, holder }: Hold): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update log_streams set claimed_until = now() + ${CLAIM} where name = $1 and holder = $2`,
    [name, holder],
  );
  return rowCount === 1;
}

export async function release({ pool }: Pool, { name, holder }: Hold): Promise<void> {
  await pool.query(
    "update log_streams set claimed_until = '-infinity' where name = $1 and holder = $2 and claimed_until > '-infinity'",
    [name, holder],
  );
}

/** Entries up to there were taken. False: another process has the stream by now, and nothing is written. */
export async function advance(
  { pool }: Pool,
  { name, holder }: Hold,
  seq: number,
  { isOmitted, nowMs }: { isOmitted: boolean; nowMs: number },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update log_streams set taken_seq = $3, claimed_until = now() + ${CLAIM}, failures = 0, not_before = '-infinity',
       trouble = null, message = null, since = null,
       omitted_count = omitted_count + case when $4 then 1 else 0 end,
       omitted_seq = case when $4 then $3 else omitted_seq end,
       omitted_at = case when $4 then to_timestamp($5::float8 / 1000) else omitted_at end
     where name = $1 and holder = $2 and taken_seq < $3`,
    [name, holder, seq, isOmitted, nowMs],
  );
  return rowCount === 1;
}

/** Why nothing was taken, and until when nobody tries again. Gives the stream free. */
export async function fail(
  { pool }: Pool,
  { name, holder }: Hold,
  {
    kind,
    message,
    notBeforeMs,
    nowMs,
  }: { kind: TroubleKind; message: string; notBeforeMs: number; nowMs: number },
): Promise<void> {
  await pool.query(
    `update log_streams set claimed_until = '-infinity', failures = failures + 1, not_before = to_timestamp($5::float8 / 1000),
       since = case when trouble is not distinct from $3 then since else to_timestamp($6::float8 / 1000) end,
       trouble = $3, message = $4
     where name = $1 and holder = $2`,
    [name, holder, kind, message, notBeforeMs, nowMs],
  );
}

/** The next entries after a place, in order: as many as fit, at least one where there is one. */
export async function readBatch(pool: Queryable, after: number, maxBytes: number): Promise<StreamedEntry[]> {
  const { rows } = await pool.query({
    name: "audit_stream_batch",
    text: `select seq::float8, id, body, (extract(epoch from "timestamp") * 1000)::float8 as at_ms
      from (
        select *, row_number() over (order by seq) as nth,
          sum(octet_length(body) + ${ENVELOPE_BYTES}) over (order by seq) as bytes
        from (select seq, id, body, "timestamp" from audit_entries where seq > $1 order by seq limit ${MAX_ENTRIES}) next
      ) each_entry where nth = 1 or bytes <= $2 order by seq`,
    values: [after, maxBytes],
  });
  return rows.map(({ at_ms: atMs, ...entry }) => ({ ...entry, atMs }));
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
  { pool }: { pool: Queryable },
  names: readonly string[],
): Promise<StreamState[]> {
  const { rows } = await pool.query(
    `select n.name, p.taken::float8 as taken_seq, (head.size - p.taken)::float8 as lag_entries,
       coalesce((select greatest(extract(epoch from now() - e.recorded_at), 0)::float8
         from audit_entries e where e.seq > p.taken order by e.seq limit 1), 0) as lag_seconds,
       s.trouble, s.message, (extract(epoch from s.since) * 1000)::float8 as since_ms, coalesce(s.failures, 0) as failures,
       coalesce(s.omitted_count, 0)::float8 as omitted_count, s.omitted_seq::float8,
       (extract(epoch from s.omitted_at) * 1000)::float8 as omitted_ms
     from unnest($1::text[]) with ordinality n (name, nth)
     left join log_streams s on s.name = n.name
     cross join lateral (select coalesce(s.taken_seq, 0) as taken) p
     cross join (select coalesce((select seq from audit_entries order by seq desc limit 1), 0) as size) head
     order by n.nth`,
    [names],
  );
  return rows;
}
