// What the monitor of the service itself judges, and the notes that other parts leave for it.
import { sql } from "kysely";
import type { Address } from "viem";
import { IS_ACCEPTED } from "../../../auth/acceptance.ts";
import { earliest } from "../../../monitors/base/finding.ts";
import { REF, type RefRow, refOf } from "../../../monitors/base/named-vault.ts";
import type { Tx } from "../../../platform/db/db.ts";
import { timestampOfMs } from "../../../platform/http/time.ts";
import type { Collector } from "../state/collector.ts";
import { judgeStandstill } from "./standstill-state.ts";
import {
  AUDIT_SUBJECT,
  bindingFinding,
  CHECKPOINT_FILE_SUBJECT,
  chainFindings,
  DEAD_SHOWN_MS,
  type DeadTarget,
  type DisabledWebhook,
  deadFinding,
  disabledFinding,
  FORK_SUBJECT,
  notedFinding,
  OMITTED_SUBJECT,
  type OrphanBinding,
  outageFindings,
  REORGANISATION_SHOWN_MS,
  reorganisationFinding,
  SIGNING_SUBJECT,
  STREAM_SUBJECT,
  type SystemFinding,
  WITNESS_SUBJECT,
} from "./system.ts";

/** A chain that is configured here. */
export interface WatchedChain {
  chainId: number;
  /** How far its head may lie behind the clock. */
  maxLagSeconds: number;
  /** How deep a block must lie to count as confirmed, or the node's tag that says. */
  confirmations?: number | string;
  /** What is followed on it; left out: all that was ever found there. */
  sources?: readonly { family: string; address: string }[];
}

export async function judgeSystem(
  tx: Tx,
  chains: readonly WatchedChain[],
  collector: Collector,
): Promise<void> {
  const outages = outageFindings(collector.listening);
  for (const finding of outages.findings) collector.addSystem(finding, null);
  collector.wakeAt(outages.wakeMs);
  await judgeChains(tx, chains, collector);
  await judgeReorganisations(tx, collector);
  await judgeStandstill(tx, chains, collector);
  for (const finding of await loadFindings(tx)) collector.addSystem(notedFinding(finding), null);
  for (const target of await loadDeadTargets(tx, collector))
    collector.addSystem(deadFinding(target), target.vault);
  for (const webhook of await loadDisabledWebhooks(tx, collector))
    collector.addSystem(disabledFinding(webhook), webhook.vault);
  for (const binding of await loadOrphanBindings(tx))
    collector.addSystem(bindingFinding(binding), binding.vault);
}

async function judgeChains(tx: Tx, chains: readonly WatchedChain[], collector: Collector): Promise<void> {
  const { rows } = await sql<{
    chain_id: number;
    name: string;
    is_halted: boolean;
    head_number: number | null;
    head_timestamp: string | null;
  }>`
    select chain_id, name, is_halted, head_number, head_timestamp from chains
    where chain_id = any(${chains.map(({ chainId }) => chainId)}::bigint[])`.execute(tx);
  for (const row of rows) {
    const { maxLagSeconds } = chains.find(({ chainId }) => chainId === row.chain_id) as WatchedChain;
    const { findings, wakeMs } = chainFindings(
      {
        chainId: row.chain_id,
        name: row.name,
        isHalted: row.is_halted,
        headNumber: row.head_number,
        headAt: row.head_timestamp,
        maxLagSeconds,
      },
      collector.nowMs,
      collector.listening.gaps.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY,
    );
    for (const finding of findings) collector.addSystem(finding, null);
    collector.wakeAt(wakeMs);
  }
}

async function judgeReorganisations(tx: Tx, collector: Collector): Promise<void> {
  const { nowMs } = collector;
  const { rows } = await sql<{
    chain_id: number;
    name: string;
    ancestor_number: number;
    reverted_count: number;
    happened_at: string;
    happened_ms: number;
  }>`
    select distinct on (r.chain_id) r.chain_id, c.name, r.ancestor_number, r.reverted_count, r.happened_at,
      (extract(epoch from r.happened_at) * 1000)::float8 as happened_ms
    from deep_reorganisations r join chains c on c.chain_id = r.chain_id
    where r.happened_at > ${timestampOfMs(nowMs - REORGANISATION_SHOWN_MS)}
    order by r.chain_id, r.happened_at desc`.execute(tx);
  for (const row of rows) {
    const reorg = {
      chainId: row.chain_id,
      name: row.name,
      ancestorNumber: row.ancestor_number,
      revertedCount: row.reverted_count,
      happenedAt: row.happened_at,
      happenedMs: row.happened_ms,
    };
    collector.addSystem(reorganisationFinding(reorg), null);
    collector.wakeAt(Math.ceil(reorg.happenedMs) + REORGANISATION_SHOWN_MS);
  }
}

