// Facts as they were stored, brought back: the inverse of `toStored`. Which fields of a kind are quantities stands in one table, which the
// compiler holds complete.
import type { FactBody, FactKind, FactOf, StoredBody } from "./facts.ts";

/** The fields of a body that are bigint, or bigint or null. */
type QuantityKeys<B> = {
  [K in keyof B]-?: bigint extends B[K] ? K : never;
}[keyof B];

const QUANTITIES: { [K in FactKind]: Record<QuantityKeys<FactOf<K>>, true> } = {
  vault_deployed: { nonce: true },
  primary_manager_proposed: { effectiveTime: true },
  primary_manager_change_cancelled: {},
  primary_manager_changed: {},
  old_primary_manager_removed: {},
  secondary_manager_added: {},
  secondary_manager_removed: {},
  ownership_transfer_started: {},
  ownership_transferred: {},
  role_granted: {},
  role_revoked: {},
  governance: {},
  pps_updated: { pps: true, timestamp: true },
  pps_updated_after_skim: { oldPps: true, newPps: true, feeAmount: true, timestamp: true },
  pps_update_rejected: { timestamp: true, pps: true },
  pps_stale: {},
  pps_stale_reset: {},
  pps_expiration_proposed: {
    currentProposedThreshold: true,
    currentExpiration: true,
    ppsExpiration: true,
    effectiveTime: true,
  },
  pps_expiration_updated: { ppsExpiration: true },
  pps_expiration_proposal_cancelled: {},
  deviation_threshold_updated: { deviationThreshold: true },
  min_update_interval_proposed: { newMinUpdateInterval: true, effectiveTime: true },
  min_update_interval_changed: { oldMinUpdateInterval: true, newMinUpdateInterval: true },
  min_update_interval_rejected: { proposedInterval: true, currentMaxStaleness: true },
  min_update_interval_cancelled: { cancelledInterval: true },
  high_water_mark_updated: { newHwmPps: true, previousPps: true, profit: true, feeCollected: true },
  hook_executed: {},
  emergency_withdrawal: { assets: true },
  vault_paused: {},
  vault_unpaused: {},
  yield_source_added: {},
  yield_source_removed: {},
  yield_source_oracle_updated: {},
  hooks_root_proposed: { effectiveTime: true },
  hooks_root_updated: {},
  hooks_root_veto_changed: {},
  global_hooks_root_proposed: { effectiveTime: true },
  global_hooks_root_updated: {},
  global_hooks_root_veto_changed: {},
  global_leaves_changed: {},
  fee_config_proposed: { performanceFeeBps: true, managementFeeBps: true, effectiveTime: true },
  fee_config_updated: { performanceFeeBps: true, managementFeeBps: true },
  fee_recipient_changed: {},
  management_fee_paid: { feeAssets: true, feeBps: true },
  performance_fee_skimmed: { totalFee: true, superformFee: true },
  upkeep_deposited: { amount: true },
  upkeep_withdrawal_proposed: { amount: true, effectiveTime: true },
  upkeep_withdrawal_cancelled: {},
  upkeep_withdrawn: { amount: true },
  upkeep_spent: { amount: true, balance: true, claimableUpkeep: true },
  upkeep_insufficient: { balance: true, cost: true },
  upkeep_claimed: { amount: true },
  deposit: { assets: true, shares: true },
  withdraw: { assets: true, shares: true },
  shares_minted: { shares: true },
  shares_burned: { shares: true },
  deposit_requested: { requestId: true, assets: true },
  deposit_claimable: { requestId: true, assets: true, shares: true },
  deposit_cancel_requested: { requestId: true },
  deposit_cancel_claimed: { requestId: true, assets: true },
  redeem_requested: { requestId: true, shares: true },
  redeem_claimable: { requestId: true, assets: true, shares: true, averageWithdrawPrice: true },
  redeem_requests_fulfilled: { processedShares: true, currentPps: true },
  redeem_request_cancelled: { shares: true },
  redeem_cancel_requested: { requestId: true },
  redeem_cancel_fulfilled: { shares: true },
  redeem_cancel_claimed: { requestId: true, shares: true },
  // Its arguments are kept for what they tell and for nothing that counts: they stay as they are stored.
  other: {},
};

/** A body as it was before it was stored, the arguments of `other` aside. A kind of another release stays as it is stored. */
export function fromStored(stored: StoredBody): FactBody {
  const body: Record<string, unknown> = { ...stored };
  const quantities: object = QUANTITIES[stored.kind] ?? {};
  for (const key of Object.keys(quantities)) {
    if (typeof body[key] === "string") body[key] = BigInt(body[key]);
  }
  return body as FactBody;
}
