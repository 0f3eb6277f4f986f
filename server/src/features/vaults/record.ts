// A vault as the API shows it: from what the store holds to the documented fields.
//
// Pure. What is not known is null, with its reason under the same name in `unavailable_reasons` (that of
// `tvl_usd` beside it). What differs by caller or by the second is not in here: routes add it to the finished text.
import type { Address } from "viem";
import { titleOf } from "../../judgements/held-open.ts";
import { expiresAtOf, type StalenessRule, wouldExpireAtOf } from "../../judgements/staleness.ts";
import { shortfallOf } from "../../judgements/upkeep.ts";
import { timestampOfSeconds, timestampOrNull } from "../../platform/http/time.ts";
import { vaultIdOf } from "../../vault.ts";
import { controllersOf } from "./controllers.ts";
import { allocationsOf, contractRolesOf, feesOf, liquidityOf } from "./record-governance.ts";
import type { IntervalState, PointState, VaultRow } from "./store.ts";
import { type Apy, type PricePoint, realisedApy, usdValue, WINDOW_NAMES, type WindowName } from "./yield.ts";

/** An entry of the public listing. */
export function publicVault(row: VaultRow, apys: Apys) {
  const tvlUsd = tvlUsdOf(row);
  return {
    vault_id: vaultIdOf({ chainId: row.chain_id, vaultAddress: row.address }),
    vault_address: row.address,
    chain_id: row.chain_id,
    family: row.family,
    name: row.name,
    symbol: row.symbol,
    vault_share_decimals: row.share_decimals,
    underlying_asset_address: row.asset_address,
    underlying_asset_symbol: row.asset_symbol,
    underlying_asset_decimals: row.asset_decimals,
    tvl: text(row.total_assets),
    tvl_usd: tvlUsd.value,
    tvl_usd_unavailable_reason: tvlUsd.reason,
    apy: apys["7d"].apy,
    apy_1d: apys["1d"].apy,
    apy_7d: apys["7d"].apy,
    apy_30d: apys["30d"].apy,
    apy_inception: apys.inception.apy,
    pps: text(row.pps),
    is_paused: isPausedOf(row),
    created_at: row.created_at,
    updated_at: row.block_timestamp,
    unavailable_reasons: { ...reasonsOf(row, apys), ...unreadOf(row, PUBLIC_FIELDS) },
  };
}

export function vaultRecord(row: VaultRow, apys: Apys) {
  const isPaused = isPausedOf(row);
  const rule = stalenessRuleOf(row);
  const listed = publicVault(row, apys);
  const yieldSources = yieldSourcesOf(row);
  return {
    ...listed,
    unavailable_reasons: { ...listed.unavailable_reasons, ...unreadOf(row, RECORD_FIELDS) },
    strategy_address: row.strategy_address,
    escrow_address: row.escrow_address,
    current_pps: text(row.pps),
    pps_decimals: row.pps_decimals ?? row.asset_decimals,
    last_pps_update_timestamp: row.last_pps_update,
    pps_expires_at: timestampOrNull(expiresAtOf(rule)),
    pps_would_expire_at: timestampOrNull(wouldExpireAtOf(rule)),
    pps_expiration_seconds: row.pps_expiration_seconds,
    max_staleness_seconds: row.max_staleness_seconds,
    min_update_interval_seconds: row.min_update_interval_seconds,
    hwm_pps: text(row.hwm_pps),
    reported_pps: row.reports.pps ?? null,
    is_paused_since: isPaused === true ? (intervalsOf(row, "pause")[0]?.since ?? null) : null,
    // No report means that nobody armed one.
    emergency_exit: row.reports.emergency_exit ?? { is_armed: false, since: null, by: null },
    total_assets: text(row.total_assets),
    total_supply: text(row.total_supply),
    escrowed_assets: text(row.escrowed_assets),
    free_assets: text(row.free_assets),
    fee_config: feeConfigOf(row),
    managers: { primary: row.primary_manager, secondary: row.secondary_managers ?? [] },
    controllers: controllersOf(row),
    upkeep_info: upkeepOf(row),
    activation: activationOf(row),
    merkle: row.merkle && {
      ...row.merkle,
      is_global_root_vetoed: row.merkle.is_global_root_vetoed ?? null,
    },
    yield_sources: yieldSources,
    contract_roles: contractRolesOf(row),
    implementation: row.implementation,
    allocations: allocationsOf(row, yieldSources),
    liquidity: liquidityOf(row),
    lost_assets: text(row.lost_assets),
    fees: feesOf(row),
    nav: row.nav && { ...row.nav, owed_assets: row.nav.owed_assets ?? null },
    pending_redeems: {
      count: row.pending_redeems_count ?? 0,
      shares: (row.pending_redeems_shares ?? 0n).toString(),
    },
    as_of: asOf(row),
  };
}

