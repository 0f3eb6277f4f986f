// The SQL behind the vault records: what has changed, and all that a record is made of, in one statement each.
import { sql } from "kysely";
import type { Address } from "viem";
import { executeNamed } from "../../platform/db/db.ts";
import type { SqlReads } from "../../platform/db/replica.ts";
import type { ControllerRow } from "./controllers.ts";

/** A text that differs whenever anything may have changed that the vault's record is made of. */
export interface VaultStamp {
  address: Address;
  stamp: string;
}

/** All that a vault's record is made of, names as in the tables. Times in API form, `*_at_seconds` in Unix seconds. */
export interface VaultRow {
  chain_id: number;
  address: Address;
  family: string;
  strategy_address: Address | null;
  escrow_address: Address | null;
  asset_address: Address;
  name: string | null;
  symbol: string | null;
  share_decimals: number;
  asset_decimals: number;
  created_at: string | null;
  asset_symbol: string | null;
  price_usd_e18: bigint | null;
  price_unavailable_reason: string | null;
  /** null without any reading; then all of the reading's columns are. */
  block_number: number | null;
  block_hash: string | null;
  block_timestamp: string | null;
  is_confirmed: boolean | null;
  pps: bigint | null;
  pps_decimals: number | null;
  total_assets: bigint | null;
  total_supply: bigint | null;
  escrowed_assets: bigint | null;
  free_assets: bigint | null;
  is_paused: boolean | null;
  last_pps_update: string | null;
  last_pps_update_seconds: number | null;
  pps_expiration_seconds: number | null;
  max_staleness_seconds: number | null;
  min_update_interval_seconds: number | null;
  is_pps_stale_flag: boolean | null;
  pps_flagged_at_seconds: number | null;
  hwm_pps: bigint | null;
  performance_fee_bps: bigint | null;
  management_fee_bps: bigint | null;
  fee_recipient: Address | null;
  primary_manager: Address | null;
  secondary_managers: Address[] | null;
  has_upkeep: boolean | null;
  upkeep_balance: bigint | null;
  upkeep_required: bigint | null;
  upkeep_token: Address | null;
  merkle: MerkleState | null;
  yield_sources: { address: Address; oracle: Address; allocation_assets: string | null }[] | null;
  pending_changes: PendingChangeState[] | null;
  contract_roles: { role: string; account: Address }[] | null;
  /** By role:account the time of the last event that gave the role. */
  roles_since: Record<string, string>;
  implementation: Address | null;
  allocations: AllocationState[] | null;
  liquidity: {
    idle_assets: string;
    withdrawable_assets: string | null;
    is_exit_immediate: boolean;
  } | null;
  lost_assets: bigint | null;
  fee_rates: {
    performance_fee_e18: string | null;
    performance_fee_recipient: Address | null;
    management_fee_e18: string | null;
    management_fee_recipient: Address | null;
  } | null;
  nav: {
    proposed_total_assets: string | null;
    proposed_at: string | null;
    valid_until: string | null;
    /** Not in rows of before it was told. */
    owed_assets?: string | null;
  } | null;
  /** By field of the reading the time of the value that stands in for what could not be read. */
  unread: Record<string, string> | null;
  /** Whoever holds a role, and whoever else is a contract that stands behind one. */
  controllers: ControllerRow[];
  /** Open intervals, oldest first. */
  intervals: IntervalState[];
  pending_redeems_count: number | null;
  pending_redeems_shares: bigint | null;
  reports: Reports;
  /** Open, critical and warning, the worst and then the oldest first. */
  open_alerts: OpenAlert[];
  /** Newest point with, and first point of, the present history; and the last at or before each window's start. */
  last_point: PointState | null;
  first_point: PointState | null;
  points_before: { "1d": PointState | null; "7d": PointState | null; "30d": PointState | null };
}

export interface MerkleState {
  root: string;
  proposed_root: string | null;
  effective_at: string | null;
  is_vetoed: boolean;
  /** Not in readings of release 0.1. */
  is_global_root_vetoed?: boolean | null;
}

export interface PendingChangeState {
  kind: string;
  current: unknown;
  proposed: unknown;
  proposer: Address | null;
  effective_at: string | null;
  /** From here on: of calls that wait in a timelock. */
  id?: string;
  target?: Address | null;
  function?: string | null;
  arguments?: Record<string, unknown> | null;
  calldata?: string | null;
  submitted_at?: string | null;
  submitted_by?: Address | null;
  executable_at?: string | null;
  earliest_effect_at?: string | null;
  is_blocked?: boolean;
  revocable_by?: Address[];
}

