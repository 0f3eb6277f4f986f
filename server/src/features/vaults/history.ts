// The SQL of a vault's price history: single points, or the last point of each hour or day.
//
// Buckets are looked up one by one through the index by time, from the first bucket asked for to the last, and only as many as a page
// holds. A bucket without a point is left out; nothing is interpolated.
import { type RawBuilder, sql } from "kysely";
import { executeNamed } from "../../platform/db/db.ts";
import type { SqlReads } from "../../platform/db/replica.ts";

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
  db: SqlReads,
  what: "pps" | "apy",
  query: HistoryQuery,
): Promise<HistoryPoint[]> {
  const isRaw = query.interval === "raw";
  const page = isRaw ? pointsOf(query) : bucketsOf(query);
  const { columns, joins } = DETAILS[what](query);
  const { rows } = await executeNamed(
    db.kysely,
    `vaults_history_${what}_${isRaw ? "raw" : "bucket"}`,
    sql<HistoryPoint>`
      with page as (${page}) select page.*, v.asset_decimals,
        extract(epoch from page.block_timestamp)::bigint as at_seconds, ${columns}
      from page join vaults v on v.chain_id = ${query.chainId} and v.address = ${query.vaultAddress} ${joins}
      order by page.block_timestamp, page.block_number, page.log_index`,
  );
  return rows;
}

const COLUMNS = sql`p.block_timestamp, p.block_number, p.log_index, p.pps, coalesce(p.pps_e18, p.pps * 1e18::numeric) as pps_e18,
    p.total_assets`;
const NEWEST_FIRST = sql`order by p.block_timestamp desc, p.block_number desc, p.log_index desc limit 1`;
const ofVault = ({ chainId, vaultAddress }: HistoryQuery) =>
  sql`p.chain_id = ${chainId} and p.vault_address = ${vaultAddress}`;
const inPeriod = ({ from, to }: HistoryQuery) =>
  sql`(${from}::timestamptz is null or p.block_timestamp >= ${from}) and (${to}::timestamptz is null or p.block_timestamp < ${to})`;

function pointsOf(query: HistoryQuery): RawBuilder<unknown> {
  const { timestamp = null, blockNumber = null, logIndex = null } = query.after ?? {};
  return sql`
  select ${COLUMNS} from pps_points p
  where ${ofVault(query)} and ${inPeriod(query)}
    and (${timestamp}::timestamptz is null
      or (p.block_timestamp, p.block_number, p.log_index) > (${timestamp}::timestamptz, ${blockNumber}::bigint, ${logIndex}::integer))
  order by p.block_timestamp, p.block_number, p.log_index limit ${query.limit + 1}`;
}

// The buckets are sorted before they are looked up, so that the limit ends the walk early. A cursor stands in the bucket before.
function bucketsOf(query: HistoryQuery): RawBuilder<unknown> {
  const { interval, from, to, after, limit } = query;
  const width = sql`('1 ' || ${interval}::text)::interval`;
  return sql`
  select p.* from (
    select min(p.block_timestamp) as first, max(p.block_timestamp) as last from pps_points p where ${ofVault(query)}
  ) span
  cross join lateral (
    select bucket from generate_series(
      date_trunc(${interval}::text, greatest(span.first, ${from}::timestamptz, ${after?.timestamp ?? null}::timestamptz + ${width})),
      least(span.last, ${to}::timestamptz), ${width}
    ) as bucket order by bucket
  ) b
  cross join lateral (
    select ${COLUMNS} from pps_points p
    where ${ofVault(query)} and p.block_timestamp >= b.bucket and p.block_timestamp < b.bucket + ${width}
      and ${inPeriod(query)} ${NEWEST_FIRST}
  ) p
  order by b.bucket limit ${limit + 1}`;
}

const DETAILS = {
  pps: ({ chainId }: HistoryQuery) => ({
    // A fixed price has no time: it is that of every point.
    columns: sql`coalesce(price.price_usd_e18, fixed.price_usd_e18) as price_usd_e18`,
    joins: sql`left join lateral (
      select q.price_usd_e18, q.stands_until from price_points q
      where q.chain_id = ${chainId} and q.address = v.asset_address
        and q.priced_at <= page.block_timestamp
      order by q.priced_at desc limit 1
    ) price on price.stands_until > page.block_timestamp
    left join token_prices fixed on fixed.chain_id = ${chainId} and fixed.address = v.asset_address and fixed.source = 'static'`,
  }),
  apy: (query: HistoryQuery) => ({
    columns: sql`base.pps_e18 as base_pps_e18, extract(epoch from base.block_timestamp)::bigint as base_at_seconds`,
    joins: sql`left join lateral (
      select p.block_timestamp, p.block_number, p.log_index from pps_points p
      where ${ofVault(query)} and p.pps is null and (p.block_timestamp, p.block_number, p.log_index)
        <= (page.block_timestamp, page.block_number, page.log_index) ${NEWEST_FIRST}
    ) brk on true
    left join lateral (
      select coalesce(p.pps_e18, p.pps * 1e18::numeric) as pps_e18, p.block_timestamp from pps_points p
      where ${ofVault(query)} and p.block_timestamp <= page.block_timestamp - interval '7 days'
        and (p.block_timestamp, p.block_number, p.log_index) >
          (coalesce(brk.block_timestamp, '-infinity'), coalesce(brk.block_number, -1), coalesce(brk.log_index, -1))
      ${NEWEST_FIRST}
    ) base on true`,
  }),
} as const;