async function loadFindings(tx: Tx): Promise<SystemFinding[]> {
  const { rows } = await sql<SystemFinding>`
    select subject, message, details from system_findings
    where subject = any(${[AUDIT_SUBJECT, SIGNING_SUBJECT, CHECKPOINT_FILE_SUBJECT]}) or subject like '%:%'
      and split_part(subject, ':', 1) = any(${[FORK_SUBJECT, WITNESS_SUBJECT, STREAM_SUBJECT, OMITTED_SUBJECT]})`.execute(
    tx,
  );
  return rows;
}

/** What was given up lately, by target and vault, unless the target has taken something since or is there no more. */
async function loadDeadTargets(tx: Tx, collector: Collector): Promise<DeadTarget[]> {
  const { nowMs } = collector;
  const { rows } = await sql<
    (RefRow | { address: null }) & {
      queue: DeadTarget["queue"];
      target_id: string;
      target_name: string;
      deliveries_count: number;
      last_at: string;
      last_ms: number;
      last_error: string | null;
    }
  >`
    select d.queue, d.target_id, coalesce(n.name, w.description) as target_name, d.deliveries_count, d.last_at,
      (extract(epoch from d.last_at) * 1000)::float8 as last_ms,
      (select a.error from delivery_attempts a where a.delivery_id = d.last_id order by a.number desc limit 1) as last_error, ${REF}
    from (
      select d.queue, d.target_id, d.chain_id, d.vault_address, count(*) as deliveries_count, max(d.finished_at) as last_at,
        (array_agg(d.id order by d.finished_at desc))[1] as last_id
      from deliveries d left join delivery_targets t on t.target_id = d.target_id
      where d.status = 'dead' and d.finished_at > ${timestampOfMs(nowMs - DEAD_SHOWN_MS)}
        and d.finished_at > coalesce(t.recovered_at, '-infinity')
      group by 1, 2, 3, 4
    ) d
    left join notification_channels n on d.queue = 'channel' and n.id = d.target_id
    left join webhooks w on d.queue = 'webhook' and w.id = d.target_id
    left join vaults v on v.chain_id = d.chain_id and v.address = d.vault_address collate "default"
    left join chains c on c.chain_id = v.chain_id
    where coalesce(n.id, w.id) is not null`.execute(tx);
  collector.wakeAt(earliest(...rows.map((row) => Math.ceil(row.last_ms) + DEAD_SHOWN_MS)));
  return rows.map((row) => ({
    queue: row.queue,
    targetId: row.target_id,
    targetName: row.target_name,
    vault: row.address === null ? null : refOf(row),
    deliveriesCount: row.deliveries_count,
    lastAt: row.last_at,
    lastError: row.last_error,
  }));
}

/** Webhook endpoints that the service disabled lately, for each vault that they were for. */
async function loadDisabledWebhooks(tx: Tx, collector: Collector): Promise<DisabledWebhook[]> {
  const { nowMs } = collector;
  const { rows } = await sql<
    RefRow & {
      id: string;
      description: string;
      disabled_reason: DisabledWebhook["reason"];
      disabled_at: string;
      disabled_ms: number;
    }
  >`
    select distinct on (w.id, v.chain_id, v.address) w.id, w.description, w.disabled_reason, w.disabled_at, (extract(epoch from w.disabled_at) * 1000)::float8 as disabled_ms, ${REF}
    from webhooks w
    join vault_operators r on r.wallet = w.created_by collate "default"
      and (w.limited_to_chain_id is null or w.limited_to_chain_id = r.chain_id)
      and (r.chain_id || ':' || r.vault_address = any (w.vaults) or w.vaults is null and ${IS_ACCEPTED})
    join vaults v on v.chain_id = r.chain_id and v.address = r.vault_address
    join chains c on c.chain_id = v.chain_id
    where not w.is_enabled and w.disabled_reason is not null and w.disabled_at > ${timestampOfMs(nowMs - DEAD_SHOWN_MS)}`.execute(
    tx,
  );
  collector.wakeAt(earliest(...rows.map((row) => Math.ceil(row.disabled_ms) + DEAD_SHOWN_MS)));
  return rows.map((row) => ({
    vault: refOf(row),
    webhookId: row.id,
    description: row.description,
    reason: row.disabled_reason,
    disabledAt: row.disabled_at,
  }));
}

/** Bindings whose maker manages the vault no more, at the head. */
async function loadOrphanBindings(tx: Tx): Promise<OrphanBinding[]> {
  const { rows } = await sql<RefRow & { channel_id: string; channel_name: string; bound_by: Address }>`
    select b.channel_id, n.name as channel_name, b.bound_by, ${REF}
    from channel_bindings b
    join notification_channels n on n.id = b.channel_id
    join vaults v on v.chain_id = b.chain_id and v.address = b.vault_address collate "default"
    join chains c on c.chain_id = v.chain_id
    where not exists (
      select from vault_operators r
      where r.chain_id = b.chain_id and r.vault_address = b.vault_address collate "default"
        and r.wallet = b.bound_by collate "default")`.execute(tx);
  return rows.map((row) => ({
    vault: refOf(row),
    channelId: row.channel_id,
    channelName: row.channel_name,
    boundBy: row.bound_by,
  }));
}