/** The open warning and critical alerts of the vault, and nothing that they do not say: the worst first. */
export function attentionOf(row: VaultRow, publicUrl: string) {
  return row.open_alerts.map(({ id, category, severity, title, started_at, quiet_since }) => ({
    kind: category,
    severity,
    since: started_at,
    text: titleOf(title, quiet_since),
    link: `${publicUrl}/alerts/${id}`,
  }));
}

/** What the countdown and `is_pps_stale` follow from. */
export function stalenessRuleOf(row: VaultRow): StalenessRule {
  return {
    lastUpdate: row.last_pps_update_seconds,
    expirationSeconds: row.pps_expiration_seconds,
    isFlagged: row.is_pps_stale_flag,
    flaggedAt: row.pps_flagged_at_seconds,
  };
}

export type Apys = Record<WindowName, Apy>;

/** Realised APY of each window, ending at the newest point. */
export function apysOf(row: VaultRow): Apys {
  const to = pointOf(row.last_point);
  return perWindow((window) => realisedApy(pointOf(startOf(row, window)), to));
}

/** The windows of `…/apy` with the two prices that each came from. */
export function windowsOf(row: VaultRow, apys: Apys) {
  return {
    windows: perWindow((window) => apys[window].apy),
    window_details: perWindow((window) => {
      const from = startOf(row, window);
      const to = row.last_point;
      if (apys[window].apy === null || from?.pps == null || to?.pps == null) return null;
      return {
        from_timestamp: timestampOfSeconds(from.at_seconds),
        to_timestamp: timestampOfSeconds(to.at_seconds),
        from_pps: from.pps,
        to_pps: to.pps,
        from_pps_e18: from.pps_e18,
        to_pps_e18: to.pps_e18,
        seconds: to.at_seconds - from.at_seconds,
      };
    }),
    unavailable_reasons: Object.fromEntries(
      WINDOW_NAMES.flatMap((window) => (apys[window].reason ? [[window, apys[window].reason]] : [])),
    ) as Record<string, string>,
  };
}

export function isPausedOf(row: VaultRow): boolean | null {
  // A vault that answers no paused() may still announce its pauses.
  return row.is_paused ?? (intervalsOf(row, "pause").length > 0 ? true : null);
}

function text(value: bigint | null): string | null {
  return value === null ? null : value.toString();
}

function perWindow<T>(value: (window: WindowName) => T): Record<WindowName, T> {
  return Object.fromEntries(WINDOW_NAMES.map((window) => [window, value(window)])) as Record<WindowName, T>;
}

/** The last price at or before the window's start; of `inception` the first of all. */
function startOf(row: VaultRow, window: WindowName): PointState | null {
  return window === "inception" ? row.first_point : row.points_before[window];
}

function pointOf(point: PointState | null): PricePoint | null {
  return point?.pps_e18 == null ? null : { pps: BigInt(point.pps_e18), timestamp: point.at_seconds };
}

function tvlUsdOf(row: VaultRow): { value: number; reason: null } | { value: null; reason: string } {
  if (row.total_assets === null) return { value: null, reason: readingReason(row) };
  if (row.price_usd_e18 === null)
    return { value: null, reason: row.price_unavailable_reason ?? "not_priced_yet" };
  return { value: usdValue(row.total_assets, row.asset_decimals, row.price_usd_e18), reason: null };
}

/** Why a value of the reading is missing. */
function readingReason(row: VaultRow): string {
  return row.block_number === null ? "not_read_yet" : "not_answered";
}

function reasonsOf(row: VaultRow, apys: Apys): Record<string, string> {
  const reasons: Record<string, string> = {};
  if (row.total_assets === null) reasons.tvl = readingReason(row);
  if (row.pps === null) reasons.pps = row.total_supply === 0n ? "no_supply" : readingReason(row);
  for (const window of WINDOW_NAMES) {
    const { reason } = apys[window];
    if (reason !== null) reasons[`apy_${window}`] = reason;
  }
  return reasons;
}

