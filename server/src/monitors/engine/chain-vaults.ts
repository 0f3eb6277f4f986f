// What the monitors of a chain judge, for all its vaults in one statement: those of which something may have to be said within HORIZON_MS.
import { sql } from "kysely";
import type { Address, Hash } from "viem";
import type { StalenessRule } from "../../judgements/staleness.ts";
import type { Tx } from "../../platform/db/db.ts";
import { timestampOfMs } from "../../platform/http/time.ts";
import type { BlockRef } from "../base/finding.ts";
import { type Asked, chainSource, HORIZON_MS, type NamedVault } from "../base/monitor.ts";
import type { Unit } from "../base/wording.ts";

/** A vault as its contracts answered, at the head and at the newest confirmed reading. */
export interface ChainVault extends NamedVault {
  /** No reading yet, or its past is being filled in: what is stored is not what is. */
  isKnown: boolean;
  /** Unix seconds of the chain's newest block. */
  headSeconds: number | null;
  /** null: nothing is missing. */
  upkeep: UpkeepState | "unknown" | null;
  /** null where no confirmed reading is known, or what it follows from could not be read. */
  staleness: { confirmed: StalenessRule; head: StalenessRule } | null;
  pause: PauseState | "unknown" | null;
  veto: { root: string; txHash: Hash | null } | "unknown" | null;
  /** Of the aggregator's root, which the vault falls back on; by confirmed readings too, and unknown where `veto` is. */
  isGlobalRootVetoed: boolean;
}

export interface UpkeepState extends Unit {
  /** In the order of their blocks: the newest confirmed one (`block` null), where there is one, then all since. */
  readings: readonly UpkeepReading[];
}

export interface UpkeepReading {
  balance: bigint;
  required: bigint;
  block: BlockRef | null;
}

/** Only of a vault that is paused. */
export interface PauseState {
  since: string | null;
  by: Address | null;
  txHash: Hash | null;
  block: BlockRef | null;
  isUnconfirmed: boolean;
}

/** The thresholds that bound which vaults are looked at. */
export interface Rules {
  upkeep: { reserve: string };
  pps_staleness: {
    warning_seconds: number;
    warning_fraction: number;
    critical_seconds: number;
    critical_fraction: number;
  };
}

export const chainVaults = chainSource<ChainVault, Rules>(loadChainVaults);

/** What the staleness of a price follows from, as `unread` names it. */
const STALENESS_FIELDS = ["last_pps_update", "pps_expiration_seconds", "is_pps_stale_flag"];

export const areaOfChain = (chainId: number) => `chain:${chainId}`;

interface Row {
  address: Address;
  name: string | null;
  chain_name: string;
  explorer_url: string | null;
  head_seconds: number | null;
  is_known: boolean;
  is_paused: boolean;
  is_pause_confirmed: boolean;
  pause_since: string | null;
  pause_by: Address | null;
  pause_tx_hash: Hash | null;
  pause_block: number | null;
  pause_block_hash: Hash | null;
  upkeep_readings: { balance: string; required: string; number: number | null; hash: Hash | null }[] | null;
  is_upkeep_unknown: boolean;
  token_decimals: number | null;
  token_symbol: string | null;
  has_confirmed: boolean;
  last_update: number | null;
  expiration_seconds: number | null;
  is_flagged: boolean | null;
  flagged_at: number | null;
  head_last_update: number | null;
  head_expiration_seconds: number | null;
  head_is_flagged: boolean | null;
  is_staleness_unread: boolean;
  is_pause_unread: boolean;
  is_merkle_unread: boolean;
  root: string | null;
  is_vetoed: boolean;
  veto_tx_hash: Hash | null;
  is_global_root_vetoed: boolean;
}

