// Settling: the outcomes of sends are stored, many at a time, by whoever still holds the lease.
//
// Guarantee: an outcome is stored with its attempt, or not at all; one whose lease was lost meanwhile is dropped, for whoever took the
// delivery over has written its own. What a target answered is cut and cleaned here, so that no answer can make storing fail.
import { sql } from "kysely";
import { emit } from "../events/emit.ts";
import type { DomainEvent } from "../events/types.ts";
import type { Tx } from "../platform/db/db.ts";
import { timestampOfMs } from "../platform/http/time.ts";
import { type Next, nextOf } from "./next.ts";
import type { Delivery, DeliveryQueue, DeliveryStatus, Outcome, Settled } from "./types.ts";

/** A send that has ended. */
export interface Finished {
  delivery: Delivery;
  leaseId: string;
  outcome: Outcome;
  /** What the queue's schedule says of this attempt. */
  scheduleMs: number | null;
  startedAtMs: number;
  durationMs: number;
}

const MAX_EXCERPT_BYTES = 1024;
const MAX_ERROR_LENGTH = 500;
const ZERO_ADDRESS = "0x0000000000000000000000000000000000000000" as const;

/** Stores outcomes and does what follows from them. Returns those that counted. */
export async function settle(
  tx: Tx,
  queue: DeliveryQueue,
  finished: readonly Finished[],
  nowMs: number,
): Promise<Settled[]> {
  const byId = new Map(finished.map((each) => [each.delivery.id, each]));
  const stored = await store(tx, finished, nowMs);
  const settled = stored.map(({ id, status }) => {
    const { delivery, outcome } = byId.get(id) as Finished;
    return { delivery, outcome, status };
  });
  const recovered = await markTargets(tx, settled, nowMs);
  await emit(tx, [
    ...settled.flatMap((each) => deadLetterOf(queue, each, nowMs)),
    ...recovered.map((targetId) => recoveryOf(queue, targetId, nowMs)),
  ]);
  await queue.onSettled?.(tx, settled);
  return settled;
}

async function store(
  tx: Tx,
  finished: readonly Finished[],
  nowMs: number,
): Promise<{ id: string; status: DeliveryStatus }[]> {
  const now = timestampOfMs(nowMs);
  const rows = finished.map((each) => rowOf(each, nextOf(each, nowMs)));
  // Worked out from the row as it is when it is locked, so that what was canceled meanwhile stays canceled.
  const status = sql.raw(`case
        when d.status = 'canceled' then case when s.status = 'delivered' then 'delivered' else 'canceled' end
        when not s.is_attempt and s.status = 'pending' then d.status
        when s.is_attempt and d.replays_left > 1 then 'pending'
        when s.is_attempt and d.replays_left = 1 and s.status <> 'delivered' then coalesce(d.status_before, s.status)
        else s.status end`);
  const { rows: stored } = await sql<{ id: string; status: DeliveryStatus }>`
    with s as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id uuid, lease_id uuid, status text, due_at timestamptz,
        is_attempt boolean, started_at timestamptz, status_code integer, error text, duration_ms integer, excerpt text)
    ), u as (
      update deliveries d set
        lease_id = null, leased_until = null, status = ${status},
        attempts_count = d.attempts_count - case when s.is_attempt then 0 else 1 end,
        replays_left = case when s.status = 'canceled' then 0 when s.is_attempt then greatest(0, d.replays_left - 1) else d.replays_left end,
        due_at = case when d.replays_left = 0 and s.status = 'failed' then s.due_at
          when (${status}) = 'pending' then ${now}::timestamptz else d.due_at end,
        finished_at = case when (${status}) in ('pending', 'failed') then null else coalesce(d.finished_at, ${now}::timestamptz) end
      from s where d.id = s.id and d.lease_id = s.lease_id
      returning d.id, d.status, d.attempts_count
    ), a as (
      insert into delivery_attempts (delivery_id, number, at, status_code, error, duration_ms, response_excerpt)
      select u.id, u.attempts_count, s.started_at, s.status_code, s.error, s.duration_ms, s.excerpt
      from u join s using (id) where s.is_attempt
      on conflict do nothing
    )
    select id, status from u`.execute(tx);
  return stored;
}

