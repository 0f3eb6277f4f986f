// The SQL of a vault's price history: single points, or the last point of each hour or day.
//
// Buckets are looked up one by one through the index by time, from the first bucket asked for to the last, and only as many as a page
// holds. A bucket without a point is left out; nothing is interpolated.
import type { Reads } from "../../platform/db/replica.ts";

export type Interval = "raw" | "hour" | "day";

/** A place in a vault's history: a point. Bound into an opaque cursor. */
export interface Place {
  timestamp: string;
  blockNumber: number;
  logIndex: number;
}

export interface HistoryQuery {
  chainId: number;
  vaultAddress: string;
  interval: Interval;
  /** RFC 3339, inclusive and exclusive. */
  from: string | null;
  to: string | null;
  after: Place | null;
  limit: number;
}

export interface HistoryPoint {
  block_timestamp: string;
  at_seconds: number;
  block_number: number;
  log_index: number;
  pps: bigint | null;
  /** The same × 10^18, with as many digits as are known. */
  pps_e18: bigint | null;
  total_assets: bigint | null;
  /** Of the asset at that time; null where none was known. */
  price_usd_e18: bigint | null;
  asset_decimals: number;
  /** The last price at least 7 days older, in the same history. */
  base_pps_e18: bigint | null;
  base_at_seconds: number | null;
}

/** One row more than `limit` when there are more. With `what` "apy" each point comes with its base, else with its price. */
export async function loadHistory(
  db: Reads,
  what: "pps" | "apy",
  query: HistoryQuery,
): Promise<HistoryPoint[]> {
  const { chainId, vaultAddress, from, to, after, interval, limit } = query;
  const bounds = [chainId, vaultAddress, from, to, after?.timestamp ?? null];
  const isRaw = interval === "raw";
  const { rows } = await db.pool.query<HistoryPoint>({
    name: `vaults_history_${what}_${isRaw ? "raw" : "bucket"}`,
    text: `with page as (${isRaw ? RAW : BUCKETS}) select page.*, v.asset_decimals,
      extract(epoch from page.block_timestamp)::bigint as at_seconds, ${DETAILS[what].columns}
      from page join vaults v on v.chain_id = $1 and v.address = $2 ${DETAILS[what].joins}
      order by page.block_timestamp, page.block_number, page.log_index`,
    values: isRaw
      ? [...bounds, after?.blockNumber ?? null, after?.logIndex ?? null, limit + 1]
      : [...bounds, interval, limit + 1],
  });
  return rows;
}

const COLUMNS =
  "p.block_timestamp, p.block_number, p.log_index, p.pps, coalesce(p.pps_e18, p.pps * 1e18::numeric) as pps_e18, p.total_assets";
const OF_VAULT = "p.chain_id = $1 and p.vault_address = $2";
const NEWEST_FIRST = "order by p.block_timestamp desc, p.block_number desc, p.log_index desc limit 1";
const IN_PERIOD =
  "($3::timestamptz is null or p.block_timestamp >= $3) and ($4::timestamptz is null or p.block_timestamp < $4)";

const RAW = `
  select ${COLUMNS} from pps_points p
  where ${OF_VAULT} and ${IN_PERIOD}
    and ($5::timestamptz is null or (p.block_timestamp, p.block_number, p.log_index) > ($5, $6::bigint, $7::integer))
  order by p.block_timestamp, p.block_number, p.log_index limit $8`;

// The buckets are sorted before they are looked up, so that the limit ends the walk early. A cursor stands in the bucket before.
const BUCKETS = `
  select p.* from (
    select min(p.block_timestamp) as first, max(p.block_timestamp) as last from pps_points p where ${OF_VAULT}
  ) span
  cross join lateral (
    select bucket from generate_series(
      date_trunc($6, greatest(span.first, $3::timestamptz, $5::timestamptz + ('1 ' || $6)::interval)),
      least(span.last, $4::timestamptz), ('1 ' || $6)::interval
    ) as bucket order by bucket
  ) b
  cross join lateral (
    select ${COLUMNS} from pps_points p
    where ${OF_VAULT} and p.block_timestamp >= b.bucket and p.block_timestamp < b.bucket + ('1 ' || $6)::interval
      and ${IN_PERIOD} ${NEWEST_FIRST}
  ) p
  order by b.bucket limit $7`;

const DETAILS = {
  pps: {
    // A fixed price has no time: it is that of every point.
    columns: "coalesce(price.price_usd_e18, fixed.price_usd_e18) as price_usd_e18",
    joins: `left join lateral (
      select q.price_usd_e18, q.stands_until from price_points q
      where q.chain_id = $1 and q.address = v.asset_address
        and q.priced_at <= page.block_timestamp
      order by q.priced_at desc limit 1
    ) price on price.stands_until > page.block_timestamp
    left join token_prices fixed on fixed.chain_id = $1 and fixed.address = v.asset_address and fixed.source = 'static'`,
  },
  apy: {
    columns:
      "base.pps_e18 as base_pps_e18, extract(epoch from base.block_timestamp)::bigint as base_at_seconds",
    joins: `left join lateral (
      select p.block_timestamp, p.block_number, p.log_index from pps_points p
      where ${OF_VAULT} and p.pps is null and (p.block_timestamp, p.block_number, p.log_index)
        <= (page.block_timestamp, page.block_number, page.log_index) ${NEWEST_FIRST}
    ) brk on true
    left join lateral (
      select coalesce(p.pps_e18, p.pps * 1e18::numeric) as pps_e18, p.block_timestamp from pps_points p
      where ${OF_VAULT} and p.block_timestamp <= page.block_timestamp - interval '7 days'
        and (p.block_timestamp, p.block_number, p.log_index) >
          (coalesce(brk.block_timestamp, '-infinity'), coalesce(brk.block_number, -1), coalesce(brk.log_index, -1))
      ${NEWEST_FIRST}
    ) base on true`,
  },
} as const;
