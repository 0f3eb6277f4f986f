// Audit entries: every kind of action the log knows, and what a writer hands to `record` for each.
//
// One union, by `action_type`: a writer that forgets a field of an action does not compile. Fields are named as the API
// serves them. Amounts are decimal strings in raw units, times inside details RFC 3339 strings in UTC.
import type { Address, Hash, Hex } from "viem";

/** Every value of `action_type`, in the order of the documentation. */
export const ACTION_TYPES = [
  "vault_create",
  "yield_source_add",
  "yield_source_remove",
  "yield_source_oracle_update",
  "pps_update",
  "pps_update_reject",
  "pps_stale",
  "pps_stale_reset",
  "vault_pause",
  "vault_unpause",
  "secondary_manager_add",
  "secondary_manager_remove",
  "primary_manager_change_propose",
  "primary_manager_change_cancel",
  "primary_manager_change",
  "merkle_root_propose",
  "merkle_root_update",
  "merkle_root_veto",
  "merkle_generate",
  "merkle_publish",
  "fee_config_propose",
  "fee_config_update",
  "fee_skim",
  "pps_params_update",
  "upkeep_deposit",
  "upkeep_withdraw_propose",
  "upkeep_withdraw_cancel",
  "upkeep_withdraw",
  "upkeep_insufficient",
  "deposit",
  "withdraw",
  "redeem_request",
  "redeem_fulfill",
  "redeem_cancel_request",
  "redeem_cancel",
  "service_pause",
  "service_resume",
  "session_key_grant",
  "session_key_rotate",
  "session_key_revoke",
  "emergency_exit_arm",
  "emergency_exit_stop",
  "view_only_add",
  "view_only_remove",
  "vault_accept",
  "notification_channel_create",
  "notification_channel_update",
  "notification_channel_delete",
  "notification_channel_bind",
  "notification_channel_unbind",
  "webhook_create",
  "webhook_update",
  "webhook_delete",
  "webhook_secret_rotate",
  "alert_rule_update",
  "alert_acknowledge",
  "alert_silence",
  "chain_reorg_revert",
] as const;

export type ActionType = (typeof ACTION_TYPES)[number];

/** Where an onchain operation stands. `timestamp` is in Unix seconds. Its fields are added to the entry's details. */
export interface BlockPlace {
  number: number;
  timestamp: number;
  hash: Hash;
  txHash: Hash;
  logIndex: number;
}

