// The SQL behind executed redemptions and the queue of those that wait.
import { type RawBuilder, sql } from "kysely";
import type { Address } from "viem";
import { all, type Condition, vaultRows } from "../../platform/db/conditions.ts";
import { executeNamed } from "../../platform/db/db.ts";
import type { SqlReads } from "../../platform/db/replica.ts";
import type { Scope } from "../../reports/reads.ts";
import type { VaultRef } from "../../vault.ts";

/** An execution in the API's form. Where the chain knows the transaction its word stands before the report's. */
export interface Execution {
  id: string;
  execution_id: string | null;
  source: "reported" | "onchain" | "both";
  created_at: string;
  status: "pending" | "success" | "failed" | "skipped";
  tx_hash: string | null;
  chain_id: number;
  vault_address: Address;
  controllers_count: number;
  total_shares_fulfilled: string;
  total_assets_out: string | null;
  pps_at_fulfillment: string;
  /** Of the transaction; null for what was only reported. */
  block_number: number | null;
  is_confirmed: boolean | null;
}

/** Newest first, with the exact total for the filter, from one snapshot. */
export async function listExecutions(
  db: SqlReads,
  scope: Scope,
  filter: { status?: string | undefined },
  page: { limit: number; offset: number },
): Promise<{ executions: Execution[]; total: number }> {
  const conditions = [sql`(r.execution_id is not null or ${ONCHAIN})`];
  if (filter.status !== undefined)
    conditions.push(sql`case when ${ONCHAIN} then 'success' else r.status end = ${filter.status}`);
  const matching = all(conditions);
  const vaults = vaultsOf(scope);
  const order = sql`order by created_at desc, id desc`;
  const cut = sql`limit ${page.limit}::bigint offset ${page.offset}::bigint`;
  // Each vault gives its newest through its own index; where all are meant, their common order serves.
  const keys =
    vaults === null
      ? sql`select r.id from redemption_executions r where ${matching} ${order} ${cut}`
      : sql`select n.id from (${vaults}) v cross join lateral (
          select r.id, r.created_at from redemption_executions r
          where r.chain_id = v.chain_id and r.vault_address = v.vault_address and ${matching}
          ${order} limit ${page.limit}::bigint + ${page.offset}::bigint
        ) n ${order} ${cut}`;
  const within =
    vaults === null
      ? sql``
      : sql`join (${vaults}) v on v.chain_id = r.chain_id and v.vault_address = r.vault_address`;
  const { rows } = await sql<{ total: number } & (Execution | { id: null })>`
    with page as materialized (${keys})
    select t.total, e.* from (select count(*) as total from redemption_executions r ${within} where ${matching}) t
    left join (select ${EXECUTION} from page join redemption_executions r on r.id = page.id ${ITS_FULFILMENT}) e on true
    order by e.created_at desc, e.id desc`.execute(db.kysely);
  const executions = rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [row as Execution]));
  return { executions, total: rows[0]?.total ?? 0 };
}

/** A controller with redemptions under way, in the API's form. */
export interface QueuedRedeem {
  controller: Address;
  pending_shares: string;
  /** At the vault's newest price; null where that is not known. */
  pending_assets_estimate: string | null;
  requested_at: string | null;
  /** At the chain's head. */
  age_seconds: number | null;
  claimable_shares: string;
  claimable_assets: string;
}

export interface RedeemQueue {
  redeems: QueuedRedeem[];
  total: number;
  total_pending_shares: string;
  total_claimable_assets: string;
  /** The chain's head, which the ages refer to. */
  as_of: { block_number: number; block_timestamp: string } | null;
}

/** Those who wait, the longest first, then those who may claim. */
export async function readQueue(
  db: SqlReads,
  place: VaultRef,
  page: { limit: number; offset: number },
): Promise<RedeemQueue> {
  const { rows } = await executeNamed(db.kysely, "engine_redeem_queue", queueOf(place, page));
  const [first] = rows;
  return {
    redeems: rows.flatMap(({ controller, pending_shares, ...row }) =>
      controller === null
        ? []
        : [
            {
              controller,
              pending_shares,
              pending_assets_estimate: row.pending_assets_estimate,
              requested_at: row.requested_at,
              age_seconds: row.age_seconds,
              claimable_shares: row.claimable_shares,
              claimable_assets: row.claimable_assets,
            },
          ],
    ),
    total: first?.total ?? 0,
    total_pending_shares: first?.total_pending_shares ?? "0",
    total_claimable_assets: first?.total_claimable_assets ?? "0",
    as_of:
      first && first.head_number !== null
        ? { block_number: first.head_number, block_timestamp: first.head_timestamp }
        : null,
  };
}

type QueueRow = Omit<QueuedRedeem, "controller"> & {
  controller: Address | null;
  total: number;
  total_pending_shares: string;
  total_claimable_assets: string;
  head_number: number | null;
  head_timestamp: string;
};

