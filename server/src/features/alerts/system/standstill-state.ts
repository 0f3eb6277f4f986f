// What stands still or lacks, looked up for the monitor of the service itself.
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Collector } from "../state/collector.ts";
import {
  GAPS_SHOWN_MS,
  type Gaps,
  gapsFinding,
  QUEUE_WAITS_MS,
  queueFinding,
  unconfirmedFinding,
  type WaitingQueue,
} from "./standstill.ts";

interface Followed {
  chainId: number;
  /** How deep a block must lie to count as confirmed, or the node's tag that says. */
  confirmations?: number | string;
}

export async function judgeStandstill(
  tx: Tx,
  chains: readonly Followed[],
  collector: Collector,
): Promise<void> {
  await judgeConfirmed(tx, chains, collector);
  await judgeGaps(tx, chains, collector);
  await judgeQueues(tx, collector);
}

async function judgeConfirmed(tx: Tx, chains: readonly Followed[], collector: Collector): Promise<void> {
  const { rows } = await sql<{
    chain_id: number;
    name: string;
    head_number: number;
    confirmed_number: number;
    confirmed_at: string;
    behind_seconds: number;
  }>`
    select c.chain_id, c.name, c.head_number, c.confirmed_number, b.block_timestamp as confirmed_at,
           extract(epoch from c.head_timestamp - b.block_timestamp)::float8 as behind_seconds
      from chains c join blocks b on b.chain_id = c.chain_id and b.number = c.confirmed_number
     where c.chain_id = any(${idsOf(chains)}::bigint[])`.execute(tx);
  for (const row of rows) {
    const confirmations = chains.find(({ chainId }) => chainId === row.chain_id)?.confirmations;
    const finding = unconfirmedFinding({
      chainId: row.chain_id,
      name: row.name,
      headNumber: row.head_number,
      confirmedNumber: row.confirmed_number,
      confirmedAt: row.confirmed_at,
      behindSeconds: row.behind_seconds,
      confirmations: typeof confirmations === "number" ? confirmations : null,
    });
    if (finding) collector.addSystem(finding, null);
  }
}

async function judgeGaps(tx: Tx, chains: readonly Followed[], collector: Collector): Promise<void> {
  const { rows } = await sql<{
    chain_id: number;
    name: string;
    count: number;
    first_block: number;
    last_block: number;
    lacks: string[];
    last_at: string;
    last_ms: number;
  }>`
    select g.chain_id, c.name, count(*)::int as count, min(g.block_number) as first_block, max(g.block_number) as last_block,
           array_agg(distinct g.lacks) as lacks, max(g.found_at) as last_at,
           (extract(epoch from max(g.found_at)) * 1000)::float8 as last_ms
      from chain_gaps g join chains c on c.chain_id = g.chain_id
     where g.filled_at is null and g.found_at > ${timestampOfMs(collector.nowMs - GAPS_SHOWN_MS)} and g.chain_id = any(${idsOf(chains)}::bigint[])
     group by g.chain_id, c.name`.execute(tx);
  for (const row of rows) {
    const gaps: Gaps = {
      chainId: row.chain_id,
      name: row.name,
      count: row.count,
      firstBlock: row.first_block,
      lastBlock: row.last_block,
      lacks: row.lacks,
      lastAt: row.last_at,
    };
    collector.addSystem(gapsFinding(gaps), null);
    collector.wakeAt(Math.ceil(row.last_ms) + GAPS_SHOWN_MS);
  }
}

/** A queue stands still when what is due waits and nothing was tried for as long; a target that fails is told of by itself. */
async function judgeQueues(tx: Tx, collector: Collector): Promise<void> {
  const { nowMs, listening } = collector;
  // What waited while the service was away has only just been found.
  const backMs = listening.gaps.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY;
  if (nowMs - backMs < QUEUE_WAITS_MS) return;
  const since = timestampOfMs(nowMs - QUEUE_WAITS_MS);
  const { rows } = await sql<WaitingQueueRow>`
    select 'events' as queue, count(*)::int as count, min(e.created_at) as oldest_at
      from events e where e.fanned_out_at is null and e.failures < 10 and e.created_at < ${since}
    union all
    select d.queue, count(*)::int, min(d.due_at)
      from deliveries d left join delivery_targets t on t.target_id = d.target_id
     where d.status in ('pending', 'failed') and d.queue in ('channel', 'webhook') and d.due_at < ${since}
       and (d.leased_until is null or d.leased_until < ${since})
       and t.failing_since is null and coalesce(t.not_before < ${since}, true)
       and not exists (select from webhooks w where w.id = d.target_id and not w.is_enabled)
       and not exists (select from delivery_attempts a where a.at > ${since})
     group by d.queue`.execute(tx);
  for (const { queue, count, oldest_at } of rows)
    if (count > 0 && oldest_at !== null)
      collector.addSystem(queueFinding({ queue, count, oldestAt: oldest_at }), null);
}

interface WaitingQueueRow {
  queue: WaitingQueue["queue"];
  count: number;
  oldest_at: string | null;
}

function idsOf(chains: readonly Followed[]): number[] {
  return chains.map(({ chainId }) => chainId);
}