async function loadChainVaults(
  tx: Tx,
  { chainId, book, nowMs }: Asked<Rules> & { chainId: number },
): Promise<ChainVault[]> {
  const reserve = book.greatest((rules) => BigInt(rules.upkeep.reserve)).toString();
  const warnSeconds = book.greatest(({ pps_staleness: rule }) => rule.warning_seconds);
  const warnFraction = book.greatest(({ pps_staleness: rule }) => rule.warning_fraction);
  const critSeconds = book.greatest(({ pps_staleness: rule }) => rule.critical_seconds);
  const critFraction = book.greatest(({ pps_staleness: rule }) => rule.critical_fraction);
  const now = timestampOfMs(nowMs);
  const { rows } = await sql<Row>`
    with vault as (
      select v.chain_id, v.address, v.name, c.name as chain_name, c.explorer_url, c.confirmed_number,
        extract(epoch from c.head_timestamp)::float8 as head_seconds,
        extract(epoch from greatest(c.head_timestamp, ${now}::timestamptz))::float8 as now_seconds,
        h.block_number is not null and src.next_block is null as is_known,
        h.block_number, case when h.unread ? 'is_paused' then null else h.is_paused end as is_paused,
        h.unread as head_unread, k.unread as confirmed_unread, h.has_upkeep, h.upkeep_balance, h.upkeep_required, h.upkeep_token,
        h.last_pps_update as head_last_update, h.pps_expiration_seconds as head_expiration_seconds,
        h.is_pps_stale_flag as head_is_flagged,
        coalesce(h.block_number <= c.confirmed_number, false) as is_confirmed,
        k.block_number as confirmed_block, k.is_paused as confirmed_is_paused, k.last_pps_update, k.pps_expiration_seconds,
        k.is_pps_stale_flag, k.merkle, k.upkeep_balance as confirmed_balance, k.upkeep_required as confirmed_required,
        p.from_block, p.from_log_index, p.since, p.data
      from chains c
      join vaults v on v.chain_id = c.chain_id
      left join sources src on src.chain_id = v.chain_id and src.family = v.family and src.address = v.source_address
      left join lateral (
        select * from vault_states s where s.chain_id = v.chain_id and s.vault_address = v.address order by s.block_number desc limit 1
      ) h on true
      -- The newest confirmed reading, which mostly is the newest.
      left join lateral (
        select h.* where h.block_number <= c.confirmed_number
        union all
        (select * from vault_states s where h.block_number > c.confirmed_number and s.chain_id = v.chain_id
           and s.vault_address = v.address and s.block_number <= c.confirmed_number order by s.block_number desc limit 1)
      ) k on true
      -- A vault that answers no paused() may still announce its pauses.
      left join lateral (
        select * from vault_intervals i where (h.is_paused is distinct from false or h.unread ? 'is_paused') and i.chain_id = v.chain_id
          and i.vault_address = v.address and i.kind = 'pause' and i.to_block is null limit 1
      ) p on true
      where c.chain_id = ${chainId}
    )
    select v.address, v.name, v.chain_name, v.explorer_url, v.head_seconds, v.is_known,
      coalesce(v.is_paused, v.from_block is not null) as is_paused,
      coalesce(v.from_block <= v.confirmed_number, v.confirmed_is_paused, false) as is_pause_confirmed,
      v.since as pause_since, v.data ->> 'by' as pause_by,
      (select f.tx_hash from facts f where f.chain_id = v.chain_id and f.block_number = v.from_block and f.log_index = v.from_log_index) as pause_tx_hash,
      coalesce(v.from_block, v.block_number) as pause_block,
      (select b.hash from blocks b where b.chain_id = v.chain_id and b.number = coalesce(v.from_block, v.block_number)) as pause_block_hash,
      case when v.is_known and v.has_upkeep and v.upkeep_balance < v.upkeep_required + ${reserve}::numeric then
        case when v.confirmed_balance is not null and v.confirmed_required is not null then
          jsonb_build_array(jsonb_build_object('balance', v.confirmed_balance::text, 'required', v.confirmed_required::text, 'number', null, 'hash', null))
          else '[]'::jsonb end
        || coalesce((
          select jsonb_agg(jsonb_build_object('balance', s.upkeep_balance::text, 'required', s.upkeep_required::text, 'number', s.block_number,
            'hash', b.hash) order by s.block_number)
          from vault_states s join blocks b on b.chain_id = s.chain_id and b.number = s.block_number
          where s.chain_id = v.chain_id and s.vault_address = v.address and s.block_number > coalesce(v.confirmed_number, -1)
            and s.upkeep_balance is not null and s.upkeep_required is not null
        ), '[]') end as upkeep_readings,
      coalesce(v.head_unread ? 'upkeep', false)
        or coalesce(v.has_upkeep and (v.upkeep_balance is null or v.upkeep_required is null), false) as is_upkeep_unknown,
      coalesce(v.head_unread ?| ${STALENESS_FIELDS}::text[], false)
        or coalesce(v.confirmed_unread ?| ${STALENESS_FIELDS}::text[], false) as is_staleness_unread,
      coalesce(v.head_unread ? 'is_paused', false) and v.from_block is null as is_pause_unread,
      coalesce(v.confirmed_unread ? 'merkle', false) as is_merkle_unread,
      t.decimals as token_decimals, t.symbol as token_symbol,
      v.confirmed_block is not null as has_confirmed,
      extract(epoch from v.last_pps_update)::float8 as last_update, v.pps_expiration_seconds as expiration_seconds,
      v.is_pps_stale_flag as is_flagged,
      case when v.is_pps_stale_flag or v.head_is_flagged 
        then extract(epoch from pps_flagged_at(v.chain_id, v.address))::float8 end as flagged_at,
      extract(epoch from v.head_last_update)::float8 as head_last_update, v.head_expiration_seconds, v.head_is_flagged,
      v.merkle ->> 'root' as root, coalesce(v.merkle ->> 'is_vetoed', 'false') = 'true' as is_vetoed,
      case when v.merkle ->> 'is_vetoed' = 'true' then (
        select f.tx_hash from facts f where f.chain_id = v.chain_id and f.vault_address = v.address and f.kind = 'hooks_root_veto_changed'
        order by f.block_number desc, f.log_index desc limit 1) end as veto_tx_hash,
      coalesce(v.merkle ->> 'is_global_root_vetoed', 'false') = 'true' as is_global_root_vetoed
    from vault v
    left join tokens t on t.chain_id = v.chain_id and t.address = v.upkeep_token
    where not v.is_known and exists (
        select from alerts a where a.chain_id = v.chain_id and a.vault_address = v.address and a.area = ${areaOfChain(chainId)}
          and a.resolved_at is null)
      or v.is_known and (
        coalesce(v.is_paused, v.from_block is not null)
        or v.has_upkeep and not coalesce(v.upkeep_balance >= v.upkeep_required + ${reserve}::numeric, false)
        or v.is_pps_stale_flag
        or v.last_pps_update is null and v.pps_expiration_seconds is not null
        or v.head_unread <> '{}' or v.confirmed_unread <> '{}'
        or extract(epoch from v.last_pps_update)::float8 + v.pps_expiration_seconds
           <= v.now_seconds + ${HORIZON_MS / 1000}::float8 + greatest(
             least(${warnSeconds}::float8, v.pps_expiration_seconds * ${warnFraction}::float8),
             least(${critSeconds}::float8, v.pps_expiration_seconds * ${critFraction}::float8))
        or v.merkle ->> 'is_vetoed' = 'true'
        or v.merkle ->> 'is_global_root_vetoed' = 'true'
        or v.confirmed_block is null)`.execute(tx);
  return rows.map((row) => vaultOf(chainId, row));
}

