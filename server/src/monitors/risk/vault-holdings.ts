// What every vault of a chain holds, can pay and owes by its newest confirmed reading, who waits to leave, the least that was idle within
// each window that a rule asks for, and the bad debt that a reading first showed lately: one statement.
import { type RawBuilder, sql } from "kysely";
import { windowFromMs } from "../../judgements/listening.ts";
import type { Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { BlockRef } from "../base/finding.ts";
import { type Asked, chainSource, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf } from "../base/named-vault.ts";
import type { Unit } from "../base/wording.ts";

export interface VaultHoldings extends NamedVault {
  /** False: no confirmed reading, or the past is being filled in. */
  isKnown: boolean;
  /** Members that could not be read, by the reading's own names: what stands of them is old. */
  unread: ReadonlySet<string>;
  asset: Unit;
  shareDecimals: number;
  totalAssets: bigint | null;
  totalSupply: bigint | null;
  liquidity: { idle: bigint; withdrawable: bigint | null; isExitImmediate: boolean } | null;
  /** What a settlement owes; null where none waits. */
  owedAssets: bigint | null;
  allocations: readonly Held[];
  /** Requests to leave that nobody has served. */
  pending: { shares: bigint; count: number; sinceMs: number | null } | null;
  /** The least part of the total assets that was idle, by the seconds of the window. */
  leastIdle: Readonly<Record<string, { idle: bigint; total: bigint }>>;
  /** Bad debt that grew with a reading and of which no event tells. */
  badDebts: readonly BadDebt[];
}

/** A position, as the vault's record shows it. */
export interface Held {
  id: string;
  label: string | null;
  assets: string | null;
  absolute_cap: string | null;
  is_absolute_capped: boolean;
  relative_cap_e18: string | null;
  is_relative_capped: boolean;
}

export interface BadDebt {
  block: BlockRef;
  atMs: number;
  before: bigint;
  after: bigint;
  totalAssets: bigint | null;
}

export interface HoldingRules {
  allocation: { max_idle_fraction: number | null; idle_seconds: number };
  losses: { resolve_after_seconds: number };
}

export const vaultHoldings = chainSource<VaultHoldings, HoldingRules>(loadVaultHoldings);

interface Row extends RefRow {
  is_known: boolean;
  asset_decimals: number | null;
  asset_symbol: string | null;
  share_decimals: number;
  total_assets: bigint | null;
  total_supply: bigint | null;
  liquidity: { idle_assets: string; withdrawable_assets: string | null; is_exit_immediate: boolean } | null;
  nav: { owed_assets: string | null } | null;
  allocations: Held[] | null;
  unread: Record<string, unknown> | null;
  pending_shares: bigint | null;
  pending_count: number | null;
  pending_since_ms: number | null;
  least_idle: { seconds: number; idle: string; total: string }[] | null;
  bad_debts:
    | {
        number: number;
        hash: BlockRef["hash"];
        at: number;
        before: string;
        after: string;
        total: string | null;
      }[]
    | null;
}

async function loadVaultHoldings(
  tx: Tx,
  { chainId, book, nowMs, listening }: Asked<HoldingRules> & { chainId: number },
): Promise<VaultHoldings[]> {
  const windows = book
    .distinct(({ allocation }) => (allocation.max_idle_fraction === null ? 0 : allocation.idle_seconds))
    .filter((seconds) => seconds > 0);
  const lastingMs = 1000 * book.greatest(({ losses }) => losses.resolve_after_seconds);
  // Before the first heartbeat nothing was heard, since ever.
  const lossesFrom = timestampOfMs(Math.max(0, windowFromMs(nowMs, lastingMs, listening.gaps)));
  const { rows } = await sql<Row>`
    with watch as materialized (select max(since) as since from alert_watches where category = 'losses'),
    recent as materialized (
      select block_since(${chainId}, greatest(${lossesFrom}::timestamptz, watch.since)) as from_number from watch
    )
    select ${REF}, coalesce(k.block_number is not null and s.next_block is null, false) as is_known, v.asset_decimals, v.asset_symbol,
      v.share_decimals, k.total_assets, k.total_supply, k.liquidity, k.nav, k.allocations, k.unread,
      f.vault_pending_shares as pending_shares, f.vault_pending_count as pending_count,
      case when f.vault_pending_count > 0 then ${OLDEST_REQUEST_MS} end as pending_since_ms, i.least_idle, l.bad_debts
    from chains c
    join vaults v on v.chain_id = c.chain_id
    cross join watch
    left join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address
    left join lateral (
      select r.* from vault_states r
      where r.chain_id = v.chain_id and r.vault_address = v.address and r.block_number <= c.confirmed_number
      order by r.block_number desc limit 1
    ) k on true
    left join lateral (
      select r.vault_pending_shares, r.vault_pending_count from redeem_flows r
      where r.chain_id = v.chain_id and r.vault_address = v.address and r.block_number <= c.confirmed_number
      order by r.block_number desc, r.log_index desc limit 1
    ) f on true
    left join lateral (${leastIdle(windows, timestampOfMs(nowMs))}) i on true
    left join lateral (${BAD_DEBTS}) l on k.lost_assets > 0
    where c.chain_id = ${chainId}`.execute(tx);
  return rows.map(holdingsOf);
}

/** Controllers are walked one after the other: of each the newest row alone counts. */
const OLDEST_REQUEST_MS = sql`(
  with recursive waiting as (
    (select r.controller from redeem_flows r where r.chain_id = v.chain_id and r.vault_address = v.address order by r.controller limit 1)
    union all
    select (select r.controller from redeem_flows r
      where r.chain_id = v.chain_id and r.vault_address = v.address and r.controller > w.controller order by r.controller limit 1)
    from waiting w where w.controller is not null
  )
  select (extract(epoch from min(newest.pending_since)) * 1000)::float8 from waiting w
  cross join lateral (
    select r.pending_since, r.pending_shares from redeem_flows r
    where r.chain_id = v.chain_id and r.vault_address = v.address and r.controller = w.controller and r.block_number <= c.confirmed_number
    order by r.block_number desc, r.log_index desc limit 1
  ) newest where newest.pending_shares > 0)`;

/** What stood when a window began is in it; where nothing did, it is not whole. A reading that does not tell is passed over. */
function leastIdle(windows: readonly number[], now: string): RawBuilder<unknown> {
  return sql`
    select jsonb_agg(jsonb_build_object('seconds', w.seconds, 'idle', e.least ->> 0, 'total', e.least ->> 1)) as least_idle
    from unnest(${windows}::bigint[]) w (seconds)
    cross join lateral (
      select block_since(c.chain_id, ${now}::timestamptz - make_interval(secs => w.seconds)) as number
    ) begins
    cross join lateral (
      select (array_agg(jsonb_build_array(r.liquidity ->> 'idle_assets', r.total_assets::text)
        order by div((r.liquidity ->> 'idle_assets')::numeric * 1e30, r.total_assets)))[1] as least, bool_or(r.is_before) as is_whole
      from (
        select q.liquidity, q.total_assets, false as is_before from vault_states q
        where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_number >= begins.number
          and q.block_number <= c.confirmed_number and not q.unread ?| array['liquidity', 'total_assets']
        union all
        (select q.liquidity, q.total_assets, true from vault_states q
         where q.chain_id = v.chain_id and q.vault_address = v.address
           and q.block_number < coalesce(begins.number, c.confirmed_number + 1)
           and not q.unread ?| array['liquidity', 'total_assets']
         order by q.block_number desc limit 1)
      ) r where r.total_assets > 0 and r.liquidity is not null
    ) e
    where e.is_whole`;
}

/** Each reading that shows more than the one before it, but for what the vault's own events tell. */
const BAD_DEBTS = sql`
  select jsonb_agg(jsonb_build_object('number', g.block_number, 'hash', b.hash,
    'at', (extract(epoch from b.block_timestamp) * 1000)::bigint, 'before', coalesce(g.before, 0)::text, 'after', g.lost_assets::text,
    'total', g.total_assets::text) order by g.block_number) as bad_debts
  from (
    select q.block_number, q.lost_assets, q.total_assets, lag(q.lost_assets) over (order by q.block_number) as before,
      lag(q.block_number) over (order by q.block_number) as before_number
    from (
      select q.block_number, q.lost_assets, q.total_assets from vault_states q, recent
      where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_number >= recent.from_number
        and q.block_number <= c.confirmed_number and not q.unread ? 'lost_assets'
      union all
      (select q.block_number, q.lost_assets, q.total_assets from vault_states q, recent
       where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_number < recent.from_number
         and not q.unread ? 'lost_assets' order by q.block_number desc limit 1)
    ) q
  ) g
  cross join recent
  join blocks b on b.chain_id = v.chain_id and b.number = g.block_number
  where g.block_number >= recent.from_number and g.before_number is not null and g.lost_assets > coalesce(g.before, 0)
    and b.block_timestamp >= greatest(watch.since, s.configured_at)
    and not exists (
      select from facts t where t.chain_id = v.chain_id and t.vault_address = v.address and t.kind = 'governance'
        and t.block_number > g.before_number and t.block_number <= g.block_number and t.data @? '$.effects[*] ? (@.action == "loss")')`;

function holdingsOf(row: Row): VaultHoldings {
  const { liquidity, pending_shares: pendingShares, pending_count: pendingCount } = row;
  return {
    ...refOf(row),
    isKnown: row.is_known,
    unread: new Set(Object.keys(row.unread ?? {})),
    asset: { decimals: row.asset_decimals, symbol: row.asset_symbol },
    shareDecimals: row.share_decimals,
    totalAssets: row.total_assets,
    totalSupply: row.total_supply,
    liquidity: liquidity && {
      idle: BigInt(liquidity.idle_assets),
      withdrawable: liquidity.withdrawable_assets === null ? null : BigInt(liquidity.withdrawable_assets),
      isExitImmediate: liquidity.is_exit_immediate,
    },
    owedAssets: row.nav?.owed_assets == null ? null : BigInt(row.nav.owed_assets),
    allocations: row.allocations ?? [],
    pending:
      pendingShares === null || pendingCount === null
        ? null
        : { shares: pendingShares, count: pendingCount, sinceMs: row.pending_since_ms },
    leastIdle: Object.fromEntries(
      (row.least_idle ?? []).map(({ seconds, idle, total }) => [
        String(seconds),
        { idle: BigInt(idle), total: BigInt(total) },
      ]),
    ),
    badDebts: (row.bad_debts ?? []).map(({ number, hash, at, before, after, total }) => ({
      block: { number, hash },
      atMs: at,
      before: BigInt(before),
      after: BigInt(after),
      totalAssets: total === null ? null : BigInt(total),
    })),
  };
}
