// Where each kind of entry comes from. What an entry's details mean follows from its action and its origin, never from the name of
// a member: the details that an engine reports may hold any name. Release 0.1 put these beside the service's own members, so a log
// may hold reported entries with a `block_timestamp` or a `reverted_id` that are the engine's words and nothing else.

/** `chain`: an operation with its place in the chain. `report`: what an engine said. `api`: what the service did or was told to do. */
type Origin = "chain" | "report" | "api";

/** Every action that this release knows. */
export const ORIGINS = {
  vault_create: "chain",
  yield_source_add: "chain",
  yield_source_remove: "chain",
  yield_source_oracle_update: "chain",
  hook_execute: "chain",
  pps_update: "chain",
  pps_update_reject: "chain",
  pps_stale: "chain",
  pps_stale_reset: "chain",
  vault_pause: "chain",
  vault_unpause: "chain",
  secondary_manager_add: "chain",
  secondary_manager_remove: "chain",
  primary_manager_change_propose: "chain",
  primary_manager_change_cancel: "chain",
  primary_manager_change: "chain",
  role_grant: "chain",
  role_revoke: "chain",
  owner_change_propose: "chain",
  owner_change: "chain",
  curator_change: "chain",
  guardian_change_propose: "chain",
  guardian_change: "chain",
  timelock_submit: "chain",
  timelock_accept: "chain",
  timelock_revoke: "chain",
  timelock_duration_change: "chain",
  abdicate: "chain",
  cap_change_propose: "chain",
  cap_change: "chain",
  adapter_add: "chain",
  adapter_remove: "chain",
  strategy_add: "chain",
  strategy_revoke: "chain",
  market_removal_propose: "chain",
  market_remove: "chain",
  allocation_change: "chain",
  queue_change: "chain",
  gate_change: "chain",
  max_rate_change: "chain",
  metadata_change: "chain",
  force_deallocate: "chain",
  loss: "chain",
  strategy_report: "chain",
  nav_propose: "chain",
  settle: "chain",
  mode_change: "chain",
  shutdown: "chain",
  signer_add: "chain",
  signer_remove: "chain",
  threshold_change: "chain",
  module_enable: "chain",
  module_disable: "chain",
  guard_change: "chain",
  singleton_change: "chain",
  fallback_handler_change: "chain",
  safe_execute: "chain",
  safe_execute_fail: "chain",
  timelock_schedule: "chain",
  timelock_execute: "chain",
  timelock_cancel: "chain",
  timelock_delay_change: "chain",
  upgrade_propose: "chain",
  upgrade: "chain",
  registry_change: "chain",
  liquidity_adapter_change: "chain",
  access_rule_change: "chain",
  merkle_root_propose: "chain",
  merkle_root_update: "chain",
  merkle_root_veto: "chain",
  merkle_leaves_update: "chain",
  merkle_generate: "report",
  merkle_publish: "report",
  fee_config_propose: "chain",
  fee_config_update: "chain",
  fee_recipient_change: "chain",
  fee_skim: "chain",
  high_water_mark_reset: "chain",
  pps_params_update: "chain",
  parameter_change: "chain",
  upkeep_deposit: "chain",
  upkeep_withdraw_propose: "chain",
  upkeep_withdraw_cancel: "chain",
  upkeep_withdraw: "chain",
  upkeep_insufficient: "chain",
  upkeep_claim: "chain",
  deposit: "chain",
  withdraw: "chain",
  emergency_withdraw: "chain",
  deposit_request: "chain",
  deposit_fulfill: "chain",
  deposit_cancel_request: "chain",
  deposit_cancel: "chain",
  redeem_request: "chain",
  redeem_fulfill: "chain",
  redeem_cancel_request: "chain",
  redeem_cancel_fulfill: "chain",
  redeem_cancel: "chain",
  service_pause: "report",
  service_resume: "report",
  session_key_grant: "report",
  session_key_rotate: "report",
  session_key_revoke: "report",
  emergency_exit_arm: "report",
  emergency_exit_stop: "report",
  operator_add: "api",
  operator_remove: "api",
  view_only_add: "api",
  view_only_remove: "api",
  vault_accept: "api",
  notification_channel_create: "api",
  notification_channel_update: "api",
  notification_channel_delete: "api",
  notification_channel_bind: "api",
  notification_channel_unbind: "api",
  webhook_create: "api",
  webhook_update: "api",
  webhook_delete: "api",
  webhook_secret_rotate: "api",
  alert_rule_update: "api",
  alert_acknowledge: "api",
  alert_silence: "api",
  chain_reorg_revert: "chain",
} as const satisfies Record<string, Origin>;

/** Actions that never have a place in the chain. One that this release does not know is not among them. */
export const OFFCHAIN_ACTIONS: readonly string[] = Object.entries(ORIGINS).flatMap(([action, origin]) =>
  origin === "chain" ? [] : [action],
);

const OFFCHAIN = new Set(OFFCHAIN_ACTIONS);

/**
 * Whether the entry's details say where it stands in the chain. Of an action that a newer release has made, `reported` tells: the
 * service writes it last, so a report cannot say otherwise.
 */
export function isOnchain({ action_type, details }: { action_type: string; details: object }): boolean {
  return !OFFCHAIN.has(action_type) && (details as { reported?: unknown }).reported !== true;
}

/** When it happened: its block's time, else when it was recorded. */
export function occurredAtOf(entry: { action_type: string; recorded_at: string; details: object }): string {
  const { block_timestamp: time } = entry.details as { block_timestamp?: unknown };
  return isOnchain(entry) && typeof time === "string" ? time : entry.recorded_at;
}