interface AllocationState {
  id: string;
  kind: string;
  address: Address | null;
  label: string | null;
  assets: string | null;
  absolute_cap: string | null;
  is_absolute_capped: boolean;
  relative_cap_e18: string | null;
  is_relative_capped: boolean;
}

export interface IntervalState {
  kind: "pause" | "yield_source" | "pending_change";
  subject: string;
  data: Record<string, unknown>;
  since: string | null;
}

export interface OpenAlert {
  id: string;
  category: string;
  severity: "critical" | "warning";
  title: string;
  started_at: string;
  quiet_since: string | null;
}

export interface Reports {
  pps?: { value: string; at: string };
  emergency_exit?: { is_armed: boolean; since: string | null; by: Address | null };
}

/** `pps` null: the vault has no supply at that point. */
export interface PointState {
  pps: string | null;
  /** The same × 10^18, with as many digits as are known. */
  pps_e18: string | null;
  at_seconds: number;
}

/** Ids of the followed chains. */
export async function loadChains(db: SqlReads): Promise<number[]> {
  const chains = sql<{ chain_id: number }>`select chain_id from chains order by chain_id`;
  const { rows } = await executeNamed(db.kysely, "vaults_chains", chains);
  return rows.map((row) => row.chain_id);
}

type StampRow = { head_seconds: number | null } & (VaultStamp | { address: null });

/**
 * The chain's head (Unix seconds) and the stamp of each of its vaults.
 * @param now RFC 3339; prices that must be checked again by then do not count
 */
export async function loadStamps(
  db: SqlReads,
  chainId: number,
  now: string,
): Promise<{ headSeconds: number | null; stamps: VaultStamp[] }> {
  const { rows } = await executeNamed(db.kysely, "vaults_stamps", stampsOf(chainId, now));
  return {
    headSeconds: rows[0]?.head_seconds ?? null,
    stamps: rows.filter((row) => row.address !== null),
  };
}

export async function loadVaults(
  db: SqlReads,
  chainId: number,
  addresses: readonly string[],
  now: string,
): Promise<VaultRow[]> {
  if (addresses.length === 0) return [];
  const { rows } = await executeNamed(db.kysely, "vaults_rows", rowsOf(chainId, addresses, now));
  return rows;
}

/**
 * Removes states that a newer confirmed one has replaced for more than a day; the number removed. What a reorganisation might yet
 * bring back stays.
 */