function vaultOf(chainId: number, row: Row): ChainVault {
  return {
    chainId,
    address: row.address,
    name: row.name,
    chainName: row.chain_name,
    explorerUrl: row.explorer_url,
    isKnown: row.is_known,
    headSeconds: row.head_seconds,
    upkeep: row.is_upkeep_unknown ? "unknown" : upkeepOf(row),
    staleness:
      row.has_confirmed && !row.is_staleness_unread
        ? {
            confirmed: {
              lastUpdate: row.last_update,
              expirationSeconds: row.expiration_seconds,
              isFlagged: row.is_flagged,
              flaggedAt: row.is_flagged ? row.flagged_at : null,
            },
            head: {
              lastUpdate: row.head_last_update,
              expirationSeconds: row.head_expiration_seconds,
              isFlagged: row.head_is_flagged,
              flaggedAt: row.head_is_flagged ? row.flagged_at : null,
            },
          }
        : null,
    pause: row.is_pause_unread ? "unknown" : pauseOf(row),
    veto: row.is_merkle_unread
      ? "unknown"
      : row.is_vetoed
        ? { root: row.root ?? "", txHash: row.veto_tx_hash }
        : null,
    isGlobalRootVetoed: row.is_global_root_vetoed,
  };
}

function upkeepOf(row: Row): UpkeepState | null {
  if (row.upkeep_readings === null) return null;
  return {
    decimals: row.token_decimals,
    symbol: row.token_symbol,
    readings: row.upkeep_readings.map(({ balance, required, number, hash }) => ({
      balance: BigInt(balance),
      required: BigInt(required),
      block: number === null || hash === null ? null : { number, hash },
    })),
  };
}

function pauseOf(row: Row): PauseState | null {
  if (!row.is_paused) return null;
  return {
    since: row.pause_since,
    by: row.pause_by,
    txHash: row.pause_tx_hash,
    block:
      row.pause_block === null || row.pause_block_hash === null
        ? null
        : { number: row.pause_block, hash: row.pause_block_hash },
    isUnconfirmed: !row.is_pause_confirmed,
  };
}
