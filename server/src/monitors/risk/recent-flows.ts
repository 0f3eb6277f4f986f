// Deposits and withdrawals of the vaults of a chain lately, by transaction, and shares that were made without any: one statement for all.
//
// Guarantee: only confirmed transactions that are newer than the vault's source here and than its category, each with the supply before it
// and with the price of the asset that stood then. What a rule of no vault could tell of is left out by the database.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import { windowFromMs } from "../../judgements/listening.ts";
import type { Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { BlockRef } from "../base/finding.ts";
import { type Asked, chainSource, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf } from "../base/named-vault.ts";
import type { Unit } from "../base/wording.ts";

export interface RecentFlows extends NamedVault {
  asset: Unit;
  shareDecimals: number;
  /** In the order of the chain. */
  flows: readonly Flow[];
}

/** What one transaction brought and took. */
export interface Flow {
  block: BlockRef;
  atMs: number;
  txHash: Hash;
  actor: Address;
  deposited: Moved;
  withdrawn: Moved;
  /** Made for nobody's deposit, as no fee and in no settlement. */
  unexplainedShares: bigint;
  /** Before the transaction; null where it is not known. */
  supply: bigint | null;
  /** Of a whole asset, dollars × 10^18; null where none stood then. */
  priceE18: bigint | null;
}

export interface Moved {
  assets: bigint;
  shares: bigint;
}

export interface FlowRules {
  flows: { single_usd: number; resolve_after_seconds: number };
}

export const recentFlows = chainSource<RecentFlows, FlowRules>(loadRecentFlows);

/** Where less moves than this, its part of the supply wakes nobody. */
export const LEAST_USD = 50_000;
/** How long before a transaction others count with it. */
export const SUPPLY_WINDOW_MS = 3_600_000;

interface Row extends RefRow {
  asset_decimals: number | null;
  asset_symbol: string | null;
  share_decimals: number;
  flows: {
    number: number;
    hash: Hash;
    at: number;
    tx_hash: Hash;
    actor: Address;
    deposited: [string, string];
    withdrawn: [string, string];
    unexplained: string;
    supply: string | null;
    price: string | null;
  }[];
}

async function loadRecentFlows(
  tx: Tx,
  { chainId, book, nowMs, listening }: Asked<FlowRules> & { chainId: number },
): Promise<RecentFlows[]> {
  const lastingMs = 1000 * book.greatest(({ flows }) => flows.resolve_after_seconds) + 2 * SUPPLY_WINDOW_MS;
  // Before the first heartbeat nothing was heard, since ever.
  const from = timestampOfMs(Math.max(0, windowFromMs(nowMs, lastingMs, listening.gaps)));
  const leastUsd = Math.min(
    LEAST_USD,
    book.least(({ flows }) => flows.single_usd),
  );
  return flowsBetween(tx, { chainId, from, leastUsd, isWatchedOnly: true });
}

export interface FlowRange {
  chainId: number;
  /** In the API's form; `to` inclusive. */
  from: string;
  to?: string;
  leastUsd: number;
  /** Only since the category and the vault are watched. */
  isWatchedOnly: boolean;
  vaults?: readonly Address[];
}

export async function flowsBetween(
  tx: Tx,
  { chainId, from, to, leastUsd, isWatchedOnly, vaults }: FlowRange,
): Promise<RecentFlows[]> {
  const { rows } = await sql<Row>`
    with chain as materialized (
      select n.*, greatest(${from}::timestamptz, n.since) as from_time,
        (select b.block_timestamp from blocks b where b.chain_id = n.chain_id and b.number = n.to_number) as to_time
      from (
        select c.chain_id, least(c.confirmed_number, (
            select max(b.number) from blocks b where b.chain_id = c.chain_id
              and b.number < coalesce(block_since(c.chain_id, ${to ?? "infinity"}::timestamptz + interval '1 microsecond'), b.number + 1)
          )) as to_number,
          block_since(c.chain_id, greatest(${from}::timestamptz, case when ${isWatchedOnly} then w.since end)) as from_number,
          case when ${isWatchedOnly} then w.since else '-infinity' end as since
        from chains c
        cross join (select max(since) as since from alert_watches where category = 'flows') w
        where c.chain_id = ${chainId}
      ) n
    ), watched as materialized (
      select v.chain_id, v.address, v.asset_address, v.asset_decimals, v.family, ${LEAST_RAW} as least_raw, worth.least as least_worth,
        case when ${isWatchedOnly} then greatest(chain.since, s.configured_at) else chain.since end as since
      from chain
      join vaults v on v.chain_id = chain.chain_id
      left join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address
      left join (${PRICES}) price on price.address = v.asset_address
      cross join lateral (select ${leastUsd}::numeric * 1e18 * trunc(10::numeric ^ v.asset_decimals) as least) worth
      where ${vaults === undefined ? sql`true` : sql`v.address = any(${vaults}::text[])`}
    ), moved as (
      -- In the order of the index, so that a group ends with its last row and none is kept.
      select f.block_number, f.tx_index, f.vault_address,
        coalesce(sum((f.data ->> 'assets')::numeric) filter (where f.kind = 'deposit'), 0) as assets_in,
        coalesce(sum((f.data ->> 'shares')::numeric) filter (where f.kind = 'deposit'), 0) as shares_in,
        coalesce(sum((f.data ->> 'assets')::numeric) filter (where f.kind = 'withdraw'), 0) as assets_out,
        coalesce(sum((f.data ->> 'shares')::numeric) filter (where f.kind = 'withdraw'), 0) as shares_out,
        sum((f.data ->> 'shares')::numeric) filter (where f.kind = 'shares_minted') as minted
      from (
        select f.block_number, f.tx_index, f.vault_address, f.kind, f.data from facts f
        where f.chain_id = ${chainId} and f.block_number >= (select from_number from chain)
          and f.block_number <= (select to_number from chain) and ${IS_FLOW} and f.vault_address is not null
          and ${vaults === undefined ? sql`true` : sql`f.vault_address = any(${vaults}::text[])`}
        order by f.block_number, f.tx_index, f.vault_address offset 0
      ) f
      group by f.block_number, f.tx_index, f.vault_address
    ), grown as materialized (
      select m.*, v.*, case when m.minted > m.shares_in then ${UNEXPLAINED} else 0 end as unexplained
      from moved m join watched v on v.address = m.vault_address
      where m.minted > m.shares_in or greatest(m.assets_in, m.assets_out) > v.least_raw
    ), told as materialized (
      select t.*, b.hash, b.block_timestamp, ${PRICE_THEN} as price_e18
      from grown t
      join blocks b on b.chain_id = t.chain_id and b.number = t.block_number
      where b.block_timestamp >= t.since and (t.unexplained > 0 or greatest(t.assets_in, t.assets_out) > t.least_raw)
    ), chosen as (
      select t.* from told t
      where t.unexplained > 0 or t.price_e18 is null or t.asset_decimals is null
        or greatest(t.assets_in, t.assets_out) * t.price_e18 > t.least_worth
    )
    select ${REF}, v.asset_decimals, v.asset_symbol, v.share_decimals, g.flows
    from (
      select t.chain_id, t.vault_address, jsonb_agg(jsonb_build_object('number', t.block_number, 'hash', t.hash,
        'at', (extract(epoch from t.block_timestamp) * 1000)::bigint, 'tx_hash', by.tx_hash, 'actor', by.actor,
        'deposited', jsonb_build_array(t.assets_in::text, t.shares_in::text),
        'withdrawn', jsonb_build_array(t.assets_out::text, t.shares_out::text),
        'unexplained', t.unexplained::text, 'supply', ${SUPPLY_BEFORE}::text, 'price', t.price_e18::text)
        order by t.block_number, t.tx_index) as flows
      from chosen t
      cross join lateral (
        select min(f.tx_hash) as tx_hash, min(f.actor_wallet) as actor from facts f
        where f.chain_id = t.chain_id and f.vault_address = t.vault_address and f.block_number = t.block_number
          and f.tx_index = t.tx_index and ${IS_FLOW}
      ) by
      group by t.chain_id, t.vault_address
    ) g
    join vaults v on v.chain_id = g.chain_id and v.address = g.vault_address
    join chains c on c.chain_id = v.chain_id`.execute(tx);
  return rows.map(flowsOf);
}

/** As the index of the migration names them. */
const IS_FLOW = sql`f.kind in ('deposit', 'withdraw', 'shares_minted')`;

/** The most that an asset was worth within the time, where some price stood all along; else null, and each moment is asked for its own. */
const PRICES = sql`
  select a.address, case when coalesce(w.is_whole, false) or fixed.e18 is not null then greatest(w.most, fixed.e18) end as most_e18
  from chain
  cross join (select distinct u.asset_address as address, u.chain_id from vaults u) a
  left join lateral (
    select p.price_usd_e18 as e18 from token_prices p where p.chain_id = a.chain_id and p.address = a.address and p.source = 'static'
  ) fixed on true
  left join lateral (
    select max(q.price_usd_e18) as most, min(q.priced_at) <= chain.from_time
      and bool_and(q.stands_until > chain.to_time or coalesce(q.stands_until >= q.next_at, false)) as is_whole
    from (
      select p.price_usd_e18, p.priced_at, p.stands_until, lead(p.priced_at) over (order by p.priced_at) as next_at from price_points p
      where p.chain_id = a.chain_id and p.address = a.address and p.priced_at <= chain.to_time and p.priced_at >= coalesce((
        select max(o.priced_at) from price_points o
        where o.chain_id = a.chain_id and o.address = a.address and o.priced_at <= chain.from_time), chain.from_time)
    ) q
  ) w on true
  where a.chain_id = chain.chain_id`;

/** What moves so little is worth less than anybody is told of, whatever the price was. */
const LEAST_RAW = sql`case when price.most_e18 is null or worth.least is null then 0
  else coalesce(div(worth.least, nullif(price.most_e18, 0)), 'infinity') end`;

/** That of the last point before, as long as it stands; else the one that is configured. */
const PRICE_THEN = sql`coalesce(
  (select q.price_usd_e18 from (
    select p.price_usd_e18, p.stands_until from price_points p
    where p.chain_id = t.chain_id and p.address = t.asset_address and p.priced_at <= b.block_timestamp
    order by p.priced_at desc limit 1
  ) q where q.stands_until > b.block_timestamp),
  (select p.price_usd_e18 from token_prices p where p.chain_id = t.chain_id and p.address = t.asset_address and p.source = 'static'))`;

/**
 * Shares that a transaction made, less those of its deposits. Fees go to whom the vault names for them; profit that is yet to be paid out
 * is held by the vault itself; settlements and reports make shares by rules of their own.
 */
const UNEXPLAINED = sql`(
  select greatest(coalesce(sum((n.data ->> 'shares')::numeric), 0) - m.shares_in, 0) from facts n
  left join lateral (
    select k.fee_recipient, k.fee_rates from vault_states k
    where k.chain_id = v.chain_id and k.vault_address = v.address and k.block_number <= m.block_number order by k.block_number desc limit 1
  ) k on true
  where n.chain_id = v.chain_id and n.vault_address = v.address and n.block_number = m.block_number and n.tx_index = m.tx_index
    and n.kind = 'shares_minted' and n.data ->> 'to' <> v.address
    and (n.data ->> 'to') is distinct from k.fee_recipient
    and (n.data ->> 'to') is distinct from (k.fee_rates ->> 'performance_fee_recipient')
    and (n.data ->> 'to') is distinct from (k.fee_rates ->> 'management_fee_recipient')
    and not exists (
      select from facts x where x.chain_id = v.chain_id and x.vault_address = v.address and x.block_number = m.block_number
        and x.tx_index = m.tx_index and (x.kind in ('deposit_claimable', 'management_fee_paid', 'performance_fee_skimmed')
          or x.kind = 'governance' and x.data @? '$.effects[*] ? (@.action == "settle" || @.action == "strategy_report")')))`;

/** The newest supply that is known from before the block, and what was made and destroyed since. */
const SUPPLY_BEFORE = sql`(
  select known.supply + coalesce((
    select sum(case n.kind when 'shares_minted' then 1 else -1 end * (n.data ->> 'shares')::numeric) from facts n
    where n.chain_id = t.chain_id and n.vault_address = t.vault_address and n.kind in ('shares_minted', 'shares_burned')
      and n.block_number > known.block_number and (n.block_number, n.tx_index) < (t.block_number, t.tx_index)
  ), 0)
  from (
    (select p.total_supply as supply, p.block_number from pps_points p
     where t.family <> 'supervault' and p.chain_id = t.chain_id and p.vault_address = t.vault_address
       and p.block_timestamp <= t.block_timestamp and p.block_number < t.block_number and p.total_supply is not null
     order by p.block_timestamp desc, p.block_number desc, p.log_index desc limit 1)
    union all
    (select h.total_supply, h.block_number from share_supplies h
     where t.family = 'supervault' and h.chain_id = t.chain_id and h.vault_address = t.vault_address and h.block_number < t.block_number
     order by h.block_number desc limit 1)
  ) known)`;

function flowsOf(row: Row): RecentFlows {
  return {
    ...refOf(row),
    asset: { decimals: row.asset_decimals, symbol: row.asset_symbol },
    shareDecimals: row.share_decimals,
    flows: row.flows.map((flow) => ({
      block: { number: flow.number, hash: flow.hash },
      atMs: flow.at,
      txHash: flow.tx_hash,
      actor: flow.actor,
      deposited: movedOf(flow.deposited),
      withdrawn: movedOf(flow.withdrawn),
      unexplainedShares: BigInt(flow.unexplained),
      supply: flow.supply === null ? null : BigInt(flow.supply),
      priceE18: flow.price === null ? null : BigInt(flow.price.split(".")[0] as string),
    })),
  };
}

function movedOf([assets, shares]: [string, string]): Moved {
  return { assets: BigInt(assets), shares: BigInt(shares) };
}
