// What is stored of a vault over a time, for those who judge it again: its prices, its flows, the changes of its governance, and which of
// those waited when. Confirmed blocks alone.
import { sql } from "kysely";
import type { Address } from "viem";
import type { Tx } from "../../platform/db/db.ts";
import type { BlockRef } from "../base/finding.ts";
import type { NamedVault } from "../base/monitor.ts";
import { REF, type RefRow, refOf } from "../base/named-vault.ts";
import type { Unit } from "../base/wording.ts";
import {
  factOf,
  GOVERNANCE_KINDS,
  type RecentFact,
  type StoredFactRow,
  type WaitingCall,
} from "./recent-facts.ts";
import { type Flow, flowsBetween } from "./recent-flows.ts";

export interface VaultHistory {
  vault: NamedVault;
  asset: Unit;
  shareDecimals: number;
  /** In the order of time, the one that stood at the beginning first. */
  points: readonly PricePoint[];
  facts: readonly RecentFact[];
  waiting: readonly { atMs: number; calls: readonly WaitingCall[] }[];
  flows: readonly Flow[];
}

export interface PricePoint {
  atMs: number;
  block: BlockRef;
  pps: bigint | null;
  totalAssets: bigint | null;
  totalSupply: bigint | null;
}

export interface HistoryRange {
  chainId: number;
  address: Address;
  /** In the API's form; both inclusive. */
  from: string;
  to: string;
  /** No flow below it is needed. */
  leastUsd: number;
}

/** Null where there is no such vault. */
export async function loadHistory(tx: Tx, range: HistoryRange): Promise<VaultHistory | null> {
  const { chainId, address, from, to } = range;
  const { rows: named } = await sql<
    RefRow & { asset_decimals: number | null; asset_symbol: string | null; share_decimals: number }
  >`
    select ${REF}, v.asset_decimals, v.asset_symbol, v.share_decimals
    from vaults v join chains c on c.chain_id = v.chain_id where v.chain_id = ${chainId} and v.address = ${address}`.execute(
    tx,
  );
  const row = named[0];
  if (row === undefined) return null;
  const [flows] = await flowsBetween(tx, { ...range, isWatchedOnly: false, vaults: [address] });
  return {
    vault: refOf(row),
    asset: { decimals: row.asset_decimals, symbol: row.asset_symbol },
    shareDecimals: row.share_decimals,
    points: await loadPoints(tx, range),
    facts: await loadFacts(tx, range),
    waiting: await loadWaiting(tx, { chainId, address, from, to }),
    flows: flows?.flows ?? [],
  };
}

type Range = Pick<HistoryRange, "chainId" | "address" | "from" | "to">;

async function loadPoints(tx: Tx, { chainId, address, from, to }: Range): Promise<PricePoint[]> {
  const { rows } = await sql<{
    at_ms: number;
    number: number;
    hash: BlockRef["hash"];
    pps: bigint | null;
    total_assets: bigint | null;
    total_supply: bigint | null;
  }>`
    select extract(epoch from p.block_timestamp)::float8 * 1000 as at_ms, p.block_number as number, b.hash, p.pps, p.total_assets, p.total_supply
    from chains c
    join pps_points p on p.chain_id = c.chain_id and p.vault_address = ${address} and p.block_number <= c.confirmed_number
    join blocks b on b.chain_id = p.chain_id and b.number = p.block_number
    where c.chain_id = ${chainId} and p.block_timestamp <= ${to} and p.block_timestamp >= coalesce((
      select max(q.block_timestamp) from pps_points q
      where q.chain_id = ${chainId} and q.vault_address = ${address} and q.block_timestamp < ${from}), '-infinity')
    order by p.block_timestamp, p.block_number, p.log_index`.execute(tx);
  return rows.map((row) => ({
    atMs: row.at_ms,
    block: { number: row.number, hash: row.hash },
    pps: row.pps,
    totalAssets: row.total_assets,
    totalSupply: row.total_supply,
  }));
}

async function loadFacts(tx: Tx, { chainId, address, from, to }: Range): Promise<RecentFact[]> {
  const { rows } = await sql<StoredFactRow>`
    select f.kind, f.block_number as number, b.hash, (extract(epoch from b.block_timestamp) * 1000)::float8 as at, f.tx_hash, f.log_index,
      f.actor_wallet as actor, f.data
    from chains c
    join vaults v on v.chain_id = c.chain_id and v.address = ${address}
    join facts f on f.chain_id = c.chain_id and f.block_number >= block_since(c.chain_id, ${from}::timestamptz)
      and f.block_number <= c.confirmed_number and f.kind in (${GOVERNANCE_KINDS})
      and (f.vault_address = v.address or f.vault_address is null
        and jsonb_path_exists(f.data, '$.effects[*].vaults[*] ? (@ == $address)', jsonb_build_object('address', v.address)))
      and f.block_number is distinct from v.created_block
    join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
    where c.chain_id = ${chainId} and b.block_timestamp <= ${to}
    order by f.block_number, f.log_index`.execute(tx);
  return rows.map(factOf);
}

/** Of each reading that shows others than the one before. */
async function loadWaiting(tx: Tx, { chainId, address, from, to }: Range): Promise<VaultHistory["waiting"]> {
  const { rows } = await sql<{ at_ms: number; calls: WaitingCall[] }>`
    select w.at_ms, w.calls from (
      select (extract(epoch from b.block_timestamp) * 1000)::float8 as at_ms, s.pending_changes as calls,
        lag(s.pending_changes) over (order by s.block_number) as before, row_number() over (order by s.block_number) as nth
      from chains c
      join vault_states s on s.chain_id = c.chain_id and s.vault_address = ${address} and s.block_number <= c.confirmed_number
      join blocks b on b.chain_id = s.chain_id and b.number = s.block_number
      where c.chain_id = ${chainId} and not s.unread ? 'pending_changes' and b.block_timestamp <= ${to}
        and s.block_number >= coalesce((
          select max(q.block_number) from vault_states q
          where q.chain_id = c.chain_id and q.vault_address = ${address} and q.block_number < block_since(c.chain_id, ${from}::timestamptz)), 0)
    ) w where w.nth = 1 or w.calls <> w.before order by w.at_ms`.execute(tx);
  return rows.map(({ at_ms: atMs, calls }) => ({ atMs, calls }));
}