function rowOf({ delivery, leaseId, outcome, startedAtMs, durationMs }: Finished, next: Next) {
  return {
    id: delivery.id,
    lease_id: leaseId,
    status: next.status,
    due_at: next.dueAtMs === null ? null : timestampOfMs(next.dueAtMs),
    is_attempt: next.isAttempt,
    started_at: timestampOfMs(startedAtMs),
    status_code: outcome.statusCode ?? null,
    error: "error" in outcome ? storable(outcome.error).slice(0, MAX_ERROR_LENGTH) : null,
    duration_ms: Math.max(0, Math.round(durationMs)),
    excerpt: outcome.excerpt === undefined ? null : excerptOf(outcome.excerpt),
  };
}

/** Text that PostgreSQL can hold: no NUL, no half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD").toWellFormed();
}

function excerptOf(text: string): string {
  const bytes = Buffer.from(storable(text), "utf8");
  if (bytes.length <= MAX_EXCERPT_BYTES) return bytes.toString("utf8");
  // A character that is cut in two decodes to U+FFFD, which is left out.
  return bytes
    .subarray(0, MAX_EXCERPT_BYTES)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}

/** Keeps what is known of targets: failing or not, and paused until when. Returns those that have recovered. */
async function markTargets(tx: Tx, settled: readonly Settled[], nowMs: number): Promise<string[]> {
  const marks = new Map<
    string,
    { target_id: string; failed: boolean; recovered: boolean; pause_ms: number }
  >();
  for (const { delivery, outcome } of settled) {
    if (outcome.kind === "canceled" || outcome.kind === "unsent") continue;
    const isDelivered = outcome.kind === "delivered";
    const pauseMs = outcome.pauseTargetMs ?? 0;
    const mark = marks.get(delivery.targetId) ?? {
      target_id: delivery.targetId,
      failed: false,
      recovered: false,
      pause_ms: 0,
    };
    // One that was delivered outweighs those that failed beside it.
    mark.recovered ||= isDelivered && (delivery.isTargetFailing || mark.failed);
    mark.failed = !isDelivered && !mark.recovered;
    mark.pause_ms = Math.max(mark.pause_ms, pauseMs);
    marks.set(delivery.targetId, mark);
  }
  const rows = [...marks.values()].filter(
    ({ failed, recovered, pause_ms }) => failed || recovered || pause_ms > 0,
  );
  if (rows.length === 0) return [];
  const now = timestampOfMs(nowMs);
  const well = rows.filter(({ recovered }) => recovered).map(({ target_id }) => target_id);
  const recovered = well.length === 0 ? [] : await failingAmong(tx, well);
  const isRecovered = sql`excluded.target_id = any (${recovered}::uuid[])`;
  await sql`
    insert into delivery_targets as g (target_id, failing_since, not_before)
    select target_id, case when failed then ${now}::timestamptz end,
      case when pause_ms > 0 then ${now}::timestamptz + pause_ms * interval '1 ms' end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (target_id uuid, failed boolean, recovered boolean, pause_ms float8)
    order by target_id
    on conflict (target_id) do update set
      failing_since = case when ${isRecovered} then null else coalesce(g.failing_since, excluded.failing_since) end,
      recovered_at = case when ${isRecovered} then ${now}::timestamptz else g.recovered_at end,
      not_before = greatest(g.not_before, excluded.not_before)`.execute(tx);
  return recovered;
}

async function failingAmong(tx: Tx, targetIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ target_id: string }>`
    select target_id from delivery_targets where target_id = any (${[...targetIds]}::uuid[]) and failing_since is not null
    order by target_id for update`.execute(tx);
  return rows.map(({ target_id }) => target_id);
}

function deadLetterOf(
  queue: DeliveryQueue,
  { delivery, outcome, status }: Settled,
  nowMs: number,
): DomainEvent[] {
  if (status !== "dead" || delivery.isReplay || !("error" in outcome)) return [];
  return [
    {
      type: "delivery.dead",
      chainId: delivery.chainId,
      vaultAddress: delivery.vaultAddress as `0x${string}`,
      at: timestampOfMs(nowMs),
      data: {
        queue: queue.name,
        target_id: delivery.targetId,
        event_type: delivery.eventType,
        last_error: storable(outcome.error).slice(0, MAX_ERROR_LENGTH),
      },
    },
  ];
}

function recoveryOf(queue: DeliveryQueue, targetId: string, nowMs: number): DomainEvent {
  return {
    type: "delivery.recovered",
    chainId: 0,
    vaultAddress: ZERO_ADDRESS,
    at: timestampOfMs(nowMs),
    data: { queue: queue.name, target_id: targetId },
  };
}