/** What could not be read since its last value, which stands: by the names under which the value is served. */
function unreadOf(row: VaultRow, names: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const reasons: Record<string, string> = {};
  for (const [field, since] of Object.entries(row.unread ?? {}))
    for (const name of names[field] ?? []) reasons[name] = `not_read_since ${since}`;
  return reasons;
}

/** The fields of a reading as the public listing serves them. */
const PUBLIC_FIELDS = { pps: ["pps"], total_assets: ["tvl"], is_paused: ["is_paused"] } as const;
/** And as the record does. */
const RECORD_FIELDS = {
  pps: ["pps", "current_pps"],
  total_assets: ["tvl", "total_assets"],
  total_supply: ["total_supply"],
  escrowed_assets: ["escrowed_assets"],
  free_assets: ["free_assets"],
  is_paused: ["is_paused"],
  last_pps_update: ["last_pps_update_timestamp"],
  pps_expiration_seconds: ["pps_expiration_seconds"],
  max_staleness_seconds: ["max_staleness_seconds"],
  min_update_interval_seconds: ["min_update_interval_seconds"],
  is_pps_stale_flag: ["is_pps_stale"],
  hwm_pps: ["hwm_pps"],
  fees: ["fee_config", "fees"],
  managers: ["managers"],
  upkeep: ["upkeep_info"],
  merkle: ["merkle"],
  yield_sources: ["yield_sources", "allocations"],
  pending_changes: ["pending_changes"],
  contract_roles: ["contract_roles"],
  implementation: ["implementation"],
  allocations: ["allocations"],
  liquidity: ["liquidity"],
  lost_assets: ["lost_assets"],
  fee_rates: ["fees"],
  nav: ["nav"],
} as const;

export function feeConfigOf(row: VaultRow) {
  if (row.performance_fee_bps === null && row.management_fee_bps === null) return null;
  return {
    performance_fee_bps: bps(row.performance_fee_bps),
    management_fee_bps: bps(row.management_fee_bps),
    recipient: row.fee_recipient,
  };
}

/** Basis points are small; what a number cannot hold exactly is no rate. */
function bps(value: bigint | null): number | null {
  return value !== null && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null;
}

function upkeepOf(row: VaultRow) {
  if (row.has_upkeep !== true || row.upkeep_balance === null) return null;
  const required = row.upkeep_required;
  const shortfall = shortfallOf(row.upkeep_balance, required);
  return {
    balance: row.upkeep_balance.toString(),
    token: row.upkeep_token,
    threshold: { required_balance: text(required), shortfall: text(shortfall) },
  };
}

/** Whether price updates are paid for. null for a family without upkeep, and before the first reading. */
function activationOf(row: VaultRow) {
  const upkeep = upkeepOf(row);
  if (upkeep === null) return null;
  const { shortfall } = upkeep.threshold;
  if (shortfall === null || shortfall === "0")
    return { is_active: true, status: "active" as const, reason: null };
  return {
    is_active: false,
    status: "insufficient_upkeep" as const,
    reason: `The upkeep balance is ${shortfall} short of what an update of the price costs.`,
  };
}

/** As the strategy lists them; from the announcements where it was not read or did not answer. */
function yieldSourcesOf(row: VaultRow) {
  const announced = intervalsOf(row, "yield_source");
  const since = new Map(announced.map((interval) => [interval.subject, interval.since]));
  const listed = row.yield_sources ?? [];
  const sources =
    listed.length > 0
      ? listed
      : announced.map(({ subject, data }) => ({
          address: subject as Address,
          oracle: data.oracle as Address,
          allocation_assets: null,
        }));
  return sources.map(({ address, oracle, allocation_assets }) => ({
    address,
    oracle,
    added_at: since.get(address) ?? null,
    allocation_assets,
  }));
}

/** The block at which the state was read: the newest one that touched the vault. */
function asOf(row: VaultRow) {
  if (row.block_number === null) return null;
  return {
    block_number: row.block_number,
    block_hash: row.block_hash,
    block_timestamp: row.block_timestamp,
    confirmed: row.is_confirmed === true,
  };
}

function intervalsOf(row: VaultRow, kind: IntervalState["kind"]): IntervalState[] {
  return row.intervals.filter((interval) => interval.kind === kind);
}
