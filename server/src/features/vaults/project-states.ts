// A vault's state as read at a block: one row a reading, the newest is what the API serves.
import type { VaultReading } from "../../chain/reading.ts";
import type { Tx } from "../../platform/db.ts";
import { timestampOfSeconds } from "../../platform/http/time.ts";
import { type Columns, insertRows, type ProjectedBlock } from "./projected.ts";

export async function writeStates(tx: Tx, blocks: readonly ProjectedBlock[]): Promise<void> {
  const rows = blocks.flatMap(({ block, readings }) =>
    [...readings].map(([address, reading]) => ({
      chain_id: block.chainId,
      block_number: block.number,
      vault_address: address,
      ...stateColumns(reading),
    })),
  );
  await insertRows(tx, "vault_states", COLUMNS, rows, true);
}

function stateColumns(reading: VaultReading) {
  const { fees, managers, upkeep, merkle } = reading;
  return {
    pps: reading.totalSupply === 0n ? null : reading.pps,
    pps_decimals: reading.ppsDecimals,
    total_assets: reading.totalAssets,
    total_supply: reading.totalSupply,
    escrowed_assets: reading.escrowedAssets,
    free_assets: reading.freeAssets,
    is_paused: reading.isPaused,
    // A strategy that was never updated answers 0.
    last_pps_update: reading.lastPpsUpdate === 0 ? null : timeOrNull(reading.lastPpsUpdate),
    pps_expiration_seconds: safeOrNull(reading.ppsExpirationSeconds),
    max_staleness_seconds: safeOrNull(reading.maxStalenessSeconds),
    min_update_interval_seconds: safeOrNull(reading.minUpdateIntervalSeconds),
    is_pps_stale_flag: reading.isPpsStaleFlag,
    hwm_pps: reading.hwmPps,
    performance_fee_bps: fees?.performanceFeeBps ?? null,
    management_fee_bps: fees?.managementFeeBps ?? null,
    fee_recipient: fees?.recipient ?? null,
    primary_manager: managers.primary,
    secondary_managers: managers.secondary,
    has_upkeep: upkeep !== null,
    upkeep_balance: upkeep?.balance ?? null,
    upkeep_required: upkeep?.requiredBalance ?? null,
    upkeep_token: upkeep?.token ?? null,
    merkle: merkle && {
      root: merkle.root,
      proposed_root: merkle.proposedRoot,
      effective_at: textTime(merkle.effectiveAt),
      is_vetoed: merkle.isVetoed,
    },
    yield_sources: reading.yieldSources.map(({ address, oracle, allocationAssets }) => ({
      address,
      oracle,
      allocation_assets: allocationAssets,
    })),
    pending_changes: reading.pendingChanges.map(({ kind, current, proposed, proposer, effectiveAt }) => ({
      kind,
      current,
      proposed,
      proposer,
      effective_at: textTime(effectiveAt),
    })),
  };
}

/** The last second that a timestamp of the API can write: 9999-12-31T23:59:59Z. Contracts may answer anything. */
const MAX_TIME_SECONDS = 253_402_300_799;

function timeOrNull(seconds: number | null): number | null {
  return seconds !== null && seconds <= MAX_TIME_SECONDS ? seconds : null;
}

function textTime(seconds: number | null): string | null {
  const time = timeOrNull(seconds);
  return time === null ? null : timestampOfSeconds(time);
}

/** A duration beyond 2^53 s never ends: the rule that it belongs to does not exist in practice. */
function safeOrNull(seconds: number | null): number | null {
  return seconds !== null && Number.isSafeInteger(seconds) ? seconds : null;
}

type StateRow = ReturnType<typeof stateColumns> & {
  chain_id: number;
  block_number: number;
  vault_address: string;
};

const COLUMNS: Columns<StateRow> = {
  chain_id: "bigint",
  block_number: "bigint",
  vault_address: "text",
  pps: "numeric",
  pps_decimals: "smallint",
  total_assets: "numeric",
  total_supply: "numeric",
  escrowed_assets: "numeric",
  free_assets: "numeric",
  is_paused: "boolean",
  last_pps_update: "timestamptz",
  pps_expiration_seconds: "bigint",
  max_staleness_seconds: "bigint",
  min_update_interval_seconds: "bigint",
  is_pps_stale_flag: "boolean",
  hwm_pps: "numeric",
  performance_fee_bps: "numeric",
  management_fee_bps: "numeric",
  fee_recipient: "text",
  primary_manager: "text",
  secondary_managers: "text[]",
  has_upkeep: "boolean",
  upkeep_balance: "numeric",
  upkeep_required: "numeric",
  upkeep_token: "text",
  merkle: "jsonb",
  yield_sources: "jsonb",
  pending_changes: "jsonb",
};
