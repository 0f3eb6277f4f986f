// Into the outbox, and out of it again before anything was sent: both in the caller's transaction.
import { sql } from "kysely";
import type { Tx } from "../platform/db/db.ts";
import { timestampOfMs } from "../platform/http/time.ts";
import { uuidV7 } from "./ids.ts";
import type { NewDelivery } from "./types.ts";

/** The channel on which new deliveries are told; its payload is the queue's name. */
export const DELIVERIES_CHANNEL = "vaultops_deliveries";

/** Enqueues in the given order. Those whose target has that key already are left out. Returns the ids of those that are new. */
export async function enqueue(tx: Tx, deliveries: readonly NewDelivery[], nowMs: number): Promise<string[]> {
  if (deliveries.length === 0) return [];
  // An event's bytes are the same for all its targets: they travel once.
  const places = new Map<string, number>();
  const placeOf = (body: string): number => {
    const place = places.get(body) ?? places.size;
    places.set(body, place);
    return place;
  };
  const rows = deliveries.map((each) => ({
    id: uuidV7(nowMs),
    queue: each.queue,
    target_id: each.targetId,
    key: each.key,
    event_id: each.eventId,
    event_type: each.eventType,
    chain_id: each.chainId,
    vault_address: each.vaultAddress,
    body: placeOf(each.body),
    due_at: timestampOfMs(each.dueAtMs),
  }));
  const { rows: made } = await sql<{ id: string }>`
    insert into deliveries (id, queue, target_id, key, event_id, event_type, chain_id, vault_address, body, due_at, created_at)
    select id, queue, target_id, key, event_id, event_type, chain_id, vault_address, b.body, due_at, ${timestampOfMs(nowMs)}::timestamptz
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as (id uuid, queue text, target_id uuid, key text,
      event_id uuid, event_type text, chain_id bigint, vault_address text, body integer, due_at timestamptz)) with ordinality r
    join jsonb_array_elements_text(${JSON.stringify([...places.keys()])}::jsonb) with ordinality b (body, place) on b.place = r.body + 1
    order by r.ordinality
    on conflict (target_id, key) do nothing
    returning id`.execute(tx);
  if (made.length > 0) await wakeSenders(tx, new Set(deliveries.map(({ queue }) => queue)));
  return made.map(({ id }) => id);
}

/** Tells the senders of these queues to look, once the transaction commits. */
export async function wakeSenders(tx: Tx, queues: Iterable<string>): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, q) from unnest(${[...queues]}::text[]) q`.execute(tx);
}

/** Cancels all that is open for a target. Of a send under way the outcome is still told. Returns how many there were. */
export async function cancelPending(tx: Tx, targetId: string, nowMs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update deliveries set status = 'canceled', replays_left = 0, finished_at = ${timestampOfMs(nowMs)}
    where target_id = ${targetId} and status in ('pending', 'failed')`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** How a target departs from its queue's ways; null: not at all. */
export interface TargetLimits {
  maxConcurrency: number | null;
  maxPerSecond: number | null;
}

export async function setTargetLimits(tx: Tx, targetId: string, limits: TargetLimits): Promise<void> {
  await sql`
    insert into delivery_targets (target_id, max_concurrency, max_per_second)
    values (${targetId}, ${limits.maxConcurrency}, ${limits.maxPerSecond})
    on conflict (target_id) do update set max_concurrency = excluded.max_concurrency, max_per_second = excluded.max_per_second`.execute(
    tx,
  );
}

/** Forgets that a target failed, for one that is enabled again. */
export async function forgiveTarget(tx: Tx, targetId: string): Promise<void> {
  await sql`
    update delivery_targets set failing_since = null, not_before = null where target_id = ${targetId}`.execute(
    tx,
  );
}
