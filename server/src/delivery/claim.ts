// Claims: takes leases on what is due, for one process, fairly between targets.
//
// Guarantee: a delivery is under lease of one holder at a time, however far the clocks of processes are apart: leases begin and end by the
// database's. a target has no more sends under way than it may, over all processes;
// of an ordered queue one target has one. Claims of a queue stand in line (an advisory lock, held for a few milliseconds), so that
// each sees what the one before took. A backlog of one target costs the others nothing: targets are visited one by one by the index.
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../platform/db/db.ts";
import { timestampOfMs } from "../platform/http/time.ts";
import type { Delivery, DeliveryQueue } from "./types.ts";

export interface Claim {
  leaseId: string;
  /** Grouped by send, in order. */
  batches: Delivery[][];
  /** There may be more that is due. */
  isLimited: boolean;
  /** The last target looked at, to go on after. */
  lastTargetId: string;
}

export const FIRST_TARGET = "00000000-0000-0000-0000-000000000000";
/** Names this kind of lock among PostgreSQL's advisory locks. */
const LOCK_CLASS = 1_145_850_196;

interface Row {
  id: string;
  target_id: string;
  key: string;
  event_id: string | null;
  event_type: string;
  chain_id: number;
  vault_address: string;
  body: string;
  created_at: string;
  attempts_count: number;
  replays_left: number;
  is_failing: boolean;
  is_limited: boolean;
}

