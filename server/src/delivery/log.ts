// The delivery log: what went out to a target, with every attempt, as the API shows it.
//
// Guarantee: lists, counts and last deliveries hold only what concerns vaults on which the reader has a role now, and what concerns none.
import { sql } from "kysely";
import { zeroAddress } from "viem";
import type { Database } from "../platform/db/db.ts";
import type { Caller } from "../platform/permission.ts";
import type { DeliveryStatus } from "./types.ts";

export interface LoggedAttempt {
  number: number;
  at: string;
  status_code: number | null;
  error: string | null;
  duration_ms: number | null;
  response_excerpt: string | null;
}

export interface LoggedDelivery {
  id: string;
  /** As the target sees it; null for what tells of no event. */
  event_id: string | null;
  event_type: string;
  chain_id: number;
  vault_address: string;
  status: DeliveryStatus;
  created_at: string;
  /** When the next attempt is due; null when none is. */
  next_attempt_at: string | null;
  attempts: LoggedAttempt[];
}

/** Who reads. */
export type LogReader = Pick<Caller, "grants" | "isMaintainer">;

export interface LogQuery {
  targetId: string;
  reader: LogReader;
  status?: DeliveryStatus | undefined;
  eventType?: string | undefined;
  limit: number;
  offset: number;
}

/** A target's deliveries, newest first. */
export async function listDeliveries(
  db: Pick<Database, "kysely">,
  { targetId, reader, status, eventType, limit, offset }: LogQuery,
): Promise<{ deliveries: LoggedDelivery[]; total: number }> {
  const filter = sql`target_id = ${targetId} and (${status ?? null}::text is null or status = ${status ?? null})
    and (${eventType ?? null}::text is null or event_type = ${eventType ?? null}) and ${isReadable(reader)}`;
  const { rows } = await sql<LoggedDelivery>`
    select ${COLUMNS} from deliveries d where ${filter} order by seq desc limit ${limit} offset ${offset}`.execute(
    db.kysely,
  );
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from deliveries d where ${filter}`.execute(db.kysely);
  return { deliveries: rows, total: counted[0]?.total ?? 0 };
}

export async function findDelivery(
  db: Pick<Database, "kysely">,
  id: string,
): Promise<(LoggedDelivery & { target_id: string }) | null> {
  const { rows } = await sql<LoggedDelivery & { target_id: string }>`
    select d.target_id, ${COLUMNS} from deliveries d where id = ${id}`.execute(db.kysely);
  return rows[0] ?? null;
}

/** What was made to be sent, by the delivery's id. */
export async function bodiesOf(
  db: Pick<Database, "kysely">,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; body: string }>`
    select id, body from deliveries where id = any (${[...ids]}::uuid[])`.execute(db.kysely);
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** How the last attempt to each of the targets went, as far as the reader may know; targets without one are missing. */
export async function lastAttempts(
  db: Pick<Database, "kysely">,
  reader: LogReader,
  targetIds: readonly string[],
): Promise<Map<string, { status: DeliveryStatus; at: string; error: string | null }>> {
  const { rows } = await sql<{ target_id: string; status: DeliveryStatus; at: string; error: string | null }>`
    select t.id as target_id, l.status, l.at, l.error
    from unnest(${[...targetIds]}::uuid[]) t (id) cross join lateral (
      select d.status, a.at, a.error from deliveries d
      join delivery_attempts a on a.delivery_id = d.id and a.number = d.attempts_count
      where d.target_id = t.id and ${isReadable(reader)} order by d.seq desc limit 1
    ) l`.execute(db.kysely);
  return new Map(rows.map(({ target_id, ...last }) => [target_id, last]));
}

/** Of delivery `d`. */
function isReadable({ grants, isMaintainer }: LogReader) {
  if (isMaintainer) return sql`true`;
  const chains = grants.map(({ chainId }) => chainId);
  const vaults = grants.map(({ vaultAddress }) => vaultAddress as string);
  return sql`(d.vault_address = ${zeroAddress} or (d.chain_id, d.vault_address) in (
    select * from unnest(${chains}::bigint[], ${vaults}::text[])))`;
}

// Times inside the aggregate are written out by hand, in the form in which the driver gives those of columns.
const COLUMNS = sql`
  d.id, 'evt_' || d.event_id as event_id, d.event_type, d.chain_id, d.vault_address, d.status, d.created_at,
  case when d.status in ('pending', 'failed') then d.due_at end as next_attempt_at,
  coalesce((
    select json_agg(json_build_object('number', a.number,
        'at', to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'status_code', a.status_code,
        'error', a.error, 'duration_ms', a.duration_ms, 'response_excerpt', a.response_excerpt) order by a.number)
    from delivery_attempts a where a.delivery_id = d.id
  ), '[]'::json) as attempts`;
