// The kinds of entries, in the groups in which people look for them.
import type { AuditEntry } from "@vaultops/sdk/schema";

export type ActionType = AuditEntry["action_type"];

export const ACTION_GROUPS = {
  "Vault and pauses": [
    "vault_create",
    "vault_pause",
    "vault_unpause",
    "emergency_exit_arm",
    "emergency_exit_stop",
    "emergency_withdraw",
    "parameter_change",
    "chain_reorg_revert",
  ],
  Price: ["pps_update", "pps_update_reject", "pps_stale", "pps_stale_reset", "pps_params_update"],
  "Deposits and redemptions": [
    "deposit_request",
    "deposit_fulfill",
    "deposit_cancel_request",
    "deposit_cancel",
    "deposit",
    "withdraw",
    "redeem_request",
    "redeem_fulfill",
    "redeem_cancel_request",
    "redeem_cancel_fulfill",
    "redeem_cancel",
  ],
  "Yield sources": ["yield_source_add", "yield_source_remove", "yield_source_oracle_update", "hook_execute"],
  People: [
    "primary_manager_change_propose",
    "primary_manager_change_cancel",
    "primary_manager_change",
    "secondary_manager_add",
    "secondary_manager_remove",
    "role_grant",
    "role_revoke",
    "view_only_add",
    "view_only_remove",
    "vault_accept",
  ],
  Fees: [
    "fee_config_propose",
    "fee_config_update",
    "fee_recipient_change",
    "fee_skim",
    "high_water_mark_reset",
  ],
  "Hook roots": [
    "merkle_root_propose",
    "merkle_root_update",
    "merkle_root_veto",
    "merkle_leaves_update",
    "merkle_generate",
    "merkle_publish",
  ],
  Upkeep: [
    "upkeep_deposit",
    "upkeep_withdraw_propose",
    "upkeep_withdraw_cancel",
    "upkeep_withdraw",
    "upkeep_insufficient",
    "upkeep_claim",
  ],
  "Services and keys": [
    "service_pause",
    "service_resume",
    "session_key_grant",
    "session_key_rotate",
    "session_key_revoke",
  ],
  "Alerts and channels": [
    "notification_channel_create",
    "notification_channel_update",
    "notification_channel_delete",
    "notification_channel_bind",
    "notification_channel_unbind",
    "alert_rule_update",
    "alert_acknowledge",
    "alert_silence",
  ],
  Webhooks: ["webhook_create", "webhook_update", "webhook_delete", "webhook_secret_rotate"],
} as const satisfies Record<string, readonly ActionType[]>;

type Grouped = (typeof ACTION_GROUPS)[keyof typeof ACTION_GROUPS][number];

type Missing = Exclude<ActionType, Grouped>;

/** Does not compile when the API knows a kind that stands in no group. */
export const ACTION_TYPES: [Missing] extends [never] ? readonly ActionType[] : Missing =
  Object.values(ACTION_GROUPS).flat();