export async function pruneStates(db: SqlReads): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from vault_states s using blocks b, chains c
    where b.chain_id = s.chain_id and b.number = s.block_number and c.chain_id = s.chain_id
      and b.block_timestamp < c.head_timestamp - interval '1 day'
      and exists (
        select from vault_states newer
        where newer.chain_id = s.chain_id and newer.vault_address = s.vault_address
          and newer.block_number > s.block_number and newer.block_number <= c.confirmed_number)`.execute(
    db.kysely,
  );
  return Number(numAffectedRows);
}

// Read from the alerts' table, which their feature alone writes. 'critical' sorts before 'warning'.
const NEEDS_ATTENTION = sql`a.chain_id = v.chain_id and a.vault_address = v.address and a.resolved_at is null
      and a.severity in ('critical', 'warning')`;

// What a vault's rows can change with: its newest fact and reading (by block hash, which stands for all blocks below it), their
// confirmation, the token's metadata and price, reports, open alerts.
const stampsOf = (chainId: number, now: string) => sql<StampRow>`
  select extract(epoch from c.head_timestamp)::bigint as head_seconds, v.address, row(
    f.hash, s.hash, s.is_confirmed, t.updated_at, p.price_usd_e18, p.unavailable_reason, p.source, p.valid_until <= ${now},
    (select row(k.block_number, k.xmin) from vault_controllers k
      where k.chain_id = v.chain_id and k.vault_address = v.address order by k.block_number desc limit 1),
    (select array_agg(r.data order by r.kind) from vault_reports r where r.chain_id = v.chain_id and r.vault_address = v.address),
    (select array_agg(row(a.id, a.severity, a.title, a.quiet_since) order by a.id) from alerts a where ${NEEDS_ATTENTION})
  )::text as stamp
  from chains c
  left join vaults v on v.chain_id = c.chain_id
  left join tokens t on t.chain_id = v.chain_id and t.address = v.asset_address
  left join token_prices p on p.chain_id = v.chain_id and p.address = v.asset_address
  left join lateral (
    select b.hash from facts f join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
    where f.chain_id = v.chain_id and f.vault_address = v.address
    order by f.block_number desc limit 1
  ) f on true
  left join lateral (
    select b.hash, s.block_number <= c.confirmed_number as is_confirmed
    from vault_states s join blocks b on b.chain_id = s.chain_id and b.number = s.block_number
    where s.chain_id = v.chain_id and s.vault_address = v.address
    order by s.block_number desc limit 1
  ) s on true
  where c.chain_id = ${chainId}
  order by v.address`;

// A history begins after the last point without a price. Order within a chain is by block and log; block times never step
// back, so the index by time serves both.
const HISTORY = sql`from pps_points p where p.chain_id = v.chain_id and p.vault_address = v.address
    and (p.block_timestamp, p.block_number, p.log_index) >
      (coalesce(brk.block_timestamp, '-infinity'), coalesce(brk.block_number, -1), coalesce(brk.log_index, -1))`;
const NEWEST_FIRST = sql`order by p.block_timestamp desc, p.block_number desc, p.log_index desc limit 1`;
const OLDEST_FIRST = sql`order by p.block_timestamp, p.block_number, p.log_index limit 1`;
const POINT = sql`jsonb_build_object('pps', p.pps::text, 'pps_e18', coalesce(p.pps_e18, p.pps * 1e18::numeric)::text,
      'at_seconds', extract(epoch from p.block_timestamp)::bigint)`;
const before = (interval: string) =>
  sql`(select ${POINT} ${HISTORY} and p.block_timestamp <= last.block_timestamp - interval ${sql.lit(interval)} ${NEWEST_FIRST})`;

// Events that gave a role: of governance, which say role and account themselves, and of those who manage. Conditions are as in the partial indexes.
const ROLES_GIVEN = sql`
      select g.key, max(b.block_timestamp) as since
      from (
        select f.block_number, role || ':' || (e ->> 'account') as key
        from facts f cross join lateral jsonb_array_elements(f.data -> 'effects') e
        cross join lateral regexp_split_to_table(case e ->> 'action' when 'owner_change_propose' then 'pending_' else '' end || (e ->> 'role'), ', ') role
        where f.chain_id = v.chain_id and f.vault_address = v.address and f.kind = 'governance'
          and f.data @? '$.effects[*].role' and e ->> 'action' <> 'role_revoke'
          and (e ->> 'action' not like '%_propose' or e ->> 'action' = 'owner_change_propose')
        union all
        select f.block_number, m.role || ':' || m.account
        from facts f cross join lateral (
          select 'primary_manager', f.data ->> 'primaryManager' where f.kind = 'vault_deployed'
          union all select 'secondary_manager', jsonb_array_elements_text(f.data -> 'secondaryManagers') where f.kind = 'vault_deployed'
          union all select 'primary_manager', f.data ->> 'newManager' where f.kind = 'primary_manager_changed'
          union all select 'secondary_manager', f.data ->> 'manager' where f.kind = 'secondary_manager_added'
          union all select 'owner', f.data ->> 'newOwner' where f.kind = 'ownership_transferred'
        ) m (role, account)
        where f.chain_id = v.chain_id and f.vault_address = v.address and f.kind in (
          'vault_deployed', 'primary_manager_changed', 'secondary_manager_added', 'ownership_transferred')
      ) g
      join blocks b on b.chain_id = v.chain_id and b.number = g.block_number
      where g.key is not null
      group by g.key`;

const rowsOf = (chainId: number, addresses: readonly string[], now: string) => sql<VaultRow>`
  select v.chain_id, v.address, v.family, v.strategy_address, v.escrow_address, v.asset_address, v.name, v.symbol,
    v.share_decimals, v.asset_decimals, v.created_at,
    coalesce(t.symbol, v.asset_symbol) as asset_symbol,
    case when price.valid_until <= ${now} then null else price.price_usd_e18 end as price_usd_e18,
    case when price.checked_at is null then 'not_priced_yet'
         when price.unavailable_reason is not null then price.unavailable_reason
         when price.valid_until <= ${now} then 'price_outdated' end as price_unavailable_reason,
    b.number as block_number, b.hash as block_hash, b.block_timestamp, b.number <= c.confirmed_number as is_confirmed,
    s.pps, s.pps_decimals, s.total_assets, s.total_supply, s.escrowed_assets, s.free_assets, s.is_paused, s.last_pps_update,
    extract(epoch from s.last_pps_update)::bigint as last_pps_update_seconds, s.pps_expiration_seconds,
    s.max_staleness_seconds, s.min_update_interval_seconds, s.is_pps_stale_flag,
    case when s.is_pps_stale_flag then
      extract(epoch from coalesce(pps_flagged_at(v.chain_id, v.address), b.block_timestamp))::bigint end as pps_flagged_at_seconds, s.hwm_pps, s.performance_fee_bps,
    s.management_fee_bps, s.fee_recipient, s.primary_manager, s.secondary_managers, s.has_upkeep, s.upkeep_balance,
    s.upkeep_required, s.upkeep_token, s.merkle, s.yield_sources, s.pending_changes, s.contract_roles, s.implementation,
    s.allocations, s.liquidity, s.lost_assets, s.fee_rates, s.nav, s.unread,
    case when s.contract_roles = '[]' then '{}' else coalesce((
      select jsonb_object_agg(given.key, to_char(given.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
      from (${ROLES_GIVEN}) given
    ), '{}') end as roles_since,
    coalesce((
      select jsonb_agg(jsonb_build_object('kind', i.kind, 'subject', i.subject, 'data', i.data, 'since',
        to_char(i.since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')) order by i.from_block, i.from_log_index)
      from vault_intervals i
      where i.chain_id = v.chain_id and i.vault_address = v.address and i.to_block is null
    ), '[]') as intervals,
    coalesce((
      select jsonb_agg(l.value || jsonb_build_object('state', a.state) order by l.nth)
      from (select links from vault_controllers k where k.chain_id = v.chain_id and k.vault_address = v.address
            order by k.block_number desc limit 1) k
      cross join jsonb_array_elements(k.links) with ordinality as l (value, nth)
      left join lateral (
        select a.state from controller_states a where a.chain_id = v.chain_id and a.address = l.value ->> 'address'
        order by a.block_number desc limit 1
      ) a on true
    ), '[]') as controllers,
    q.vault_pending_count as pending_redeems_count, q.vault_pending_shares as pending_redeems_shares,
    coalesce((
      select jsonb_object_agg(r.kind, r.data) from vault_reports r
      where r.chain_id = v.chain_id and r.vault_address = v.address
    ), '{}') as reports,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', a.id, 'category', a.category, 'severity', a.severity, 'title', a.title,
        'started_at', to_char(a.started_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'quiet_since', to_char(a.quiet_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
        order by a.severity, a.started_at, a.id)
      from alerts a where ${NEEDS_ATTENTION}
    ), '[]') as open_alerts,
    last.point as last_point,
    (select ${POINT} ${HISTORY} ${OLDEST_FIRST}) as first_point,
    jsonb_build_object('1d', ${before("1 day")}, '7d', ${before("7 days")}, '30d', ${before("30 days")}) as points_before
  from vaults v
  join chains c on c.chain_id = v.chain_id
  left join tokens t on t.chain_id = v.chain_id and t.address = v.asset_address
  left join token_prices price on price.chain_id = v.chain_id and price.address = v.asset_address
  left join lateral (
    select * from vault_states s where s.chain_id = v.chain_id and s.vault_address = v.address
    order by s.block_number desc limit 1
  ) s on true
  left join blocks b on b.chain_id = s.chain_id and b.number = coalesce(s.as_of_block, s.block_number)
  left join lateral (
    select f.vault_pending_count, f.vault_pending_shares from redeem_flows f
    where f.chain_id = v.chain_id and f.vault_address = v.address
    order by f.block_number desc, f.log_index desc limit 1
  ) q on true
  left join lateral (
    select ${POINT} as point, p.block_timestamp from pps_points p
    where p.chain_id = v.chain_id and p.vault_address = v.address ${NEWEST_FIRST}
  ) last on true
  left join lateral (
    select p.block_timestamp, p.block_number, p.log_index from pps_points p
    where p.chain_id = v.chain_id and p.vault_address = v.address and p.pps is null ${NEWEST_FIRST}
  ) brk on true
  where v.chain_id = ${chainId} and v.address = any(${addresses})`;