/** Details of each action, without the place in the chain, which `record` adds. */
export interface ActionDetails {
  vault_create: VaultCreated;
  yield_source_add: { yield_source: Address; oracle: Address };
  yield_source_remove: { yield_source: Address };
  yield_source_oracle_update: { yield_source: Address; old_oracle: Address; oracle: Address };
  pps_update: { pps: string; old_pps?: string; pps_timestamp: string };
  pps_update_reject: { reason: string; message: string | null; pps_timestamp: string | null };
  pps_stale: Empty;
  pps_stale_reset: Empty;
  vault_pause: { account: Address | null };
  vault_unpause: { account: Address | null };
  secondary_manager_add: { manager: Address };
  secondary_manager_remove: { manager: Address };
  primary_manager_change_propose: {
    proposer: Address;
    new_manager: Address;
    fee_recipient: Address | null;
    effective_at: string;
  };
  primary_manager_change_cancel: { cancelled_manager: Address };
  primary_manager_change: { old_manager: Address; new_manager: Address; fee_recipient: Address | null };
  merkle_root_propose: { proposer: Address; root: Hex; effective_at: string };
  merkle_root_update: { old_root: Hex; root: Hex };
  merkle_root_veto: { is_vetoed: boolean; root: Hex; guardian: Address | null };
  merkle_generate: MerkleJob;
  merkle_publish: MerkleJob;
  fee_config_propose: FeeConfig & { effective_at: string };
  fee_config_update: FeeConfig;
  fee_skim: { fee_amount: string; old_pps: string; pps: string };
  pps_params_update: PpsParameter;
  upkeep_deposit: { depositor: Address; amount: string };
  upkeep_withdraw_propose: { proposer: Address; amount: string; effective_at: string };
  upkeep_withdraw_cancel: Empty;
  upkeep_withdraw: { withdrawer: Address; amount: string };
  upkeep_insufficient: { balance: string; cost: string };
  deposit: { sender: Address; owner: Address; assets: string; shares: string };
  withdraw: { sender: Address; receiver: Address; owner: Address; assets: string; shares: string };
  redeem_request: {
    controller: Address;
    owner: Address;
    request_id: string;
    sender: Address;
    shares: string;
  };
  redeem_fulfill: { controllers: Address[]; processed_shares: string; pps: string };
  redeem_cancel_request: { controller: Address; request_id: string; sender: Address };
  redeem_cancel: {
    receiver: Address;
    controller: Address;
    request_id: string;
    sender: Address;
    shares: string;
  };
  service_pause: ServiceSwitch;
  service_resume: ServiceSwitch;
  session_key_grant: ReportedAction;
  session_key_rotate: ReportedAction;
  session_key_revoke: ReportedAction;
  emergency_exit_arm: ReportedAction;
  emergency_exit_stop: ReportedAction;
  view_only_add: { wallet: Address };
  view_only_remove: { wallet: Address };
  vault_accept: { is_accepted: boolean };
  notification_channel_create: { channel_id: string; provider: string; name: string };
  /** `reason`: why the service changed it by itself; the actor is then the zero address. */
  notification_channel_update: { channel_id: string; changed: string[]; reason?: string };
  notification_channel_delete: { channel_id: string; provider: string; name: string };
  notification_channel_bind: { channel_id: string; categories: string[]; min_severity: string };
  notification_channel_unbind: { channel_id: string };
  webhook_create: { webhook_id: string; event_types: string[]; vaults: string[] };
  /** `reason`: why the service disabled it by itself; the actor is then the zero address. */
  webhook_update: { webhook_id: string; changed: string[]; reason?: string };
  webhook_delete: { webhook_id: string };
  webhook_secret_rotate: { webhook_id: string };
  alert_rule_update: { [field: string]: unknown };
  alert_acknowledge: { alert_id: string; category: string };
  alert_silence: {
    silence_id: string;
    category: string | null;
    ends_at: string;
    reason: string;
    ended?: true;
  };
  chain_reorg_revert: RevertedEntry;
}

/**
 * What a writer hands to `record`. `occurredAt` (Unix seconds) is set for history only: a block older than the moment
 * at which its vault or chain was first configured; it becomes the entry's `timestamp`.
 */
export type AuditEntryInput = {
  [A in ActionType]: {
    action_type: A;
    vault_address: Address;
    chain_id: number;
    actor_wallet: Address;
    details: ActionDetails[A];
    block?: BlockPlace;
    occurredAt?: number;
    /** Of an operation that was missed when it was its turn: appended now, marked by `details.backfilled`, whatever stands in its place. */
    isBackfilled?: true;
  };
}[ActionType];

/** What stands for "no vault" and "no wallet named". */
export const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000";

type Empty = Record<never, never>;

interface VaultCreated {
  strategy: Address;
  escrow: Address;
  asset: Address;
  name: string;
  symbol: string;
  nonce: string;
  primary_manager: Address;
  secondary_managers: Address[];
}

interface FeeConfig {
  performance_fee_bps: string;
  management_fee_bps: string;
  recipient: Address;
}

/** The four events that change how a price is judged; `parameter` tells which. */
type PpsParameter =
  | {
      parameter: "pps_expiration_proposed";
      current_pps_expiration_seconds: string;
      pps_expiration_seconds: string;
      effective_at: string;
    }
  | { parameter: "pps_expiration"; pps_expiration_seconds: string }
  | { parameter: "deviation_threshold"; deviation_threshold: string }
  | {
      parameter: "min_update_interval";
      old_min_update_interval_seconds: string;
      min_update_interval_seconds: string;
    };

/** Who reported it, and when. */
interface Reported {
  source: string;
  reported_at: string;
  reported: true;
}

/** What the engine sent as `details`, which may hold any name, stands apart. */
type ReportedAction = Reported & { reported_details: Record<string, unknown> };

type MerkleJob = Reported & { job_id: string; status: string; root?: string; error?: string };

type ServiceSwitch = Reported & { service: string; reason?: string };

/** Names the entry that a deep reorganisation undid. Its `block` is the place where that operation had stood. */
interface RevertedEntry {
  reverted_id: string;
  reverted_seq: string;
  reverted_action_type: ActionType;
}
