// The newest confirmed reading of every vault of a chain, with the highest and the lowest price within each window that a rule asks for:
// one statement, which walks an index that holds the prices themselves.
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

export interface VaultReading extends NamedVault {
  /** No confirmed reading, or the past is being filled in. */
  isKnown: boolean;
  asset: Unit;
  /** null where it could not be read, as below. */
  totalAssets: bigint | null;
  liquidity: { idle: bigint; withdrawable: bigint | null; isExitImmediate: boolean } | null;
  isLiquidityUnread: boolean;
  /** What a settlement owes; null where none waits. */
  owedAssets: bigint | null;
  isNavUnread: boolean;
  price: { pps: bigint; block: BlockRef } | null;
  /** By the seconds of the window. */
  extremes: Readonly<Record<string, { high: bigint; low: bigint }>>;
}

export interface Rules {
  price: { window_seconds: number };
}

export const vaultReadings = chainSource<VaultReading, Rules>(loadVaultReadings);

interface Row extends RefRow {
  is_known: boolean;
  asset_decimals: number | null;
  asset_symbol: string | null;
  total_assets: bigint | null;
  liquidity: { idle_assets: string; withdrawable_assets: string | null; is_exit_immediate: boolean } | null;
  nav: { owed_assets: string | null } | null;
  unread: Record<string, unknown> | null;
  pps: bigint | null;
  block_number: number | null;
  block_hash: BlockRef["hash"] | null;
  extremes: { seconds: number; high: string; low: string }[] | null;
}

async function loadVaultReadings(
  tx: Tx,
  { chainId, book, nowMs }: Asked<Rules> & { chainId: number },
): Promise<VaultReading[]> {
  const windows = book.distinct(({ price }) => price.window_seconds);
  const { rows } = await sql<Row>`
    with watch as materialized (select max(since) as since from alert_watches where category = 'price')
    select ${REF}, coalesce(k.block_number is not null and s.next_block is null, false) as is_known, v.asset_decimals, v.asset_symbol,
      k.total_assets, k.liquidity, k.nav, k.unread, p.pps, p.block_number,
      (select b.hash from blocks b where b.chain_id = v.chain_id and b.number = p.block_number) as block_hash, e.extremes
    from chains c
    join vaults v on v.chain_id = c.chain_id
    cross join watch
    left join sources s on s.chain_id = v.chain_id and s.family = v.family and s.address = v.source_address
    left join lateral (
      select r.block_number, r.total_assets, r.liquidity, r.nav, r.unread from vault_states r
      where r.chain_id = v.chain_id and r.vault_address = v.address and r.block_number <= c.confirmed_number
      order by r.block_number desc limit 1
    ) k on true
    left join lateral (
      select q.pps, q.block_number, q.block_timestamp from pps_points q
      where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_number <= c.confirmed_number
      order by q.block_timestamp desc, q.block_number desc, q.log_index desc limit 1
    ) p on true
    left join lateral (
      select jsonb_agg(jsonb_build_object('seconds', w.seconds, 'high', x.high::text, 'low', x.low::text)) as extremes
      from unnest(${windows}::bigint[]) w (seconds)
      cross join lateral (
        select greatest(${timestampOfMs(nowMs)}::timestamptz - make_interval(secs => w.seconds), watch.since, s.configured_at) as begins
      ) t
      cross join lateral (
        -- The newest time without a price, at which whatever was before ends.
        select max(q.block_timestamp) as at from pps_points q
        where q.chain_id = v.chain_id and q.vault_address = v.address and q.pps is null
      ) gone
      cross join lateral (
        select max(y.pps) as high, min(y.pps) as low from (
          select q.pps from pps_points q
          where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_timestamp >= t.begins
            and q.block_number <= c.confirmed_number and (gone.at is null or q.block_timestamp > gone.at)
          union all
          (select q.pps from pps_points q
           where q.chain_id = v.chain_id and q.vault_address = v.address and q.block_timestamp < t.begins
             and q.block_number <= c.confirmed_number and (gone.at is null or q.block_timestamp > gone.at)
           order by q.block_timestamp desc, q.block_number desc, q.log_index desc limit 1)
        ) y
      ) x
      where p.pps is not null and x.high is not null
    ) e on true
    where c.chain_id = ${chainId}`.execute(tx);
  return rows.map(readingOf);
}

function readingOf(row: Row): VaultReading {
  const unread = row.unread ?? {};
  return {
    ...refOf(row),
    isKnown: row.is_known,
    asset: { decimals: row.asset_decimals, symbol: row.asset_symbol },
    totalAssets: "total_assets" in unread ? null : row.total_assets,
    liquidity: row.liquidity && {
      idle: BigInt(row.liquidity.idle_assets),
      withdrawable:
        row.liquidity.withdrawable_assets === null ? null : BigInt(row.liquidity.withdrawable_assets),
      isExitImmediate: row.liquidity.is_exit_immediate,
    },
    isLiquidityUnread: "liquidity" in unread,
    owedAssets: row.nav?.owed_assets == null ? null : BigInt(row.nav.owed_assets),
    isNavUnread: "nav" in unread,
    price:
      row.pps === null || row.block_number === null || row.block_hash === null
        ? null
        : { pps: row.pps, block: { number: row.block_number, hash: row.block_hash } },
    extremes: Object.fromEntries(
      (row.extremes ?? []).map(({ seconds, high, low }) => [
        String(seconds),
        { high: BigInt(high), low: BigInt(low) },
      ]),
    ),
  };
}
