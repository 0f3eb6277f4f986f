// The newest confirmed price of every vault of a chain and what a share of it stands for, with the highest and the lowest of both within
// each window that a rule asks for: one statement, which walks an index that holds the prices themselves.
//
// A price stands until the next one: what stood when a window began is in it. A vault without shares has no price, so what it was worth
// before it was empty is compared with nothing. Prices from before the category or the vault was watched are not compared with either,
// but for the one that stood then.
import { sql } from "kysely";
import type { Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { BlockRef } from "../base/finding.ts";
import { type Asked, chainSource, type NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf } from "../base/named-vault.ts";
import type { Unit } from "../base/wording.ts";

export interface VaultPrices extends NamedVault {
  /** False: no confirmed reading, or the past is being filled in. */
  isKnown: boolean;
  asset: Unit;
  /** null where there are no shares. */
  price: { pps: bigint; block: BlockRef } | null;
  /** By the seconds of the window. */
  prices: Readonly<Record<string, { high: bigint; low: bigint }>>;
  /** Total assets and shares at once; null where either is not known. */
  holding: Holding | null;
  /** Those with most and with least assets for a share, by the seconds of the window. */
  holdings: Readonly<Record<string, { high: Holding; low: Holding }>>;
}

export interface Holding {
  assets: bigint;
  /** Never none. */
  shares: bigint;
}

export interface WindowRules {
  price: { window_seconds: number };
  tvl: { window_seconds: number };
}

export const vaultPrices = chainSource<VaultPrices, WindowRules>(loadVaultPrices);

interface Row extends RefRow {
  is_known: boolean;
  asset_decimals: number | null;
  asset_symbol: string | null;
  pps: bigint | null;
  total_assets: bigint | null;
  total_supply: bigint | null;
  block_number: number | null;
  block_hash: BlockRef["hash"] | null;
  prices: { seconds: number; high: string; low: string }[] | null;
  holdings: { seconds: number; high: [string, string]; low: [string, string] }[] | null;
}

async function loadVaultPrices(
  tx: Tx,
  { chainId, book, nowMs }: Asked<WindowRules> & { chainId: number },
): Promise<VaultPrices[]> {
  const now = timestampOfMs(nowMs);
  const { rows } = await sql<Row>`
    with watch as materialized (select max(since) as since from alert_watches where category = 'price')
    select ${REF}, coalesce(p.block_number is not null and s.next_block is null, false) as is_known, v.asset_decimals, v.asset_symbol,
      p.pps, p.total_assets, p.total_supply, p.block_number,
      (select b.hash from blocks b where b.chain_id = v.chain_id and b.number = p.block_number) as block_hash, x.prices, y.holdings
    from chains c
    join vaults v on v.chain_id = c.chain_id
    cross join watch
    left join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address
    left join lateral (
      select q.pps, q.total_assets, q.total_supply, q.block_number, q.block_timestamp from pps_points q
      where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_number <= c.confirmed_number
      order by q.block_timestamp desc, q.block_number desc, q.log_index desc limit 1
    ) p on true
    left join lateral (
      -- The newest time without a price, at which whatever was before ends.
      select max(q.block_timestamp) as at from pps_points q
      where q.chain_id = v.chain_id and q.vault_address = v.address and q.pps is null and q.block_number <= c.confirmed_number
    ) gone on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('seconds', w.seconds, 'high', e.high::text, 'low', e.low::text)) as prices
      from unnest(${book.distinct(({ price }) => price.window_seconds)}::bigint[]) w (seconds)
      cross join lateral (select greatest(${now}::timestamptz - make_interval(secs => w.seconds), watch.since, s.configured_at) as begins) t
      cross join lateral (
        select max(q.pps) as high, min(q.pps) as low from (${standing(sql`q.pps`)}) q
      ) e
      where p.pps is not null and e.high is not null
    ) x on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('seconds', w.seconds, 'high', e.high, 'low', e.low)) as holdings
      from unnest(${book.distinct(({ tvl }) => tvl.window_seconds)}::bigint[]) w (seconds)
      cross join lateral (select greatest(${now}::timestamptz - make_interval(secs => w.seconds), watch.since, s.configured_at) as begins) t
      cross join lateral (
        -- Thirty digits tell apart what no amount of raw units brings nearer.
        select (array_agg(jsonb_build_array(q.total_assets::text, q.total_supply::text) order by q.worth desc))[1] as high,
          (array_agg(jsonb_build_array(q.total_assets::text, q.total_supply::text) order by q.worth))[1] as low
        from (
          select r.total_assets, r.total_supply, div(r.total_assets * 1e30, r.total_supply) as worth
          from (${standing(sql`q.total_assets, q.total_supply`)}) r where r.total_supply > 0 and r.total_assets is not null
        ) q
      ) e
      where p.total_supply > 0 and p.total_assets is not null and e.high is not null
    ) y on true
    where c.chain_id = ${chainId}`.execute(tx);
  return rows.map(pricesOf);
}

/** What stood within the window: each from its beginning on, and the one that stood then. */
const standing = (columns: ReturnType<typeof sql>) => sql`
  select ${columns} from pps_points q
  where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_timestamp >= t.begins
    and q.block_number <= c.confirmed_number and (gone.at is null or q.block_timestamp > gone.at)
  union all
  (select ${columns} from pps_points q
   where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_timestamp < t.begins
     and q.block_number <= c.confirmed_number and (gone.at is null or q.block_timestamp > gone.at)
   order by q.block_timestamp desc, q.block_number desc, q.log_index desc limit 1)`;

function pricesOf(row: Row): VaultPrices {
  const { pps, block_number: number, block_hash: hash } = row;
  return {
    ...refOf(row),
    isKnown: row.is_known,
    asset: { decimals: row.asset_decimals, symbol: row.asset_symbol },
    price: pps === null || number === null || hash === null ? null : { pps, block: { number, hash } },
    prices: Object.fromEntries(
      (row.prices ?? []).map(({ seconds, high, low }) => [
        String(seconds),
        { high: BigInt(high), low: BigInt(low) },
      ]),
    ),
    holding:
      row.total_assets === null || !row.total_supply
        ? null
        : { assets: row.total_assets, shares: row.total_supply },
    holdings: Object.fromEntries(
      (row.holdings ?? []).map(({ seconds, high, low }) => [
        String(seconds),
        { high: holdingOf(high), low: holdingOf(low) },
      ]),
    ),
  };
}

function holdingOf([assets, shares]: [string, string]): Holding {
  return { assets: BigInt(assets), shares: BigInt(shares) };
}