/** A query for the vaults of the list; null where all are meant. */
function vaultsOf(scope: Scope): RawBuilder<unknown> | null {
  if (!scope.all) return vaultRows(scope.vaults);
  const conditions: Condition[] = [];
  if (scope.chainId !== null) conditions.push(sql`chain_id = ${scope.chainId}`);
  if (scope.vaultAddress !== null) conditions.push(sql`address = ${scope.vaultAddress}`);
  if (conditions.length === 0) return null;
  return sql`select chain_id, address as vault_address from vaults where ${all(conditions)}`;
}

const ONCHAIN = sql`exists (
  select from redemption_fulfilments f
  where f.chain_id = r.chain_id and f.vault_address = r.vault_address and f.tx_hash = r.tx_hash
)`;

const ITS_FULFILMENT = sql`
  join chains c on c.chain_id = r.chain_id
  left join redemption_fulfilments f on f.chain_id = r.chain_id and f.vault_address = r.vault_address and f.tx_hash = r.tx_hash`;

// In the order in which the API shows them. The chain's word that a fulfilment happened stands before any report.
const EXECUTION = sql`
  r.id, r.execution_id,
  case when f.tx_hash is null then 'reported' when r.execution_id is null then 'onchain' else 'both' end as source,
  r.created_at, case when f.tx_hash is null then r.status else 'success' end as status, r.tx_hash, r.chain_id, r.vault_address,
  coalesce(f.controllers_count, r.controllers_count) as controllers_count,
  coalesce(f.total_shares_fulfilled, r.total_shares_fulfilled)::text as total_shares_fulfilled,
  coalesce(f.total_assets_out, r.total_assets_out)::text as total_assets_out,
  coalesce(f.pps_at_fulfillment, r.pps_at_fulfillment)::text as pps_at_fulfillment,
  f.block_number, f.block_number <= c.confirmed_number as is_confirmed`;

// Controllers are walked through the index from one to the next, which costs one step for each, however long its history.
const queueOf = (
  { chainId, vaultAddress }: VaultRef,
  page: { limit: number; offset: number },
) => sql<QueueRow>`
  with recursive controllers as (
    (select controller from redeem_flows where chain_id = ${chainId} and vault_address = ${vaultAddress} order by controller limit 1)
    union all
    select (
      select f.controller from redeem_flows f
      where f.chain_id = ${chainId} and f.vault_address = ${vaultAddress} and f.controller > c.controller order by f.controller limit 1
    ) from controllers c where c.controller is not null
  ), head as (
    select head_number, head_timestamp from chains where chain_id = ${chainId}
  ), price as (
    select s.pps, s.pps_decimals, v.share_decimals, v.asset_decimals from vaults v
    left join lateral (
      select pps, pps_decimals from vault_states s where s.chain_id = v.chain_id and s.vault_address = v.address
      order by s.block_number desc limit 1
    ) s on true
    where v.chain_id = ${chainId} and v.address = ${vaultAddress}
  ), queue as (
    select c.controller, f.pending_shares, f.pending_since, coalesce(l.claimable_shares, 0) as claimable_shares,
      coalesce(l.claimable_assets, 0) as claimable_assets
    from controllers c
    cross join lateral (
      select pending_shares, pending_since from redeem_flows f
      where f.chain_id = ${chainId} and f.vault_address = ${vaultAddress} and f.controller = c.controller
      order by f.block_number desc, f.log_index desc limit 1
    ) f
    left join lateral (
      select claimable_shares, claimable_assets from redeem_claimables l
      where l.chain_id = ${chainId} and l.vault_address = ${vaultAddress} and l.controller = c.controller
      order by l.block_number desc, l.log_index desc limit 1
    ) l on true
    where f.pending_shares > 0 or l.claimable_assets > 0
  )
  select t.*, head.head_number, head.head_timestamp, q.controller, q.pending_shares::text as pending_shares,
    div(q.pending_shares * price.pps * trunc(10::numeric ^ price.asset_decimals),
      trunc(10::numeric ^ (price.share_decimals + price.pps_decimals)))::text as pending_assets_estimate,
    q.pending_since as requested_at,
    extract(epoch from head.head_timestamp - q.pending_since)::bigint as age_seconds,
    q.claimable_shares::text as claimable_shares, q.claimable_assets::text as claimable_assets
  from (
    select count(*) as total, coalesce(sum(pending_shares), 0)::text as total_pending_shares,
      coalesce(sum(claimable_assets), 0)::text as total_claimable_assets
    from queue
  ) t
  left join head on true left join price on true
  left join (
    select * from queue order by pending_since nulls last, controller limit ${page.limit} offset ${page.offset}
  ) q on true
  order by q.pending_since nulls last, q.controller`;
