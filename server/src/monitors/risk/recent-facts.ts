// What happened to the vaults of a chain lately and is confirmed, and which of their calls wait: read in one statement, for the categories
// that tell of what happened once.
//
// Guarantee: nothing that is older than the vault's source here, than its category, or that made the vault, is among it. What a
// reorganisation took away is not there; what was missed during an outage of ours is, since only time in which the chain was heard counts.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { StoredBody } from "../../chain/facts.ts";
import type { Json } from "../../chain/governance.ts";
import { windowFromMs } from "../../judgements/listening.ts";
import type { Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { BlockRef } from "../base/finding.ts";
import { type Asked, chainSource, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf } from "../base/named-vault.ts";
import type { Unit } from "../base/wording.ts";

export interface RecentFacts extends NamedVault {
  /** In the order of the chain. */
  facts: readonly RecentFact[];
  /** By the newest confirmed reading that could tell. */
  waiting: readonly WaitingCall[];
  /** False: that reading is not the newest, so nothing may be opened by it. */
  isWaitingKnown: boolean;
  /** Unix milliseconds: what was due before wakes nobody. */
  watchedSinceMs: number;
  asset: Unit;
  totalAssets: bigint | null;
}

export interface RecentFact {
  block: BlockRef;
  atMs: number;
  txHash: Hash;
  logIndex: number;
  actor: Address;
  body: StoredBody;
}

/** A change that waits, as the vault's record shows it. */
export interface WaitingCall {
  kind: string;
  proposed: Json;
  proposer: Address | null;
  effective_at: string | null;
  id?: string;
  target?: Address | null;
  function?: string | null;
  arguments?: Readonly<Record<string, Json>> | null;
  calldata?: string | null;
  submitted_by?: Address | null;
  executable_at?: string | null;
  is_blocked?: boolean;
}

export interface Rules {
  governance: { resolve_after_seconds: number };
  losses: { resolve_after_seconds: number };
}

export const recentFacts = chainSource<RecentFacts, Rules>(loadRecentFacts);

/** As the index of the migration names them. */
const KINDS = [
  "governance",
  "primary_manager_proposed",
  "primary_manager_change_cancelled",
  "primary_manager_changed",
  "secondary_manager_added",
  "secondary_manager_removed",
  "fee_config_proposed",
  "fee_config_updated",
  "fee_recipient_changed",
  "role_granted",
  "role_revoked",
  "ownership_transfer_started",
  "ownership_transferred",
  "pps_expiration_proposed",
  "pps_expiration_updated",
  "pps_expiration_proposal_cancelled",
  "min_update_interval_proposed",
  "min_update_interval_changed",
  "min_update_interval_cancelled",
  "hooks_root_proposed",
  "hooks_root_updated",
] as const;

export const GOVERNANCE_KINDS = sql.join(KINDS.map((kind) => sql.lit(kind)));

export interface StoredFactRow {
  kind: string;
  number: number;
  hash: Hash;
  at: number;
  tx_hash: Hash;
  log_index: number;
  actor: Address;
  data: object;
}

interface Row extends RefRow {
  since_ms: number;
  asset_decimals: number | null;
  asset_symbol: string | null;
  total_assets: bigint | null;
  waiting: WaitingCall[] | null;
  is_waiting_known: boolean;
  facts: StoredFactRow[] | null;
}

async function loadRecentFacts(
  tx: Tx,
  { chainId, book, nowMs, listening }: Asked<Rules> & { chainId: number },
): Promise<RecentFacts[]> {
  const lastingMs =
    1000 *
    book.greatest(({ governance, losses }) =>
      Math.max(governance.resolve_after_seconds, losses.resolve_after_seconds),
    );
  // Before the first heartbeat nothing was heard, since ever.
  const from = timestampOfMs(Math.max(0, windowFromMs(nowMs, lastingMs, listening.gaps)));
  const { rows } = await sql<Row>`
    with chain as materialized (
      select c.chain_id, c.confirmed_number, block_since(c.chain_id, greatest(${from}::timestamptz, w.since)) as from_number, w.since
      from chains c
      cross join (select max(since) as since from alert_watches where category = 'governance') w
      where c.chain_id = ${chainId}
    ), recent as (
      select place.address, jsonb_agg(jsonb_build_object('kind', f.kind, 'number', f.block_number, 'hash', b.hash,
        'at', (extract(epoch from b.block_timestamp) * 1000)::bigint, 'tx_hash', f.tx_hash, 'log_index', f.log_index,
        'actor', f.actor_wallet, 'data', f.data) order by f.block_number, f.log_index) as facts
      from chain
      join facts f on f.chain_id = chain.chain_id and f.block_number >= chain.from_number and f.block_number <= chain.confirmed_number
        and f.kind in (${GOVERNANCE_KINDS})
      join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
      cross join lateral (
        select f.vault_address as address where f.vault_address is not null
        union
        select account #>> '{}' from jsonb_path_query(f.data, '$.effects[*].vaults[*]') account where f.vault_address is null
      ) place
      join vaults v on v.chain_id = f.chain_id and v.address = place.address and v.created_block is distinct from f.block_number
      left join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address
      where b.block_timestamp >= chain.since and (s.configured_at is null or b.block_timestamp >= s.configured_at)
      group by place.address
    )
    select ${REF}, (extract(epoch from greatest(chain.since, s.configured_at)) * 1000)::float8 as since_ms,
      v.asset_decimals, v.asset_symbol, k.total_assets, w.pending_changes as waiting,
      coalesce(w.block_number = k.block_number and s.next_block is null, false) as is_waiting_known, recent.facts
    from chain
    join vaults v on v.chain_id = chain.chain_id
    join chains c on c.chain_id = v.chain_id
    left join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address
    left join recent on recent.address = v.address
    left join lateral (
      select s.block_number, s.pending_changes, s.unread, s.total_assets from vault_states s
      where s.chain_id = v.chain_id and s.vault_address = v.address and s.block_number <= chain.confirmed_number
      order by s.block_number desc limit 1
    ) k on true
    left join lateral (
      select k.block_number, k.pending_changes where not k.unread ? 'pending_changes'
      union all
      (select s.block_number, s.pending_changes from vault_states s
       where k.unread ? 'pending_changes' and s.chain_id = v.chain_id and s.vault_address = v.address
         and s.block_number < k.block_number and not s.unread ? 'pending_changes' order by s.block_number desc limit 1)
    ) w on true
    where recent.facts is not null or w.pending_changes <> '[]'`.execute(tx);
  return rows.map(stateOf);
}

function stateOf(row: Row): RecentFacts {
  return {
    ...refOf(row),
    facts: (row.facts ?? []).map(factOf),
    waiting: row.waiting ?? [],
    isWaitingKnown: row.is_waiting_known,
    watchedSinceMs: row.since_ms,
    asset: { decimals: row.asset_decimals, symbol: row.asset_symbol },
    totalAssets: row.total_assets,
  };
}

export function factOf({
  kind,
  number,
  hash,
  at,
  tx_hash,
  log_index,
  actor,
  data,
}: StoredFactRow): RecentFact {
  return {
    block: { number, hash },
    atMs: at,
    txHash: tx_hash,
    logIndex: log_index,
    actor,
    body: { ...data, kind } as StoredBody,
  };
}