/** Takes up to `slots` sends that are due, of targets after `afterTargetId`. */
export async function claim(
  db: Pick<Database, "transaction">,
  queue: DeliveryQueue,
  options: { nowMs: number; slots: number; afterTargetId: string },
): Promise<Claim> {
  const { nowMs, slots, afterTargetId } = options;
  const leaseId = randomUUID();
  const now = timestampOfMs(nowMs);
  const rows = await db.transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(${LOCK_CLASS}::integer, hashtext(${queue.name}))`.execute(tx);
    const found = await sql<Row>`
      with recursive ${targetsOf(queue, afterTargetId)}, chosen as materialized (${chosenOf(queue, now, slots)}),
      lost as (
        insert into delivery_attempts (delivery_id, number, at, error)
        select id, attempts_count, leased_until - ${queue.leaseMs} * interval '1 ms', ${LOST}
        from chosen where lease_id is not null
        on conflict do nothing
      )
      update deliveries d
      set lease_id = ${leaseId}, leased_until = ${LEASE_NOW} + ${queue.leaseMs} * interval '1 ms', attempts_count = d.attempts_count + 1
      from chosen c where d.id = c.id and d.status in ('pending', 'failed')
      returning d.seq, d.due_at, d.id, d.target_id, d.key, d.event_id, d.event_type, d.chain_id, d.vault_address, d.body, d.created_at,
        d.attempts_count, d.replays_left, c.is_failing, c.is_limited`.execute(tx);
    await slowDown(
      tx,
      found.rows.filter(({ is_limited }) => is_limited),
      now,
    );
    return found.rows;
  });
  rows.sort(byTargetAnd(queue.isOrdered));
  const groups = queue.isOrdered
    ? [...Map.groupBy(rows, ({ target_id }) => target_id).values()]
    : rows.map((row) => [row]);
  return {
    leaseId,
    batches: groups.map((group) => group.map(deliveryOf)),
    isLimited: groups.length >= slots,
    lastTargetId: rows.at(-1)?.target_id ?? FIRST_TARGET,
  };
}

/** When the statement came to the database: the claims before it have ended by then, and it costs no plan its index. */
export const LEASE_NOW = sql`statement_timestamp()`;

const LOST = "the process that sent it stopped before the outcome was known";

/** In how long the next delivery of the queue will be due (milliseconds), or null when none is open. */
export async function nextDueInMs(
  db: Pick<Database, "kysely">,
  queue: DeliveryQueue,
  nowMs: number,
): Promise<number | null> {
  const { rows } = await sql<{ due_in_ms: number | null }>`
    with recursive ${targetsOf(queue, FIRST_TARGET)}
    select (extract(epoch from min(greatest(f.due - ${timestampOfMs(nowMs)}::timestamptz, f.leased_until - ${LEASE_NOW}))) * 1000)::float8 as due_in_ms
    from targets t left join delivery_targets g on g.target_id = t.target_id
    cross join lateral (${firstOf(queue)}) f`.execute(db.kysely);
  return rows[0]?.due_in_ms ?? null;
}

/** Every target with something open, found by one look into the index each. */
function targetsOf(queue: DeliveryQueue, after: string) {
  const open = sql.raw(`d.queue = '${queue.name}' and d.status in ('pending', 'failed')`);
  return sql`targets as (
    (select d.target_id from deliveries d where ${open} and d.target_id > ${after}::uuid order by d.target_id limit 1)
    union all
    select n.target_id from targets t cross join lateral (
      select d.target_id from deliveries d where ${open} and d.target_id > t.target_id order by d.target_id limit 1
    ) n
  )`;
}

/** The deliveries of target `t` (its row of delivery_targets `g`) that may be under way now, each with the time from which it is due. */
function firstOf(queue: DeliveryQueue) {
  const open = sql.raw(
    `d.queue = '${queue.name}' and d.status in ('pending', 'failed') and d.target_id = t.target_id`,
  );
  const due = sql`greatest(d.due_at, g.not_before) as due`;
  if (queue.isOrdered) return sql`select d.*, ${due} from deliveries d where ${open} order by d.seq limit 1`;
  // A target that fails is probed, not flooded.
  const full = sql`coalesce(g.max_concurrency, ${queue.concurrencyPerTarget}::integer)`;
  return sql`
    select d.*, ${due} from deliveries d where ${open} order by d.due_at, d.seq
    limit least(case when g.failing_since is null then ${full} else least(${full}, ${CONCURRENCY_WHILE_FAILING}::integer) end, g.max_per_second)`;
}

const CONCURRENCY_WHILE_FAILING = 2;

function chosenOf(queue: DeliveryQueue, now: string, slots: number) {
  const from = sql`targets t left join delivery_targets g on g.target_id = t.target_id cross join lateral (${firstOf(queue)}) f`;
  const columns = sql.raw(
    "f.id, f.lease_id, f.leased_until, f.attempts_count, g.failing_since is not null as is_failing, g.max_per_second is not null as is_limited",
  );
  const free = sql`f.due <= ${now} and (f.leased_until is null or f.leased_until <= ${LEASE_NOW})`;
  if (!queue.isOrdered) return sql`select ${columns} from ${from} where ${free} limit ${slots}`;
  return sql`
    select a.id, a.lease_id, a.leased_until, a.attempts_count, due.is_failing, due.is_limited
    from (select f.target_id, ${sql.raw("g.failing_since is not null as is_failing, g.max_per_second is not null as is_limited")} from ${from} where ${free} limit ${slots}) due
    cross join lateral (
      select d.* from deliveries d where ${sql.raw(`d.queue = '${queue.name}' and d.status in ('pending', 'failed')`)} and d.target_id = due.target_id
      order by d.seq limit ${queue.maxPerSend}
    ) a`;
}

/** Of targets with a rate: the next claim comes when what was taken now has used its time. */
async function slowDown(
  tx: Parameters<Parameters<Database["transaction"]>[0]>[0],
  rows: readonly Row[],
  now: string,
): Promise<void> {
  if (rows.length === 0) return;
  const counts = new Map<string, number>();
  for (const { target_id } of rows) counts.set(target_id, (counts.get(target_id) ?? 0) + 1);
  await sql`
    update delivery_targets g
    set not_before = greatest(g.not_before, ${now}::timestamptz) + taken.n * interval '1 second' / g.max_per_second
    from unnest(${[...counts.keys()]}::uuid[], ${[...counts.values()]}::integer[]) taken (target_id, n)
    where g.target_id = taken.target_id and g.max_per_second is not null`.execute(tx);
}

function byTargetAnd(isOrdered: boolean) {
  return (a: Row & { seq?: number; due_at?: string }, b: Row & { seq?: number; due_at?: string }): number => {
    if (a.target_id !== b.target_id) return a.target_id < b.target_id ? -1 : 1;
    if (!isOrdered && a.due_at !== b.due_at) return (a.due_at as string) < (b.due_at as string) ? -1 : 1;
    return (a.seq as number) - (b.seq as number);
  };
}

function deliveryOf(row: Row): Delivery {
  return {
    id: row.id,
    targetId: row.target_id,
    key: row.key,
    eventId: row.event_id,
    eventType: row.event_type,
    chainId: row.chain_id,
    vaultAddress: row.vault_address,
    body: row.body,
    createdAt: row.created_at,
    attempt: row.attempts_count,
    isReplay: row.replays_left > 0,
    isTargetFailing: row.is_failing,
  };
}
