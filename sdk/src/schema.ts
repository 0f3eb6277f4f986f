// Generated from openapi.json by `npm run gen`. Do not edit.

export type ActionType =
  | "vault_create"
  | "yield_source_add"
  | "yield_source_remove"
  | "yield_source_oracle_update"
  | "hook_execute"
  | "pps_update"
  | "pps_update_reject"
  | "pps_stale"
  | "pps_stale_reset"
  | "vault_pause"
  | "vault_unpause"
  | "secondary_manager_add"
  | "secondary_manager_remove"
  | "primary_manager_change_propose"
  | "primary_manager_change_cancel"
  | "primary_manager_change"
  | "role_grant"
  | "role_revoke"
  | "owner_change_propose"
  | "owner_change"
  | "curator_change"
  | "guardian_change_propose"
  | "guardian_change"
  | "timelock_submit"
  | "timelock_accept"
  | "timelock_revoke"
  | "timelock_duration_change"
  | "abdicate"
  | "cap_change_propose"
  | "cap_change"
  | "adapter_add"
  | "adapter_remove"
  | "strategy_add"
  | "strategy_revoke"
  | "market_removal_propose"
  | "market_remove"
  | "allocation_change"
  | "queue_change"
  | "gate_change"
  | "max_rate_change"
  | "metadata_change"
  | "force_deallocate"
  | "loss"
  | "strategy_report"
  | "nav_propose"
  | "settle"
  | "mode_change"
  | "shutdown"
  | "signer_add"
  | "signer_remove"
  | "threshold_change"
  | "module_enable"
  | "module_disable"
  | "guard_change"
  | "singleton_change"
  | "fallback_handler_change"
  | "safe_execute"
  | "safe_execute_fail"
  | "timelock_schedule"
  | "timelock_execute"
  | "timelock_cancel"
  | "timelock_delay_change"
  | "upgrade_propose"
  | "upgrade"
  | "registry_change"
  | "liquidity_adapter_change"
  | "access_rule_change"
  | "merkle_root_propose"
  | "merkle_root_update"
  | "merkle_root_veto"
  | "merkle_leaves_update"
  | "merkle_generate"
  | "merkle_publish"
  | "fee_config_propose"
  | "fee_config_update"
  | "fee_recipient_change"
  | "fee_skim"
  | "high_water_mark_reset"
  | "pps_params_update"
  | "parameter_change"
  | "upkeep_deposit"
  | "upkeep_withdraw_propose"
  | "upkeep_withdraw_cancel"
  | "upkeep_withdraw"
  | "upkeep_insufficient"
  | "upkeep_claim"
  | "deposit"
  | "withdraw"
  | "emergency_withdraw"
  | "deposit_request"
  | "deposit_fulfill"
  | "deposit_cancel_request"
  | "deposit_cancel"
  | "redeem_request"
  | "redeem_fulfill"
  | "redeem_cancel_request"
  | "redeem_cancel_fulfill"
  | "redeem_cancel"
  | "service_pause"
  | "service_resume"
  | "session_key_grant"
  | "session_key_rotate"
  | "session_key_revoke"
  | "emergency_exit_arm"
  | "emergency_exit_stop"
  | "operator_add"
  | "operator_remove"
  | "view_only_add"
  | "view_only_remove"
  | "vault_accept"
  | "notification_channel_create"
  | "notification_channel_update"
  | "notification_channel_delete"
  | "notification_channel_bind"
  | "notification_channel_unbind"
  | "webhook_create"
  | "webhook_update"
  | "webhook_delete"
  | "webhook_secret_rotate"
  | "alert_rule_update"
  | "chat_link_add"
  | "chat_link_remove"
  | "alert_acknowledge"
  | "alert_silence"
  | "audit_rollback_acknowledge"
  | "chain_reorg_revert";
/**
 * Address, EIP-55 checksummed.
 */
export type Address = string;
export type AddressInput = string;
export type AlertCategory =
  | "upkeep"
  | "pps_staleness"
  | "keeper_run"
  | "session_key"
  | "emergency_pause"
  | "emergency_exit"
  | "merkle"
  | "execution"
  | "price"
  | "losses"
  | "liquidity"
  | "flows"
  | "tvl"
  | "governance"
  | "allocation"
  | "system";
export type AlertSeverity = "critical" | "warning" | "info";
export type AlertStatus = "firing" | "acknowledged" | "resolved";
export type AuditEntry = {
  id: string;
  /**
   * 1, 2, 3, … in the order in which entries were written, as a string.
   */
  seq: string;
  /**
   * The entry's place in time: when it was recorded, or, for blocks older than the moment at which the vault or chain was first configured, the block's time.
   */
  timestamp: Timestamp;
  recorded_at: Timestamp;
  action_type: ActionType;
  vault_address: Address;
  /**
   * 0 for what concerns no vault.
   */
  chain_id: number;
  actor_wallet: Address;
  /**
   * By action, see below; more members may be added. Of an onchain operation always with block_number, block_timestamp, block_hash, tx_hash and log_index. With `reported: true` an engine reported it, and what it sent as details is in `reported_details`.
   */
  details: {
    [k: string]: unknown;
  };
} & (
  | AuditEntryVaultCreate
  | AuditEntryYieldSourceAdd
  | AuditEntryYieldSourceRemove
  | AuditEntryYieldSourceOracleUpdate
  | AuditEntryHookExecute
  | AuditEntryPpsUpdate
  | AuditEntryPpsUpdateReject
  | AuditEntryPpsStale
  | AuditEntryPpsStaleReset
  | AuditEntryVaultPause
  | AuditEntryVaultUnpause
  | AuditEntrySecondaryManagerAdd
  | AuditEntrySecondaryManagerRemove
  | AuditEntryPrimaryManagerChangePropose
  | AuditEntryPrimaryManagerChangeCancel
  | AuditEntryPrimaryManagerChange
  | AuditEntryRoleGrant
  | AuditEntryRoleRevoke
  | AuditEntryOwnerChangePropose
  | AuditEntryOwnerChange
  | AuditEntryCuratorChange
  | AuditEntryGuardianChangePropose
  | AuditEntryGuardianChange
  | AuditEntryTimelockSubmit
  | AuditEntryTimelockAccept
  | AuditEntryTimelockRevoke
  | AuditEntryTimelockDurationChange
  | AuditEntryAbdicate
  | AuditEntryCapChangePropose
  | AuditEntryCapChange
  | AuditEntryAdapterAdd
  | AuditEntryAdapterRemove
  | AuditEntryStrategyAdd
  | AuditEntryStrategyRevoke
  | AuditEntryMarketRemovalPropose
  | AuditEntryMarketRemove
  | AuditEntryAllocationChange
  | AuditEntryQueueChange
  | AuditEntryGateChange
  | AuditEntryMaxRateChange
  | AuditEntryMetadataChange
  | AuditEntryForceDeallocate
  | AuditEntryLoss
  | AuditEntryStrategyReport
  | AuditEntryNavPropose
  | AuditEntrySettle
  | AuditEntryModeChange
  | AuditEntryShutdown
  | AuditEntrySignerAdd
  | AuditEntrySignerRemove
  | AuditEntryThresholdChange
  | AuditEntryModuleEnable
  | AuditEntryModuleDisable
  | AuditEntryGuardChange
  | AuditEntrySingletonChange
  | AuditEntryFallbackHandlerChange
  | AuditEntrySafeExecute
  | AuditEntrySafeExecuteFail
  | AuditEntryTimelockSchedule
  | AuditEntryTimelockExecute
  | AuditEntryTimelockCancel
  | AuditEntryTimelockDelayChange
  | AuditEntryUpgradePropose
  | AuditEntryUpgrade
  | AuditEntryRegistryChange
  | AuditEntryLiquidityAdapterChange
  | AuditEntryAccessRuleChange
  | AuditEntryMerkleRootPropose
  | AuditEntryMerkleRootUpdate
  | AuditEntryMerkleRootVeto
  | AuditEntryMerkleLeavesUpdate
  | AuditEntryMerkleGenerate
  | AuditEntryMerklePublish
  | AuditEntryFeeConfigPropose
  | AuditEntryFeeConfigUpdate
  | AuditEntryFeeRecipientChange
  | AuditEntryFeeSkim
  | AuditEntryHighWaterMarkReset
  | AuditEntryPpsParamsUpdate
  | AuditEntryParameterChange
  | AuditEntryUpkeepDeposit
  | AuditEntryUpkeepWithdrawPropose
  | AuditEntryUpkeepWithdrawCancel
  | AuditEntryUpkeepWithdraw
  | AuditEntryUpkeepInsufficient
  | AuditEntryUpkeepClaim
  | AuditEntryDeposit
  | AuditEntryWithdraw
  | AuditEntryEmergencyWithdraw
  | AuditEntryDepositRequest
  | AuditEntryDepositFulfill
  | AuditEntryDepositCancelRequest
  | AuditEntryDepositCancel
  | AuditEntryRedeemRequest
  | AuditEntryRedeemFulfill
  | AuditEntryRedeemCancelRequest
  | AuditEntryRedeemCancelFulfill
  | AuditEntryRedeemCancel
  | AuditEntryServicePause
  | AuditEntryServiceResume
  | AuditEntrySessionKeyGrant
  | AuditEntrySessionKeyRotate
  | AuditEntrySessionKeyRevoke
  | AuditEntryEmergencyExitArm
  | AuditEntryEmergencyExitStop
  | AuditEntryOperatorAdd
  | AuditEntryOperatorRemove
  | AuditEntryViewOnlyAdd
  | AuditEntryViewOnlyRemove
  | AuditEntryVaultAccept
  | AuditEntryNotificationChannelCreate
  | AuditEntryNotificationChannelUpdate
  | AuditEntryNotificationChannelDelete
  | AuditEntryNotificationChannelBind
  | AuditEntryNotificationChannelUnbind
  | AuditEntryWebhookCreate
  | AuditEntryWebhookUpdate
  | AuditEntryWebhookDelete
  | AuditEntryWebhookSecretRotate
  | AuditEntryAlertRuleUpdate
  | AuditEntryChatLinkAdd
  | AuditEntryChatLinkRemove
  | AuditEntryAlertAcknowledge
  | AuditEntryAlertSilence
  | AuditEntryAuditRollbackAcknowledge
  | AuditEntryChainReorgRevert
);
export type ChainId = number;
/**
 * Chain identifier (EIP-155); 0 for what concerns no vault.
 */
export type ChainIdOrZero = number;
export type DeliveryStatus = "pending" | "delivered" | "failed" | "dead" | "canceled";
export type EngineEvent =
  | ServiceRunEvent
  | ServiceStateEvent
  | IntentEventEvent
  | IntentFillEvent
  | ShardStateEvent
  | RedemptionExecutionEvent
  | SessionKeyReadinessEvent
  | MerkleJobEvent
  | PpsReportEvent
  | ActionEvent;
export type ExecutionStatus = "pending" | "success" | "failed" | "skipped";
export type IntentState =
  | "RECEIVED"
  | "ACKED"
  | "STAGED"
  | "PLANNED"
  | "EXECUTING"
  | "COMPLETED"
  | "ABORTED"
  | "EXPIRED"
  | "FAILED"
  | "CANCELED";
export type ProviderName = "slack" | "discord" | "telegram" | "pagerduty" | "opsgenie" | "teams" | "email" | "webhook";
/**
 * Onchain integer in raw units, as a decimal string.
 */
export type Quantity = string;
/**
 * Onchain integer in raw units, as a decimal string.
 */
export type QuantityInput = string;
/**
 * `standard`: up to 5 retries after 1, 2, 4, 8 and 16 s. `extended` goes on after 1 min, 5 min, 30 min, 2 h and 6 h.
 */
export type RetrySchedule = "standard" | "extended";
/**
 * Role of the caller's wallet.
 */
export type Role = "primary_manager" | "secondary_manager" | "operator" | "view_only";
/**
 * RFC 3339 UTC with six fractional digits.
 */
export type Timestamp = string;
/**
 * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
 */
export type TimestampInput = string;
/**
 * The vault id, `{chain_id}:{vault_address}`.
 */
export type VaultIdInput = string;
export type WebhookEventType =
  | "pps.stale"
  | "pps.updated"
  | "vault.paused"
  | "vault.unpaused"
  | "service.degraded"
  | "service.late"
  | "service.down"
  | "merkle.synced"
  | "yield_source.added"
  | "yield_source.removed"
  | "redemption.fulfilled"
  | "deposit.fulfilled"
  | "alert.firing"
  | "alert.resolved"
  | "alert.dispatch"
  | "emergency_exit.armed"
  | "emergency_exit.stopped"
  | "webhook.test";

export interface Routes {
  /**
   * Whether the process answers
   */
  "GET /livez": {
    path: {};
    query: {};
    body: undefined;
    answer: Liveness;
  };
  /**
   * Whether all that the service needs is in order
   */
  "GET /readyz": {
    path: {};
    query: {};
    body: undefined;
    answer: Readiness;
  };
  /**
   * The caller's wallet and vault roles
   */
  "GET /api/v1/auth/me": {
    path: {};
    query: {};
    body: undefined;
    answer: Me;
  };
  /**
   * Validate a JWT
   */
  "GET /api/v1/auth/verify": {
    path: {};
    query: {};
    body: undefined;
    answer: TokenVerification;
  };
  /**
   * How to sign in
   */
  "GET /api/v1/auth/config": {
    path: {};
    query: {};
    body: undefined;
    answer: SignInConfiguration;
  };
  /**
   * Exchange an authorization code for a JWT
   */
  "POST /api/v1/auth/exchange": {
    path: {};
    query: {};
    body: CodeExchange;
    answer: IssuedToken;
  };
  /**
   * Public keys of the embedded identity provider
   */
  "GET /identity/.well-known/jwks.json": {
    path: {};
    query: {};
    body: undefined;
    answer: JwkSet;
  };
  /**
   * Ask for a message to sign
   */
  "POST /identity/challenge": {
    path: {};
    query: {};
    body: ChallengeRequest;
    answer: Challenge;
  };
  /**
   * Exchange a signature for a JWT
   */
  "POST /identity/token": {
    path: {};
    query: {};
    body: TokenRequest;
    answer: IssuedToken;
  };
  /**
   * The chains that are followed
   */
  "GET /api/v1/chains": {
    path: {};
    query: {};
    body: undefined;
    answer: Chain[];
  };
  /**
   * All vault deployments with TVL and APY
   */
  "GET /api/v1/public/vaults": {
    path: {};
    query: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
    };
    body: undefined;
    answer: PublicVault[];
  };
  /**
   * The caller's vaults
   */
  "GET /api/v1/vaults": {
    path: {};
    query: {
      /**
       * Whole records instead of short forms.
       */
      fields?: "state";
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
    };
    body: undefined;
    answer: VaultList;
  };
  /**
   * A vault's state
   */
  "GET /api/v1/vaults/{chain_id}/{address}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      address: AddressInput;
    };
    query: {};
    body: undefined;
    answer: Vault;
  };
  /**
   * A vault's price per share through time
   */
  "GET /api/v1/vaults/{chain_id}/{address}/pps": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      address: AddressInput;
    };
    query: {
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: TimestampInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: TimestampInput;
      /**
       * Every point, or the last of each hour or day.
       */
      interval?: "raw" | "hour" | "day";
      /**
       * The `next_cursor` of the page before.
       */
      cursor?: string;
      /**
       * Page size, 1 to 5000.
       */
      limit?: number;
    };
    body: undefined;
    answer: PpsHistory;
  };
  /**
   * A vault's realised APY
   */
  "GET /api/v1/vaults/{chain_id}/{address}/apy": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      address: AddressInput;
    };
    query: {
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: TimestampInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: TimestampInput;
      /**
       * Every point, or the last of each hour or day.
       */
      interval?: "hour" | "day";
      /**
       * The `next_cursor` of the page before.
       */
      cursor?: string;
      /**
       * Page size, 1 to 5000.
       */
      limit?: number;
    };
    body: undefined;
    answer: ApyHistory;
  };
  /**
   * Token asset metadata
   */
  "GET /api/v1/registry/token-assets": {
    path: {};
    query: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
      /**
       * Only these, comma-separated or repeated.
       *
       * @minItems 1
       * @maxItems 100
       *
       * Items: Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      addresses?: AddressInput[];
    };
    body: undefined;
    answer: TokenAsset[];
  };
  /**
   * Members of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault_address}/members": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
    };
    query: {};
    body: undefined;
    answer: Member[];
  };
  /**
   * Let a wallet see or operate the vault
   */
  "PUT /api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      wallet: AddressInput;
    };
    query: {};
    body: MemberRole;
    answer: Member;
  };
  /**
   * Take operator or view_only back
   */
  "DELETE /api/v1/vaults/{chain_id}/{vault_address}/members/{wallet}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      wallet: AddressInput;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Accept a vault that names you, or undo that
   */
  "PUT /api/v1/me/vaults/{vault_id}": {
    path: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id: VaultIdInput;
    };
    query: {};
    body: Acceptance;
    answer: VaultRole;
  };
  /**
   * Notification channels that you may see
   */
  "GET /api/v1/notification-channels": {
    path: {};
    query: {};
    body: undefined;
    answer: Channel[];
  };
  /**
   * Create a notification channel
   */
  "POST /api/v1/notification-channels": {
    path: {};
    query: {};
    body: NewChannel;
    answer: Channel;
  };
  /**
   * Providers and how their channels are configured
   */
  "GET /api/v1/notification-channels/providers": {
    path: {};
    query: {};
    body: undefined;
    answer: ChannelProvider[];
  };
  /**
   * A notification channel
   */
  "GET /api/v1/notification-channels/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: Channel;
  };
  /**
   * Change a notification channel
   */
  "PATCH /api/v1/notification-channels/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: ChannelChanges;
    answer: Channel;
  };
  /**
   * Delete a notification channel
   */
  "DELETE /api/v1/notification-channels/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Send a test message
   */
  "POST /api/v1/notification-channels/{id}/test": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: ChannelTest;
  };
  /**
   * Send an email channel's confirmation mails again
   */
  "POST /api/v1/notification-channels/{id}/confirmations": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: AskedConfirmations;
  };
  /**
   * Deliveries of a channel
   */
  "GET /api/v1/notification-channels/{id}/deliveries": {
    path: {
      id: string;
    };
    query: {
      status?: "pending" | "delivered" | "failed" | "dead" | "canceled";
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: ChannelDeliveryPage;
  };
  /**
   * Channels bound to a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault_address}/notification-channels": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
    };
    query: {};
    body: undefined;
    answer: BoundChannel[];
  };
  /**
   * Bind a channel to a vault
   */
  "POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
    };
    query: {};
    body: NewBinding;
    answer: BoundChannel;
  };
  /**
   * Bind a channel to a vault, by its path
   */
  "POST /api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
      channel_id: string;
    };
    query: {};
    body: BindingChanges | undefined;
    answer: BoundChannel;
  };
  /**
   * Unbind a channel from a vault
   */
  "DELETE /api/v1/vaults/{chain_id}/{vault_address}/notification-channels/{channel_id}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
      channel_id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Who acts for your wallet from chats
   */
  "GET /api/v1/me/links": {
    path: {};
    query: {};
    body: undefined;
    answer: ChatLink[];
  };
  /**
   * Ask in a channel who acts for your wallet
   */
  "POST /api/v1/me/links": {
    path: {};
    query: {};
    body: NewChatLink;
    answer: ChatLink;
  };
  /**
   * Confirm who acts for your wallet
   */
  "PUT /api/v1/me/links/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: ChatLinkConfirmation;
    answer: ChatLink;
  };
  /**
   * Take a link back
   */
  "DELETE /api/v1/me/links/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Status of the services
   */
  "GET /api/v1/services/status": {
    path: {};
    query: {};
    body: undefined;
    answer: ServiceStatusPage;
  };
  /**
   * Status of the services
   */
  "GET /services/status": {
    path: {};
    query: {};
    body: undefined;
    answer: ServiceStatusPage;
  };
  /**
   * Services of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/services": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
    };
    query: {};
    body: undefined;
    answer: VaultService[];
  };
  /**
   * State of the shard that runs a vault
   */
  "GET /api/v1/engine/shards/{vault_id}/state": {
    path: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id: VaultIdInput;
    };
    query: {};
    body: undefined;
    answer: ShardState;
  };
  /**
   * Readiness of a vault's session key
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/session-key": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
    };
    query: {};
    body: undefined;
    answer: SessionKey;
  };
  /**
   * Merkle jobs of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/merkle": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: MerkleState;
  };
  /**
   * Intents of the caller's vaults
   */
  "GET /api/v1/intents": {
    path: {};
    query: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id?: VaultIdInput;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      strategy_id?: string;
      action?: string;
      state?: IntentState;
      /**
       * Transaction hash: `0x` and 64 hexadecimal digits.
       */
      tx_hash?: string;
      error_code?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      created_from?: TimestampInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      created_to?: TimestampInput;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
      /**
       * A `next_cursor`; not together with `offset`.
       */
      cursor?: string;
    };
    body: undefined;
    answer: IntentPage;
  };
  /**
   * How many intents there are of each kind
   */
  "GET /api/v1/intents/facets": {
    path: {};
    query: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id?: VaultIdInput;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      strategy_id?: string;
      action?: string;
      state?: IntentState;
      /**
       * Transaction hash: `0x` and 64 hexadecimal digits.
       */
      tx_hash?: string;
      error_code?: string;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      created_from?: TimestampInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      created_to?: TimestampInput;
    };
    body: undefined;
    answer: IntentFacets;
  };
  /**
   * An intent
   */
  "GET /api/v1/intents/{intent_id}": {
    path: {
      intent_id: string;
    };
    query: {};
    body: undefined;
    answer: Intent;
  };
  /**
   * Events of an intent
   */
  "GET /api/v1/intents/{intent_id}/events": {
    path: {
      intent_id: string;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: IntentEventPage;
  };
  /**
   * Fills of an intent
   */
  "GET /api/v1/intents/{intent_id}/fills": {
    path: {
      intent_id: string;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: IntentFillPage;
  };
  /**
   * Executed redemptions of the caller's vaults
   */
  "GET /api/v1/fulfill-redeems/executions": {
    path: {};
    query: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      status?: ExecutionStatus;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
      /**
       * From 1; not together with `offset`.
       */
      page?: number;
    };
    body: undefined;
    answer: RedemptionExecutionPage;
  };
  /**
   * Executed redemptions of the caller's vaults
   */
  "GET /fulfill-redeems/executions": {
    path: {};
    query: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      status?: ExecutionStatus;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
      /**
       * From 1; not together with `offset`.
       */
      page?: number;
    };
    body: undefined;
    answer: RedemptionExecutionPage;
  };
  /**
   * Pending redemptions of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/redeems": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: RedeemPage;
  };
  /**
   * Your webhook endpoints
   */
  "GET /api/v1/webhooks": {
    path: {};
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: WebhookPage;
  };
  /**
   * Create a webhook endpoint
   */
  "POST /api/v1/webhooks": {
    path: {};
    query: {};
    body: NewWebhook;
    answer: CreatedWebhook;
  };
  /**
   * A webhook endpoint
   */
  "GET /api/v1/webhooks/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: Webhook;
  };
  /**
   * Change a webhook endpoint
   */
  "PATCH /api/v1/webhooks/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: WebhookChanges;
    answer: Webhook;
  };
  /**
   * Delete a webhook endpoint
   */
  "DELETE /api/v1/webhooks/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Rotate the secret of a webhook endpoint
   */
  "POST /api/v1/webhooks/{id}/rotate-secret": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: RotatedSecret;
  };
  /**
   * Deliveries of a webhook endpoint
   */
  "GET /api/v1/webhooks/{id}/deliveries": {
    path: {
      id: string;
    };
    query: {
      status?: "pending" | "delivered" | "failed" | "dead" | "canceled";
      event_type?: WebhookEventType;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: WebhookDeliveryPage;
  };
  /**
   * Test a webhook endpoint
   */
  "POST /api/v1/webhooks/{id}/test": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: WebhookDelivery;
  };
  /**
   * Replay deliveries of a webhook endpoint
   */
  "POST /api/v1/webhooks/{id}/replay": {
    path: {
      id: string;
    };
    query: {};
    body: WebhookReplayRequest;
    answer: WebhookReplay;
  };
  /**
   * Replay a delivery
   */
  "POST /api/v1/webhook-deliveries/{id}/replay": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: WebhookDelivery;
  };
  /**
   * Audit log
   */
  "GET /api/v1/audit/logs": {
    path: {};
    query: {
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id?: ChainIdOrZero;
      /**
       * Several: repeated or comma-separated.
       *
       * @minItems 1
       * @maxItems 100
       */
      action_type?: ActionType[];
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      actor_wallet?: AddressInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: TimestampInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: TimestampInput;
      /**
       * What from_timestamp, to_timestamp and the order go by: the entry's `timestamp` (default), or its block's time (`recorded_at` where there is no block).
       */
      time_field?: "timestamp" | "block";
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Entries skipped, in the order of the list; default 0. Not with a cursor.
       */
      offset?: number;
      /**
       * Default desc, the newest first. Not with a cursor.
       */
      order?: "asc" | "desc";
      /**
       * Walks forward in the order of `seq`: `start`, `now`, or a `next_cursor`. Never skips or repeats an entry, and never ends.
       */
      cursor?: string;
    };
    body: undefined;
    answer: AuditLogPage;
  };
  /**
   * One entry of the audit log
   */
  "GET /api/v1/audit/logs/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: AuditEntry;
  };
  /**
   * Export of the audit log
   */
  "GET /api/v1/audit/export": {
    path: {};
    query: {
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id?: ChainIdOrZero;
      /**
       * Several: repeated or comma-separated.
       *
       * @minItems 1
       * @maxItems 100
       */
      action_type?: ActionType[];
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      actor_wallet?: AddressInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: TimestampInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: TimestampInput;
      /**
       * What from_timestamp, to_timestamp and the order go by: the entry's `timestamp` (default), or its block's time (`recorded_at` where there is no block).
       */
      time_field?: "timestamp" | "block";
      /**
       * Default desc, the newest first. Not with a cursor.
       */
      order?: "asc" | "desc";
      /**
       * Default false. Not with CSV.
       */
      proofs?: boolean;
    };
    body: undefined;
    answer: AuditExport | string;
  };
  /**
   * Signed checkpoint
   */
  "GET /api/v1/audit/checkpoint": {
    path: {};
    query: {
      /**
       * Exactly this number of entries; 404 when none was signed there.
       */
      size?: number;
      /**
       * The newest that `audit.witness_quorum` witnesses have cosigned; 404 `no_quorum` while there is none. Not with `size`.
       */
      quorum?: boolean;
    };
    body: undefined;
    answer: string;
  };
  /**
   * Public keys of the audit log
   */
  "GET /api/v1/audit/keys": {
    path: {};
    query: {};
    body: undefined;
    answer: AuditKeys;
  };
  /**
   * Inclusion proof
   */
  "GET /api/v1/audit/proof": {
    path: {};
    query: {
      seq: number;
      /**
       * At least seq, at most the size of the newest checkpoint.
       */
      size?: number;
    };
    body: undefined;
    answer: InclusionProof;
  };
  /**
   * Consistency proof
   */
  "GET /api/v1/audit/proof/consistency": {
    path: {};
    query: {
      /**
       * The earlier size.
       */
      from: number;
      /**
       * The later size, at most that of the newest checkpoint.
       */
      to: number;
    };
    body: undefined;
    answer: ConsistencyProof;
  };
  /**
   * State of the background check
   */
  "GET /api/v1/audit/verification": {
    path: {};
    query: {};
    body: undefined;
    answer: AuditVerification;
  };
  /**
   * Bundle of one entry
   */
  "GET /api/v1/audit/bundle/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: string;
  };
  /**
   * Audit log as server-sent events
   */
  "GET /api/v1/audit/stream": {
    path: {};
    query: {
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      /**
       * Chain identifier (EIP-155); 0 for what concerns no vault.
       */
      chain_id?: ChainIdOrZero;
      /**
       * Several: repeated or comma-separated.
       *
       * @minItems 1
       * @maxItems 100
       */
      action_type?: ActionType[];
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      actor_wallet?: AddressInput;
      /**
       * Walks forward in the order of `seq`: `start`, `now`, or a `next_cursor`. Never skips or repeats an entry, and never ends.
       */
      cursor?: string;
    };
    body: undefined;
    answer: string;
  };
  /**
   * Alerts of the caller's vaults
   */
  "GET /api/v1/alerts": {
    path: {};
    query: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id?: VaultIdInput;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      /**
       * @minItems 1
       * @maxItems 100
       */
      category?: AlertCategory[];
      /**
       * @minItems 1
       * @maxItems 100
       */
      severity?: AlertSeverity[];
      /**
       * @minItems 1
       * @maxItems 100
       */
      status?: AlertStatus[];
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      from_timestamp?: TimestampInput;
      /**
       * ISO 8601 time, extended or basic (`20260509T100000Z`), with `Z`, an offset or none (UTC), up to 9 fractional digits (cut to the microsecond), or a date alone. No weeks, no days of the year.
       */
      to_timestamp?: TimestampInput;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: AlertPage;
  };
  /**
   * An alert
   */
  "GET /api/v1/alerts/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: Alert;
  };
  /**
   * Acknowledge an alert
   */
  "POST /api/v1/alerts/{id}/acknowledge": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: Alert;
  };
  /**
   * Silences of the caller's vaults
   */
  "GET /api/v1/silences": {
    path: {};
    query: {
      /**
       * Vault id: `{chain_id}:{vault_address}`; the colon may be URL-encoded.
       */
      vault_id?: VaultIdInput;
      /**
       * Chain identifier (EIP-155).
       */
      chain_id?: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address?: AddressInput;
      is_active?: boolean;
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
      /**
       * Number of entries skipped, in the order of the list.
       */
      offset?: number;
    };
    body: undefined;
    answer: SilencePage;
  };
  /**
   * Silence a vault for a while
   */
  "POST /api/v1/silences": {
    path: {};
    query: {};
    body: NewSilence;
    answer: Silence;
  };
  /**
   * End a silence early
   */
  "DELETE /api/v1/silences/{id}": {
    path: {
      id: string;
    };
    query: {};
    body: undefined;
    answer: undefined;
  };
  /**
   * Try alert rules on the last 30 days
   */
  "POST /api/v1/vaults/{chain_id}/{vault_address}/alert-rules/preview": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
    };
    query: {};
    body: AlertRulesPreview;
    answer: AlertRulesEffect;
  };
  /**
   * Alert rules of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault_address}/alert-rules": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
    };
    query: {};
    body: undefined;
    answer: VaultAlertRules;
  };
  /**
   * Set the alert rules of a vault
   */
  "PUT /api/v1/vaults/{chain_id}/{vault_address}/alert-rules": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault_address: AddressInput;
    };
    query: {};
    body: AlertRulesChange;
    answer: VaultAlertRules;
  };
  /**
   * Tell what was submitted for a prepared action
   */
  "POST /api/v1/vaults/{chain_id}/{vault}/prepared-actions/{id}/submissions": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
      id: string;
    };
    query: {};
    body: NewActionSubmission;
    answer: PreparedAction;
  };
  /**
   * What may be done to a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/actions": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
    };
    query: {};
    body: undefined;
    answer: ActionCatalogue;
  };
  /**
   * Prepare an action
   */
  "POST /api/v1/vaults/{chain_id}/{vault}/prepared-actions": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
    };
    query: {};
    body: NewPreparedAction;
    answer: PreparedAction;
  };
  /**
   * The caller's prepared actions of a vault
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/prepared-actions": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
    };
    query: {
      /**
       * Page size, 1 to 1000.
       */
      limit?: number;
    };
    body: undefined;
    answer: PreparedActions;
  };
  /**
   * A prepared action
   */
  "GET /api/v1/vaults/{chain_id}/{vault}/prepared-actions/{id}": {
    path: {
      /**
       * Chain identifier (EIP-155).
       */
      chain_id: ChainId;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      vault: AddressInput;
      id: string;
    };
    query: {
      /**
       * Where a Safe owns the Safe that acts: the nonce of the transaction by which it approves, for the hashes of that.
       */
      owner_nonce?: string;
    };
    body: undefined;
    answer: PreparedAction;
  };
  /**
   * What was pressed in a chat
   */
  "POST /api/v1/inbound/{provider}/{inbound_id}": {
    path: {
      provider: "slack" | "telegram";
      inbound_id: string;
    };
    query: {};
    body: undefined;
    answer: InboundAnswer;
  };
  /**
   * Report events
   */
  "POST /api/v1/ingest/events": {
    path: {};
    query: {};
    body: EngineEvent;
    answer: ReportResults;
  };
}
/**
 * A problem document (RFC 9457).
 */
export interface Problem {
  /**
   * URL of the code's documentation.
   */
  type: string;
  title: string;
  status: number;
  /**
   * What is wrong and what to do, for people.
   */
  detail: string;
  /**
   * What to decide by. Codes may be added.
   */
  code: string;
  request_id: string;
  /**
   * The faults of a request, each with its place.
   */
  errors?: {
    path: string;
    message: string;
  }[];
}
export interface Acceptance {
  accepted: boolean;
}
/**
 * The same at the moment at which a timelocked call can be executed.
 */
export interface ActionAtExecution {
  block_number: number;
  block_timestamp: Timestamp;
  ok: boolean | null;
  error: ActionError | null;
  changes: ForetoldChange[] | null;
  entries: ForetoldEntry[] | null;
  alerts: ForetoldAlert[] | null;
}
export interface ActionCall {
  to: Address;
  value: Quantity;
  data: string;
  function: string;
  arguments: {
    [k: string]: unknown;
  };
}
export interface ActionCatalogue {
  actions: ActionOffer[];
}
export interface ActionError {
  /**
   * Which of the calls reverted, from 0.
   */
  call: number;
  selector: string | null;
  name: string | null;
  arguments: {
    [k: string]: unknown;
  } | null;
  /**
   * What it reverted with, its first 4,096 bytes at most.
   */
  data: string;
}
/**
 * A manager's action that leaves no trace onchain. Becomes an audit entry. No report can create an entry of a kind that comes from the chain.
 */
export interface ActionEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.action";
  time: TimestampInput;
  subject: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    action_type:
      "emergency_exit_arm" | "emergency_exit_stop" | "session_key_grant" | "session_key_rotate" | "session_key_revoke";
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    actor_wallet: AddressInput;
    details: {
      [k: string]: unknown;
    };
  };
}
export interface ActionFormats {
  /**
   * Parameters of `wallet_sendCalls`.
   */
  eip5792: {
    [k: string]: unknown;
  };
  /**
   * A file for Safe's transaction builder, with its checksum.
   */
  safe_transaction_builder: {
    [k: string]: unknown;
  };
  safe?: ActionSafeTransaction;
}
export interface ActionOffer {
  /**
   * The action's name, by which it is prepared.
   */
  action: string;
  title: string;
  description: string;
  /**
   * Contract roles, in the family's own words, any of which may; empty: anybody may.
   */
  who: string[];
  /**
   * JSON Schema of `parameters`, an object. `x-kind` of a member says how its value is shown: `assets` and `shares` are raw units, `fraction` is × 10^18, `bps` are basis points.
   */
  parameters: {
    [k: string]: unknown;
  };
  dispatch_parameters: {
    [k: string]: unknown;
  } | null;
  /**
   * What it does has to wait before it can be executed.
   */
  is_timelocked: boolean;
  delay_seconds: number | null;
  /**
   * The caller, or a Safe for which the caller signs, holds one of these roles.
   */
  can_do: boolean;
  why_not: string | null;
}
export interface ActionOwnerSafe {
  safe: Address;
  approval: {
    /**
     * What is signed, by the names of EIP-712's `SafeTx`.
     */
    transaction: {
      to: Address;
      value: Quantity;
      data: string;
      /**
       * 0: a call; 1: a delegatecall, to MultiSendCallOnly.
       */
      operation: number;
      safeTxGas: Quantity;
      baseGas: Quantity;
      gasPrice: Quantity;
      gasToken: Address;
      refundReceiver: Address;
      nonce: Quantity;
    };
    /**
     * Of the Safe and its chain.
     */
    domain: string;
    /**
     * Of the transaction's members.
     */
    message: string;
    /**
     * What is signed: made of the other two.
     */
    safe_tx_hash: string;
  } | null;
  signature: {
    /**
     * What the message holds.
     */
    content: string;
    /**
     * Of the owning Safe and its chain.
     */
    domain: string;
    /**
     * Of the message's content.
     */
    message: string;
    /**
     * What is signed: made of the other two.
     */
    safe_message_hash: string;
  } | null;
}
export interface ActionPrecondition {
  ok: boolean;
  text: string;
}
/**
 * With `safe_nonce` alone: the Safe's transaction, and the hashes that signers compare.
 */
export interface ActionSafeTransaction {
  /**
   * What is signed, by the names of EIP-712's `SafeTx`.
   */
  transaction: {
    to: Address;
    value: Quantity;
    data: string;
    /**
     * 0: a call; 1: a delegatecall, to MultiSendCallOnly.
     */
    operation: number;
    safeTxGas: Quantity;
    baseGas: Quantity;
    gasPrice: Quantity;
    gasToken: Address;
    refundReceiver: Address;
    nonce: Quantity;
  };
  /**
   * Of the Safe and its chain.
   */
  domain: string;
  /**
   * Of the transaction's members.
   */
  message: string;
  /**
   * What is signed: made of the other two.
   */
  safe_tx_hash: string;
  /**
   * Safes that own the Safe: they sign no hash of its, but agree in one of two ways of their own.
   */
  owner_safes: ActionOwnerSafe[];
}
export interface ActionSimulation {
  /**
   * By `eth_call` the first call alone is judged: the rest is null, for the reason given.
   */
  method: "eth_simulateV1" | "eth_call";
  /**
   * Of the block on which it was simulated.
   */
  block_hash: string;
  block_number: number;
  block_timestamp: Timestamp;
  ok: boolean | null;
  error: ActionError | null;
  changes: ForetoldChange[] | null;
  entries: ForetoldEntry[] | null;
  alerts: ForetoldAlert[] | null;
  unavailable_reason: string | null;
  at_execution: ActionAtExecution | null;
}
export interface ActionSubmission {
  transaction_hash: string | null;
  safe_tx_hash: string | null;
  submitted_at: Timestamp;
  /**
   * `unrelated`: a confirmed transaction that did not do what was prepared, or one that no node has known for a day. It counts for nothing.
   */
  status: "pending" | "executed" | "failed" | "replaced" | "unrelated";
}
export interface Alert {
  id: string;
  category: AlertCategory;
  /**
   * What it is about within the category: a service's name, a strategy, a kind of job.
   */
  subject: string;
  severity: AlertSeverity;
  status: AlertStatus;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  vault_name: string | null;
  title: string;
  /**
   * What happened, to which vault, since when.
   */
  message: string;
  /**
   * What to do next.
   */
  next_step: string;
  details: {
    [k: string]: unknown;
  };
  /**
   * The alert in the console.
   */
  console_url: string;
  transaction_url: string | null;
  /**
   * It rests on a block that a reorganisation may still remove.
   */
  is_unconfirmed: boolean;
  /**
   * A reorganisation removed what it rested on.
   */
  is_withdrawn: boolean;
  /**
   * It comes and goes, and stays open until it has not been seen for five minutes.
   */
  is_flapping: boolean;
  started_at: Timestamp;
  last_seen_at: Timestamp;
  resolved_at: Timestamp | null;
  acknowledged_at: Timestamp | null;
  acknowledged_by: Address | null;
  last_notice: ("opened" | "severity_raised" | "reminder") | null;
}
export interface AlertDispatchCall {
  /**
   * The action that it belongs to.
   */
  action: string;
  from: Address;
  to: Address;
  value: Quantity;
  data: string;
  function: string;
  arguments: {
    [k: string]: unknown;
  };
  /**
   * On top of which block it was seen to succeed.
   */
  simulation: {
    method: "eth_simulateV1" | "eth_call";
    block_number: number;
    block_hash: string;
    ok: true;
  };
  valid_until: Timestamp;
}
export interface AlertDispatchEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "alert.dispatch";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    alert: Alert;
    as_of: {
      block_number: number;
      block_hash: string;
      block_timestamp: Timestamp;
      confirmed: boolean;
    } | null;
    /**
     * To be sent in their order, each from its `from`. They were prepared and seen to succeed right before the event went out, and retries bear the same: after `valid_until`, ten minutes later, look at the alert and the vault, and prepare anew.
     */
    calls: AlertDispatchCall[];
    /**
     * Actions that the rules name and of which there are no calls now, with the reason.
     */
    unprepared: {
      action: string;
      reason: string;
    }[];
  };
}
export interface AlertDispatchSetting {
  category:
    | "upkeep"
    | "pps_staleness"
    | "keeper_run"
    | "session_key"
    | "emergency_pause"
    | "emergency_exit"
    | "merkle"
    | "execution"
    | "price"
    | "losses"
    | "liquidity"
    | "flows"
    | "tvl"
    | "governance"
    | "allocation";
  action: string;
  parameters: {
    [k: string]: unknown;
  };
  from: Address | null;
}
export interface AlertFiringEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "alert.firing";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: Alert;
}
export interface AlertPage {
  alerts: Alert[];
  total: number;
  has_more: boolean;
}
export interface AlertResolvedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "alert.resolved";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: Alert;
}
/**
 * Thresholds of vaults that have none of their own.
 */
export interface AlertRules {
  /**
   * Upkeep short of what the next update of the price costs, or of a reserve.
   */
  upkeep: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.
     */
    reserve: QuantityInput;
  };
  /**
   * A price per share that expires soon, or has.
   */
  pps_staleness: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * Remaining time of the price at which it is a warning.
     */
    warning_seconds: number;
    /**
     * Remaining part of the price's lifetime at which it is a warning, if that is less time.
     */
    warning_fraction: number;
    /**
     * Remaining time of the price at which it is critical.
     */
    critical_seconds: number;
    /**
     * Remaining part of the price's lifetime at which it is critical, if that is less time.
     */
    critical_fraction: number;
  };
  /**
   * A service that fails or falls silent.
   */
  keeper_run: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * Failed runs in a row that are a warning.
     */
    consecutive_failures: number;
    /**
     * Success rate of the last 100 runs under which it is a warning.
     */
    warning_success_rate: number;
    /**
     * Success rate under which it is critical.
     */
    critical_success_rate: number;
    /**
     * Schedules without a run that are a warning.
     */
    warning_schedules: number;
    /**
     * Schedules without a run that are critical.
     */
    critical_schedules: number;
  };
  /**
   * A session key that is not ready, expires soon, or is to be rotated.
   */
  session_key: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * Remaining lifetime of the key at which it is a warning.
     */
    expires_within_seconds: number;
  };
  /**
   * A vault that is paused.
   */
  emergency_pause: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
  };
  /**
   * An emergency liquidity exit that is armed.
   */
  emergency_exit: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
  };
  /**
   * A merkle root that could not be generated or published, or was vetoed.
   */
  merkle: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
  };
  /**
   * Intents of a strategy that fail again and again.
   */
  execution: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * Failed or aborted intents of a strategy that are a warning; twice as many are critical.
     */
    failures: number;
    /**
     * Within how long.
     */
    window_seconds: number;
  };
  /**
   * A price per share that fell, or jumped.
   */
  price: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * How long back the price is compared with the highest and the lowest that it was.
     */
    window_seconds: number;
    /**
     * Fall at which it is a warning.
     */
    warning_drop_fraction: number;
    /**
     * Fall at which it is critical.
     */
    critical_drop_fraction: number;
    /**
     * Rise at which it is a warning.
     */
    jump_fraction: number;
  };
  /**
   * Losses and bad debt.
   */
  losses: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * Part of the total assets; a loss of more is critical, one of less is not told.
     */
    loss_fraction: number;
    /**
     * After how long what happened once is resolved, unless it was acknowledged before.
     */
    resolve_after_seconds: number;
  };
  /**
   * Exits that could not be paid, or wait.
   */
  liquidity: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * Part of the total assets that can be withdrawn at once, below which it is a warning.
     */
    warning_min_withdrawable_fraction: number;
    /**
     * Part of the total assets that can be withdrawn at once, below which it is critical.
     */
    critical_min_withdrawable_fraction: number;
    /**
     * Part of the total assets that cannot be withdrawn at once, above which it is a warning; null: off.
     */
    max_utilisation_fraction: number | null;
    /**
     * Part of the shares whose holders wait to be paid, above which it is a warning; null: off.
     */
    max_pending_fraction: number | null;
    /**
     * How long a request to leave may wait.
     */
    max_request_age_seconds: number;
  };
  /**
   * Large deposits and withdrawals, and shares that were made for nothing.
   */
  flows: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * US dollars that one transaction brought or took, above which it is told; where no price of the asset is known it is not asked.
     */
    single_usd: number;
    /**
     * Part of the shares before it that one transaction made or destroyed, above which it is a warning; where the price of the asset is known, only above 50,000 US dollars.
     */
    single_fraction: number;
    /**
     * Part of the shares that were made within an hour without deposits, fees or settlements, above which it is critical.
     */
    supply_fraction: number;
    /**
     * After how long what happened once is resolved, unless it was acknowledged before.
     */
    resolve_after_seconds: number;
  };
  /**
   * Total assets that moved, deposits and withdrawals taken off.
   */
  tvl: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * How long back the total assets are compared with the most and the least that they were.
     */
    window_seconds: number;
    /**
     * Change of the total assets, deposits and withdrawals taken off, at which it is a warning.
     */
    change_fraction: number;
  };
  /**
   * Changes of a vault's governance: submitted, executable, executed, revoked.
   */
  governance: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * How long before a submitted change can be executed it is told again, as a warning.
     */
    notice_seconds: number;
    /**
     * Accounts that propose changes. A proposal of anybody else is critical; none: nobody is asked about.
     *
     * @maxItems 100
     */
    known_actors: string[];
    /**
     * After how long what happened once is resolved, unless it was acknowledged before.
     */
    resolve_after_seconds: number;
  };
  /**
   * Assets that lie where they should not.
   */
  allocation: {
    /**
     * Whether the category is watched.
     */
    is_enabled: boolean;
    /**
     * Part of the total assets that is idle, above which for `idle_seconds` it is a warning; null: off.
     */
    max_idle_fraction: number | null;
    /**
     * How long so much has to be idle.
     */
    idle_seconds: number;
    /**
     * The part of the total assets that each position should have, by its id.
     */
    targets: {
      [k: string]: number;
    };
    /**
     * Part of the total assets by which a position may be away from its target; null: off.
     */
    drift_fraction: number | null;
    /**
     * Part of a position's cap that is used, above which it is told; null: off.
     */
    cap_fraction: number | null;
  };
}
export interface AlertRulesChange {
  rules: AlertRulesPatch;
  /**
   * De-risking actions whose calls `alert.dispatch` hands to bots; for primary managers. Left out: what is set stays. `[]`: none.
   *
   * @maxItems 32
   */
  dispatch?: NewAlertDispatch[];
}
export interface AlertRulesEffect {
  from_timestamp: Timestamp;
  to_timestamp: Timestamp;
  categories: {
    category: string;
    critical: number;
    warning: number;
    info: number;
  }[];
  alerts: {
    at: Timestamp;
    category: string;
    subject: string;
    severity: "critical" | "warning" | "info";
    title: string;
    message: string;
  }[];
}
/**
 * Thresholds of vaults that have none of their own.
 */
export interface AlertRulesPatch {
  /**
   * Upkeep short of what the next update of the price costs, or of a reserve.
   */
  upkeep?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * Raw upkeep tokens to keep above what an update of the price costs: less is a warning, less than an update costs is critical.
     */
    reserve?: QuantityInput;
  };
  /**
   * A price per share that expires soon, or has.
   */
  pps_staleness?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * Remaining time of the price at which it is a warning.
     */
    warning_seconds?: number;
    /**
     * Remaining part of the price's lifetime at which it is a warning, if that is less time.
     */
    warning_fraction?: number;
    /**
     * Remaining time of the price at which it is critical.
     */
    critical_seconds?: number;
    /**
     * Remaining part of the price's lifetime at which it is critical, if that is less time.
     */
    critical_fraction?: number;
  };
  /**
   * A service that fails or falls silent.
   */
  keeper_run?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * Failed runs in a row that are a warning.
     */
    consecutive_failures?: number;
    /**
     * Success rate of the last 100 runs under which it is a warning.
     */
    warning_success_rate?: number;
    /**
     * Success rate under which it is critical.
     */
    critical_success_rate?: number;
    /**
     * Schedules without a run that are a warning.
     */
    warning_schedules?: number;
    /**
     * Schedules without a run that are critical.
     */
    critical_schedules?: number;
  };
  /**
   * A session key that is not ready, expires soon, or is to be rotated.
   */
  session_key?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * Remaining lifetime of the key at which it is a warning.
     */
    expires_within_seconds?: number;
  };
  /**
   * A vault that is paused.
   */
  emergency_pause?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
  };
  /**
   * An emergency liquidity exit that is armed.
   */
  emergency_exit?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
  };
  /**
   * A merkle root that could not be generated or published, or was vetoed.
   */
  merkle?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
  };
  /**
   * Intents of a strategy that fail again and again.
   */
  execution?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * Failed or aborted intents of a strategy that are a warning; twice as many are critical.
     */
    failures?: number;
    /**
     * Within how long.
     */
    window_seconds?: number;
  };
  /**
   * A price per share that fell, or jumped.
   */
  price?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * How long back the price is compared with the highest and the lowest that it was.
     */
    window_seconds?: number;
    /**
     * Fall at which it is a warning.
     */
    warning_drop_fraction?: number;
    /**
     * Fall at which it is critical.
     */
    critical_drop_fraction?: number;
    /**
     * Rise at which it is a warning.
     */
    jump_fraction?: number;
  };
  /**
   * Losses and bad debt.
   */
  losses?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * Part of the total assets; a loss of more is critical, one of less is not told.
     */
    loss_fraction?: number;
    /**
     * After how long what happened once is resolved, unless it was acknowledged before.
     */
    resolve_after_seconds?: number;
  };
  /**
   * Exits that could not be paid, or wait.
   */
  liquidity?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * Part of the total assets that can be withdrawn at once, below which it is a warning.
     */
    warning_min_withdrawable_fraction?: number;
    /**
     * Part of the total assets that can be withdrawn at once, below which it is critical.
     */
    critical_min_withdrawable_fraction?: number;
    /**
     * Part of the total assets that cannot be withdrawn at once, above which it is a warning; null: off.
     */
    max_utilisation_fraction?: number | null;
    /**
     * Part of the shares whose holders wait to be paid, above which it is a warning; null: off.
     */
    max_pending_fraction?: number | null;
    /**
     * How long a request to leave may wait.
     */
    max_request_age_seconds?: number;
  };
  /**
   * Large deposits and withdrawals, and shares that were made for nothing.
   */
  flows?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * US dollars that one transaction brought or took, above which it is told; where no price of the asset is known it is not asked.
     */
    single_usd?: number;
    /**
     * Part of the shares before it that one transaction made or destroyed, above which it is a warning; where the price of the asset is known, only above 50,000 US dollars.
     */
    single_fraction?: number;
    /**
     * Part of the shares that were made within an hour without deposits, fees or settlements, above which it is critical.
     */
    supply_fraction?: number;
    /**
     * After how long what happened once is resolved, unless it was acknowledged before.
     */
    resolve_after_seconds?: number;
  };
  /**
   * Total assets that moved, deposits and withdrawals taken off.
   */
  tvl?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * How long back the total assets are compared with the most and the least that they were.
     */
    window_seconds?: number;
    /**
     * Change of the total assets, deposits and withdrawals taken off, at which it is a warning.
     */
    change_fraction?: number;
  };
  /**
   * Changes of a vault's governance: submitted, executable, executed, revoked.
   */
  governance?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * How long before a submitted change can be executed it is told again, as a warning.
     */
    notice_seconds?: number;
    /**
     * Accounts that propose changes. A proposal of anybody else is critical; none: nobody is asked about.
     *
     * @maxItems 100
     */
    known_actors?: string[];
    /**
     * After how long what happened once is resolved, unless it was acknowledged before.
     */
    resolve_after_seconds?: number;
  };
  /**
   * Assets that lie where they should not.
   */
  allocation?: {
    /**
     * Whether the category is watched.
     */
    is_enabled?: boolean;
    /**
     * Part of the total assets that is idle, above which for `idle_seconds` it is a warning; null: off.
     */
    max_idle_fraction?: number | null;
    /**
     * How long so much has to be idle.
     */
    idle_seconds?: number;
    /**
     * The part of the total assets that each position should have, by its id.
     */
    targets?: {
      [k: string]: number;
    };
    /**
     * Part of the total assets by which a position may be away from its target; null: off.
     */
    drift_fraction?: number | null;
    /**
     * Part of a position's cap that is used, above which it is told; null: off.
     */
    cap_fraction?: number | null;
  };
}
export interface AlertRulesPreview {
  rules: AlertRulesPatch;
}
export interface Allocation {
  /**
   * An id of caps, a market, or a strategy's address, as the family names it.
   */
  id: string;
  kind: "adapter" | "market" | "collateral" | "strategy";
  address: Address | null;
  label: string | null;
  assets: Quantity | null;
  absolute_cap: Quantity | null;
  is_absolute_capped: boolean;
  relative_cap: string | null;
  is_relative_capped: boolean;
  share: number | null;
}
export interface ApyHistory {
  windows: {
    "1d": number | null;
    "7d": number | null;
    "30d": number | null;
    inception: number | null;
  };
  window_details: {
    "1d": ApyWindow | null;
    "7d": ApyWindow | null;
    "30d": ApyWindow | null;
    inception: ApyWindow | null;
  };
  unavailable_reasons: {
    [k: string]: string;
  };
  points: ApyPoint[];
  next_cursor: string | null;
}
export interface ApyPoint {
  timestamp: Timestamp;
  apy_7d: number | null;
}
export interface ApyWindow {
  from_timestamp: Timestamp;
  to_timestamp: Timestamp;
  from_pps: Quantity;
  to_pps: Quantity;
  /**
   * `from_pps` × 10^18, with as many digits as the contract gives: what the yield is computed from.
   */
  from_pps_e18: string;
  /**
   * `to_pps` × 10^18, likewise.
   */
  to_pps_e18: string;
  seconds: number;
}
export interface AskedConfirmations {
  asked: string[];
}
export interface Attention {
  /**
   * Category of the alert.
   */
  kind: string;
  severity: "critical" | "warning";
  since: Timestamp;
  text: string;
  /**
   * The alert in the console.
   */
  link: string;
}
export interface AuditEntryAbdicate {
  action_type: "abdicate";
  /**
   * A function was given up for good: no submitted call of it can be executed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryAccessRuleChange {
  action_type: "access_rule_change";
  /**
   * Who may deposit, hold or withdraw changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryAdapterAdd {
  action_type: "adapter_add";
  /**
   * An adapter was added.
   */
  details: GovernanceDetails;
}
export interface AuditEntryAdapterRemove {
  action_type: "adapter_remove";
  /**
   * An adapter was removed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryAlertAcknowledge {
  action_type: "alert_acknowledge";
  /**
   * An alert was acknowledged.
   */
  details: {
    alert_id: string;
    category: string;
    /**
     * Of what was done from a chat: by which channel and user.
     */
    via?: {
      channel_id: string;
      provider: string;
      /**
       * The user's id at the provider.
       */
      provider_user: string;
      channel_created_by: Address;
    };
  };
}
export interface AuditEntryAlertRuleUpdate {
  action_type: "alert_rule_update";
  /**
   * Rules of alerts were changed; their names and values, in `dispatch` the actions that bots are handed the calls of, where those were set.
   */
  details: {
    [k: string]: unknown;
  };
}
export interface AuditEntryAlertSilence {
  action_type: "alert_silence";
  /**
   * Alerts were silenced, or a silence was ended early.
   */
  details: {
    silence_id: string;
    category: string | null;
    ends_at: Timestamp;
    reason: string;
    ended?: true;
    /**
     * Of what was done from a chat: by which channel and user.
     */
    via?: {
      channel_id: string;
      provider: string;
      /**
       * The user's id at the provider.
       */
      provider_user: string;
      channel_created_by: Address;
    };
  };
}
export interface AuditEntryAllocationChange {
  action_type: "allocation_change";
  /**
   * Assets were moved to or from a market, an adapter or a strategy.
   */
  details: GovernanceDetails;
}
export interface AuditEntryAuditRollbackAcknowledge {
  action_type: "audit_rollback_acknowledge";
  /**
   * The database with entries that were signed for is lost for good: the log goes on under another name.
   */
  details: {
    reason: string;
    /**
     * Entries before this one.
     */
    log_size: number;
    /**
     * Entries of the largest checkpoint that the log does not bear out.
     */
    signed_size: number;
    /**
     * That checkpoint's root, in base64.
     */
    signed_root: string;
    /**
     * The log's name in it.
     */
    signed_as: string;
    /**
     * The log's name from now on.
     */
    continued_as: string;
  };
}
export interface AuditEntryCapChange {
  action_type: "cap_change";
  /**
   * A cap changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryCapChangePropose {
  action_type: "cap_change_propose";
  /**
   * A higher cap was submitted.
   */
  details: GovernanceDetails;
}
export interface AuditEntryChainReorgRevert {
  action_type: "chain_reorg_revert";
  /**
   * A reorganisation undid an entry. Its place in the chain is the one that the operation had.
   */
  details: {
    reverted_id: string;
    reverted_seq: string;
    reverted_action_type: string;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryChatLinkAdd {
  action_type: "chat_link_add";
  /**
   * A user of a chat acts for the wallet in one channel, once the wallet has confirmed who it is.
   */
  details: {
    link_id: string;
    /**
     * Of what was done from a chat: by which channel and user.
     */
    via: {
      channel_id: string;
      provider: string;
      /**
       * The user's id at the provider.
       */
      provider_user: string;
      channel_created_by: Address;
    };
  };
}
export interface AuditEntryChatLinkRemove {
  action_type: "chat_link_remove";
  /**
   * A user of a chat no longer acts for a wallet in a channel.
   */
  details: {
    link_id: string;
    wallet: Address;
    /**
     * Of what was done from a chat: by which channel and user.
     */
    via: {
      channel_id: string;
      provider: string;
      /**
       * The user's id at the provider.
       */
      provider_user: string;
      channel_created_by: Address;
    };
  };
}
export interface AuditEntryCuratorChange {
  action_type: "curator_change";
  /**
   * The curator changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryDeposit {
  action_type: "deposit";
  /**
   * Assets were deposited and shares were minted for them.
   */
  details: {
    sender: Address;
    owner: Address;
    assets: Quantity;
    shares: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryDepositCancel {
  action_type: "deposit_cancel";
  /**
   * The assets of a cancelled deposit were taken back.
   */
  details: {
    receiver: Address;
    controller: Address;
    request_id: Quantity;
    sender: Address;
    assets: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryDepositCancelRequest {
  action_type: "deposit_cancel_request";
  /**
   * The cancellation of a deposit was requested.
   */
  details: {
    controller: Address;
    request_id: Quantity;
    sender: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryDepositFulfill {
  action_type: "deposit_fulfill";
  /**
   * A requested deposit can be claimed.
   */
  details: {
    controller: Address;
    request_id: Quantity;
    assets: Quantity;
    shares: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryDepositRequest {
  action_type: "deposit_request";
  /**
   * A deposit was requested.
   */
  details: {
    controller: Address;
    owner: Address;
    request_id: Quantity;
    sender: Address;
    assets: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryEmergencyExitArm {
  action_type: "emergency_exit_arm";
  /**
   * The emergency exit was armed.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    /**
     * What the engine sent as `details`.
     */
    reported_details?: {
      [k: string]: unknown;
    };
  };
}
export interface AuditEntryEmergencyExitStop {
  action_type: "emergency_exit_stop";
  /**
   * The emergency exit was stopped.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    /**
     * What the engine sent as `details`.
     */
    reported_details?: {
      [k: string]: unknown;
    };
  };
}
export interface AuditEntryEmergencyWithdraw {
  action_type: "emergency_withdraw";
  /**
   * Assets were taken out of the strategy in an emergency.
   */
  details: {
    recipient: Address;
    assets: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryFallbackHandlerChange {
  action_type: "fallback_handler_change";
  /**
   * The fallback handler of a Safe changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryFeeConfigPropose {
  action_type: "fee_config_propose";
  /**
   * Other fees were proposed.
   */
  details:
    | {
        /**
         * Basis points, as a decimal string.
         */
        performance_fee_bps: string;
        /**
         * Basis points, as a decimal string.
         */
        management_fee_bps: string;
        recipient: Address;
        effective_at: Timestamp;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | GovernanceDetails;
}
export interface AuditEntryFeeConfigUpdate {
  action_type: "fee_config_update";
  /**
   * Other fees came into force.
   */
  details:
    | {
        /**
         * Basis points, as a decimal string.
         */
        performance_fee_bps: string;
        /**
         * Basis points, as a decimal string.
         */
        management_fee_bps: string;
        recipient: Address;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | GovernanceDetails;
}
export interface AuditEntryFeeRecipientChange {
  action_type: "fee_recipient_change";
  /**
   * Fees go to another recipient.
   */
  details:
    | {
        recipient: Address;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | GovernanceDetails;
}
export interface AuditEntryFeeSkim {
  action_type: "fee_skim";
  /**
   * The performance fee was taken.
   */
  details: {
    fee_amount: Quantity;
    old_pps: Quantity;
    pps: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryForceDeallocate {
  action_type: "force_deallocate";
  /**
   * Somebody took assets out of an adapter against a penalty.
   */
  details: GovernanceDetails;
}
export interface AuditEntryGateChange {
  action_type: "gate_change";
  /**
   * Another contract judges who may hold or move shares or assets.
   */
  details: GovernanceDetails;
}
export interface AuditEntryGuardChange {
  action_type: "guard_change";
  /**
   * The guard of a Safe changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryGuardianChange {
  action_type: "guardian_change";
  /**
   * The guardian changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryGuardianChangePropose {
  action_type: "guardian_change_propose";
  /**
   * Another guardian was submitted.
   */
  details: GovernanceDetails;
}
export interface AuditEntryHighWaterMarkReset {
  action_type: "high_water_mark_reset";
  /**
   * The mark above which performance fees are taken was reset.
   */
  details:
    | {
        hwm_pps: Quantity;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | GovernanceDetails;
}
export interface AuditEntryHookExecute {
  action_type: "hook_execute";
  /**
   * The manager had the strategy call a hook: assets were moved to, from or within a yield source.
   */
  details: {
    hook: Address;
    prev_hook: Address | null;
    yield_source: Address;
    /**
     * Its amount is what the hook before it left.
     */
    use_prev_hook_amount: boolean;
    /**
     * Bytes in hex.
     */
    calldata: string;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryLiquidityAdapterChange {
  action_type: "liquidity_adapter_change";
  /**
   * Another adapter takes deposits and pays withdrawals.
   */
  details: GovernanceDetails;
}
export interface AuditEntryLoss {
  action_type: "loss";
  /**
   * The vault lost assets.
   */
  details: GovernanceDetails;
}
export interface AuditEntryMarketRemovalPropose {
  action_type: "market_removal_propose";
  /**
   * The removal of a market was submitted.
   */
  details: GovernanceDetails;
}
export interface AuditEntryMarketRemove {
  action_type: "market_remove";
  /**
   * A market was removed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryMaxRateChange {
  action_type: "max_rate_change";
  /**
   * The highest rate at which the price may grow changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryMerkleGenerate {
  action_type: "merkle_generate";
  /**
   * A job that generates a root ended.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    job_id: string;
    status: string;
    root?: string;
    error?: string;
  };
}
export interface AuditEntryMerkleLeavesUpdate {
  action_type: "merkle_leaves_update";
  /**
   * The manager banned leaves of the global root for the vault, or allowed them again.
   */
  details: {
    /**
     * Items: 32 bytes in hex.
     */
    leaves: string[];
    /**
     * For each leaf.
     */
    is_banned: boolean[];
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryMerklePublish {
  action_type: "merkle_publish";
  /**
   * A job that publishes a root ended.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    job_id: string;
    status: string;
    root?: string;
    error?: string;
  };
}
export interface AuditEntryMerkleRootPropose {
  action_type: "merkle_root_propose";
  /**
   * A root of the hooks that may be called was proposed.
   */
  details: {
    /**
     * `global`: the root of the aggregator, which every vault falls back on.
     */
    scope?: "strategy" | "global";
    proposer: Address | null;
    /**
     * 32 bytes in hex.
     */
    root: string;
    effective_at: Timestamp;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryMerkleRootUpdate {
  action_type: "merkle_root_update";
  /**
   * A proposed root came into force.
   */
  details: {
    /**
     * `global`: the root of the aggregator, which every vault falls back on.
     */
    scope?: "strategy" | "global";
    /**
     * 32 bytes in hex.
     */
    old_root: string;
    /**
     * 32 bytes in hex.
     */
    root: string;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryMerkleRootVeto {
  action_type: "merkle_root_veto";
  /**
   * A root was vetoed, or a veto was lifted: `is_vetoed` says which.
   */
  details: {
    /**
     * `global`: the root of the aggregator, which every vault falls back on.
     */
    scope?: "strategy" | "global";
    /**
     * false: the veto was lifted.
     */
    is_vetoed: boolean;
    /**
     * 32 bytes in hex.
     */
    root: string;
    guardian: Address | null;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryMetadataChange {
  action_type: "metadata_change";
  /**
   * The name or the symbol changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryModeChange {
  action_type: "mode_change";
  /**
   * The vault's mode changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryModuleDisable {
  action_type: "module_disable";
  /**
   * A module was disabled.
   */
  details: GovernanceDetails;
}
export interface AuditEntryModuleEnable {
  action_type: "module_enable";
  /**
   * A module was enabled, which may act for the Safe without signatures.
   */
  details: GovernanceDetails;
}
export interface AuditEntryNavPropose {
  action_type: "nav_propose";
  /**
   * Other total assets were proposed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryNotificationChannelBind {
  action_type: "notification_channel_bind";
  /**
   * A vault's alerts go to a channel.
   */
  details: {
    channel_id: string;
    categories: string[];
    min_severity: string;
    /**
     * The channel is told only of what nobody took for so long.
     */
    escalate_after_seconds?: number;
  };
}
export interface AuditEntryNotificationChannelCreate {
  action_type: "notification_channel_create";
  /**
   * A channel was created.
   */
  details: {
    channel_id: string;
    provider: string;
    name: string;
  };
}
export interface AuditEntryNotificationChannelDelete {
  action_type: "notification_channel_delete";
  /**
   * A channel was deleted.
   */
  details: {
    channel_id: string;
    provider: string;
    name: string;
  };
}
export interface AuditEntryNotificationChannelUnbind {
  action_type: "notification_channel_unbind";
  /**
   * A vault's alerts no longer go to a channel.
   */
  details: {
    channel_id: string;
  };
}
export interface AuditEntryNotificationChannelUpdate {
  action_type: "notification_channel_update";
  /**
   * A channel was changed.
   */
  details: {
    channel_id: string;
    changed: string[];
    /**
     * Why the service changed it by itself; the actor is then the zero address.
     */
    reason?: string;
  };
}
export interface AuditEntryOperatorAdd {
  action_type: "operator_add";
  /**
   * A wallet may operate the vault.
   */
  details: {
    wallet: Address;
  };
}
export interface AuditEntryOperatorRemove {
  action_type: "operator_remove";
  /**
   * A wallet may no longer operate the vault.
   */
  details: {
    wallet: Address;
  };
}
export interface AuditEntryOwnerChange {
  action_type: "owner_change";
  /**
   * The owner changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryOwnerChangePropose {
  action_type: "owner_change_propose";
  /**
   * Another owner was proposed, who has yet to accept.
   */
  details: GovernanceDetails;
}
export interface AuditEntryParameterChange {
  action_type: "parameter_change";
  /**
   * An operation of a contract above the vaults, or of an older version, that has no action type of its own.
   */
  details:
    | {
        contract: "aggregator" | "strategy" | "vault" | "escrow" | "oracle" | "governor";
        /**
         * The event's name.
         */
        event: string;
        /**
         * As the contract emitted them: integers as decimal strings, times in Unix seconds.
         */
        arguments: {
          [k: string]: unknown;
        };
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | GovernanceDetails;
}
export interface AuditEntryPpsParamsUpdate {
  action_type: "pps_params_update";
  /**
   * How a price is judged; `parameter` says what changed.
   */
  details:
    | {
        parameter: "pps_expiration_proposed";
        current_pps_expiration_seconds: string | null;
        replaced_pps_expiration_seconds?: string | null;
        /**
         * Seconds, as a decimal string.
         */
        pps_expiration_seconds: string;
        effective_at: Timestamp;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | {
        parameter: "pps_expiration_cancelled";
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | {
        parameter: "pps_expiration";
        /**
         * Seconds, as a decimal string.
         */
        pps_expiration_seconds: string;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | {
        parameter: "deviation_threshold";
        deviation_threshold: Quantity;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | {
        parameter: "min_update_interval_proposed";
        proposer: Address;
        /**
         * Seconds, as a decimal string.
         */
        min_update_interval_seconds: string;
        effective_at: Timestamp;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | {
        parameter: "min_update_interval_cancelled";
        /**
         * Seconds, as a decimal string.
         */
        min_update_interval_seconds: string;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | {
        parameter: "min_update_interval_rejected";
        /**
         * Seconds, as a decimal string.
         */
        min_update_interval_seconds: string;
        /**
         * Seconds, as a decimal string.
         */
        max_staleness_seconds: string;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | {
        parameter: "min_update_interval";
        /**
         * Seconds, as a decimal string.
         */
        old_min_update_interval_seconds: string;
        /**
         * Seconds, as a decimal string.
         */
        min_update_interval_seconds: string;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      };
}
export interface AuditEntryPpsStale {
  action_type: "pps_stale";
  /**
   * The contract flagged the price as stale.
   */
  details: {
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryPpsStaleReset {
  action_type: "pps_stale_reset";
  /**
   * The contract took that flag away.
   */
  details: {
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryPpsUpdate {
  action_type: "pps_update";
  /**
   * The price per share was updated.
   */
  details: {
    pps: Quantity;
    old_pps?: Quantity;
    pps_timestamp: Timestamp;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryPpsUpdateReject {
  action_type: "pps_update_reject";
  /**
   * An update of the price was refused, by the aggregator or before it by the oracle.
   */
  details: {
    /**
     * The name of the event that reported it.
     */
    reason: string;
    message: string | null;
    pps_timestamp: Timestamp | null;
    pps?: Quantity | null;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryPrimaryManagerChange {
  action_type: "primary_manager_change";
  /**
   * The primary manager changed.
   */
  details: {
    old_manager: Address;
    new_manager: Address;
    fee_recipient: Address | null;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryPrimaryManagerChangeCancel {
  action_type: "primary_manager_change_cancel";
  /**
   * That proposal was cancelled.
   */
  details: {
    cancelled_manager: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryPrimaryManagerChangePropose {
  action_type: "primary_manager_change_propose";
  /**
   * Another primary manager was proposed.
   */
  details: {
    proposer: Address;
    new_manager: Address;
    fee_recipient: Address | null;
    effective_at: Timestamp | null;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryQueueChange {
  action_type: "queue_change";
  /**
   * The order of deposits or withdrawals changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryRedeemCancel {
  action_type: "redeem_cancel";
  /**
   * The shares of a cancelled redemption were taken back.
   */
  details: {
    receiver: Address;
    controller: Address;
    request_id: Quantity;
    sender: Address;
    shares: Quantity | null;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryRedeemCancelFulfill {
  action_type: "redeem_cancel_fulfill";
  /**
   * The cancellation of a redemption was fulfilled: the shares can be claimed back.
   */
  details: {
    controller: Address;
    shares: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryRedeemCancelRequest {
  action_type: "redeem_cancel_request";
  /**
   * The cancellation of a redemption was requested.
   */
  details: {
    controller: Address;
    request_id: Quantity;
    sender: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryRedeemFulfill {
  action_type: "redeem_fulfill";
  /**
   * Redemptions were fulfilled.
   */
  details: {
    controllers: Address[];
    processed_shares: Quantity;
    pps: Quantity | null;
    /**
     * Of one request (ERC-7540).
     */
    assets?: Quantity;
    request_id?: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryRedeemRequest {
  action_type: "redeem_request";
  /**
   * A redemption was requested.
   */
  details: {
    controller: Address;
    owner: Address;
    request_id: Quantity;
    sender: Address;
    shares: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryRegistryChange {
  action_type: "registry_change";
  /**
   * Another registry judges which adapters may be added.
   */
  details: GovernanceDetails;
}
export interface AuditEntryRoleGrant {
  action_type: "role_grant";
  /**
   * A contract gave a role.
   */
  details:
    | {
        /**
         * 32 bytes in hex.
         */
        role: string;
        account: Address;
        sender: Address;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | GovernanceDetails;
}
export interface AuditEntryRoleRevoke {
  action_type: "role_revoke";
  /**
   * A contract took a role away.
   */
  details:
    | {
        /**
         * 32 bytes in hex.
         */
        role: string;
        account: Address;
        sender: Address;
        block_number: number;
        block_timestamp: Timestamp;
        /**
         * 32 bytes in hex.
         */
        block_hash: string;
        /**
         * 32 bytes in hex.
         */
        tx_hash: string;
        log_index: number;
        /**
         * Who sent the transaction. Not in entries that release 0.1 wrote.
         */
        tx_from?: Address;
        /**
         * Appended long after the operation, which was missed when it was its turn.
         */
        backfilled?: true;
        /**
         * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
         */
        not_told?: string[];
        /**
         * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
         */
        told_later?: string[];
      }
    | GovernanceDetails;
}
export interface AuditEntrySafeExecute {
  action_type: "safe_execute";
  /**
   * A Safe executed a transaction.
   */
  details: GovernanceDetails;
}
export interface AuditEntrySafeExecuteFail {
  action_type: "safe_execute_fail";
  /**
   * A transaction of a Safe failed.
   */
  details: GovernanceDetails;
}
export interface AuditEntrySecondaryManagerAdd {
  action_type: "secondary_manager_add";
  /**
   * A secondary manager was added.
   */
  details: {
    manager: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntrySecondaryManagerRemove {
  action_type: "secondary_manager_remove";
  /**
   * A secondary manager was removed.
   */
  details: {
    manager: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryServicePause {
  action_type: "service_pause";
  /**
   * A service of the engine was paused.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    service: string;
    reason?: string;
  };
}
export interface AuditEntryServiceResume {
  action_type: "service_resume";
  /**
   * A service of the engine was resumed.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    service: string;
    reason?: string;
  };
}
export interface AuditEntrySessionKeyGrant {
  action_type: "session_key_grant";
  /**
   * A session key was granted.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    /**
     * What the engine sent as `details`.
     */
    reported_details?: {
      [k: string]: unknown;
    };
  };
}
export interface AuditEntrySessionKeyRevoke {
  action_type: "session_key_revoke";
  /**
   * A session key was revoked.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    /**
     * What the engine sent as `details`.
     */
    reported_details?: {
      [k: string]: unknown;
    };
  };
}
export interface AuditEntrySessionKeyRotate {
  action_type: "session_key_rotate";
  /**
   * A session key was replaced.
   */
  details: {
    source: string;
    reported_at?: Timestamp;
    /**
     * Reported by an engine.
     */
    reported: true;
    /**
     * What the engine sent as `details`.
     */
    reported_details?: {
      [k: string]: unknown;
    };
  };
}
export interface AuditEntrySettle {
  action_type: "settle";
  /**
   * Requests were settled.
   */
  details: GovernanceDetails;
}
export interface AuditEntryShutdown {
  action_type: "shutdown";
  /**
   * The vault was shut down.
   */
  details: GovernanceDetails;
}
export interface AuditEntrySignerAdd {
  action_type: "signer_add";
  /**
   * An owner was added to a Safe.
   */
  details: GovernanceDetails;
}
export interface AuditEntrySignerRemove {
  action_type: "signer_remove";
  /**
   * An owner was removed from a Safe.
   */
  details: GovernanceDetails;
}
export interface AuditEntrySingletonChange {
  action_type: "singleton_change";
  /**
   * The code of a Safe changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryStrategyAdd {
  action_type: "strategy_add";
  /**
   * A strategy was added.
   */
  details: GovernanceDetails;
}
export interface AuditEntryStrategyReport {
  action_type: "strategy_report";
  /**
   * A strategy's gain or loss was reported.
   */
  details: GovernanceDetails;
}
export interface AuditEntryStrategyRevoke {
  action_type: "strategy_revoke";
  /**
   * A strategy was revoked.
   */
  details: GovernanceDetails;
}
export interface AuditEntryThresholdChange {
  action_type: "threshold_change";
  /**
   * The number of signatures that a Safe asks for changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryTimelockAccept {
  action_type: "timelock_accept";
  /**
   * A submitted call was executed that has no action of its own.
   */
  details: GovernanceDetails;
}
export interface AuditEntryTimelockCancel {
  action_type: "timelock_cancel";
  /**
   * A scheduled operation was cancelled.
   */
  details: GovernanceDetails;
}
export interface AuditEntryTimelockDelayChange {
  action_type: "timelock_delay_change";
  /**
   * The shortest delay of a timelock changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryTimelockDurationChange {
  action_type: "timelock_duration_change";
  /**
   * The time that a call has to wait changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryTimelockExecute {
  action_type: "timelock_execute";
  /**
   * A scheduled operation was executed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryTimelockRevoke {
  action_type: "timelock_revoke";
  /**
   * A submitted call was revoked before it was executed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryTimelockSchedule {
  action_type: "timelock_schedule";
  /**
   * An operation was scheduled in a timelock.
   */
  details: GovernanceDetails;
}
export interface AuditEntryTimelockSubmit {
  action_type: "timelock_submit";
  /**
   * A call was submitted to the vault's own timelock.
   */
  details: GovernanceDetails;
}
export interface AuditEntryUpgrade {
  action_type: "upgrade";
  /**
   * The implementation changed.
   */
  details: GovernanceDetails;
}
export interface AuditEntryUpgradePropose {
  action_type: "upgrade_propose";
  /**
   * Another implementation was submitted.
   */
  details: GovernanceDetails;
}
export interface AuditEntryUpkeepClaim {
  action_type: "upkeep_claim";
  /**
   * Spent upkeep was paid out to the protocol.
   */
  details: {
    super_bank: Address;
    amount: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryUpkeepDeposit {
  action_type: "upkeep_deposit";
  /**
   * Upkeep was paid in.
   */
  details: {
    depositor: Address;
    amount: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryUpkeepInsufficient {
  action_type: "upkeep_insufficient";
  /**
   * Upkeep did not pay for an update.
   */
  details: {
    balance: Quantity;
    cost: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryUpkeepWithdraw {
  action_type: "upkeep_withdraw";
  /**
   * Upkeep was withdrawn. The actor is whoever executed it; anyone may.
   */
  details: {
    recipient?: Address;
    /**
     * The same as `recipient`, by its older name.
     */
    withdrawer: Address;
    amount: Quantity;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryUpkeepWithdrawCancel {
  action_type: "upkeep_withdraw_cancel";
  /**
   * That proposal was cancelled.
   */
  details: {
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryUpkeepWithdrawPropose {
  action_type: "upkeep_withdraw_propose";
  /**
   * An upkeep withdrawal was proposed.
   */
  details: {
    proposer: Address;
    amount: Quantity;
    effective_at: Timestamp;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryVaultAccept {
  action_type: "vault_accept";
  /**
   * A wallet accepted a vault that names it, or undid that.
   */
  details: {
    is_accepted: boolean;
  };
}
export interface AuditEntryVaultCreate {
  action_type: "vault_create";
  /**
   * A vault was made.
   */
  details: {
    strategy: Address;
    escrow: Address;
    asset: Address;
    name: string;
    symbol: string;
    nonce: Quantity;
    primary_manager: Address;
    /**
     * The ones named when the vault was created.
     */
    secondary_managers: Address[];
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryVaultPause {
  action_type: "vault_pause";
  /**
   * The vault was paused.
   */
  details: {
    account: Address | null;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryVaultUnpause {
  action_type: "vault_unpause";
  /**
   * The vault was unpaused.
   */
  details: {
    account: Address | null;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryViewOnlyAdd {
  action_type: "view_only_add";
  /**
   * A wallet may see the vault.
   */
  details: {
    wallet: Address;
  };
}
export interface AuditEntryViewOnlyRemove {
  action_type: "view_only_remove";
  /**
   * A wallet may no longer see the vault.
   */
  details: {
    wallet: Address;
  };
}
export interface AuditEntryWebhookCreate {
  action_type: "webhook_create";
  /**
   * A webhook endpoint was created.
   */
  details: {
    webhook_id: string;
    event_types: string[];
    vaults: string[];
  };
}
export interface AuditEntryWebhookDelete {
  action_type: "webhook_delete";
  /**
   * A webhook endpoint was deleted.
   */
  details: {
    webhook_id: string;
  };
}
export interface AuditEntryWebhookSecretRotate {
  action_type: "webhook_secret_rotate";
  /**
   * The secret of a webhook endpoint was rotated.
   */
  details: {
    webhook_id: string;
  };
}
export interface AuditEntryWebhookUpdate {
  action_type: "webhook_update";
  /**
   * A webhook endpoint was changed.
   */
  details: {
    webhook_id: string;
    changed: string[];
    /**
     * Why the service disabled it by itself; the actor is then the zero address.
     */
    reason?: string;
  };
}
export interface AuditEntryWithdraw {
  action_type: "withdraw";
  /**
   * Assets were withdrawn and shares were burned for them.
   */
  details: {
    sender: Address;
    owner: Address;
    assets: Quantity;
    shares: Quantity;
    receiver: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryYieldSourceAdd {
  action_type: "yield_source_add";
  /**
   * A yield source was whitelisted.
   */
  details: {
    yield_source: Address;
    oracle: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryYieldSourceOracleUpdate {
  action_type: "yield_source_oracle_update";
  /**
   * Another oracle prices a yield source.
   */
  details: {
    yield_source: Address;
    old_oracle: Address;
    oracle: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditEntryYieldSourceRemove {
  action_type: "yield_source_remove";
  /**
   * A yield source was removed.
   */
  details: {
    yield_source: Address;
    block_number: number;
    block_timestamp: Timestamp;
    /**
     * 32 bytes in hex.
     */
    block_hash: string;
    /**
     * 32 bytes in hex.
     */
    tx_hash: string;
    log_index: number;
    /**
     * Who sent the transaction. Not in entries that release 0.1 wrote.
     */
    tx_from?: Address;
    /**
     * Appended long after the operation, which was missed when it was its turn.
     */
    backfilled?: true;
    /**
     * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
     */
    not_told?: string[];
    /**
     * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
     */
    told_later?: string[];
  };
}
export interface AuditExport {
  logs: (AuditEntry & {
    /**
     * With `proofs=true`: that the entry is in the checkpoint's tree (RFC 9162).
     */
    proof?: {
      leaf_index: number;
      tree_size: number;
      /**
       * Items: SHA-256, in base64.
       */
      hashes: string[];
    };
  })[];
  /**
   * Number of entries in the export.
   */
  total: number;
  /**
   * The signed checkpoint that covers the export; null when none could be signed.
   */
  checkpoint: string | null;
}
export interface AuditKeys {
  keys: {
    vkey: string;
    from_size: number;
    until_size: number | null;
  }[];
}
export interface AuditLogPage {
  logs: AuditEntry[];
  /**
   * Exact number of entries that match the filter, archived ones among them.
   */
  total: number;
  has_more: boolean;
  next_cursor: string | null;
  live_cursor: string | null;
  /**
   * Entries before this seq are archived, and left out of `logs`; by `offset` they keep their places, so go on by `limit` and not by how many came. Absent while nothing is archived.
   */
  archived_below?: string;
}
export interface AuditVerification {
  status: "pending" | "ok" | "failed";
  is_running: boolean;
  checked_size: number | null;
  checked_at: Timestamp | null;
  failure: {
    seq: string | null;
    reason: string;
    found_at: Timestamp;
  } | null;
}
export interface BindingChanges {
  /**
   * null, the default of a new binding: all, those added later included.
   *
   * @minItems 1
   * @maxItems 16
   */
  categories?: AlertCategory[] | null;
  /**
   * Default: `info`, which is all.
   */
  min_severity?: AlertSeverity;
  /**
   * The channel is told of an alert only once that fires, unacknowledged and unsilenced, for so long. null, the default: at once.
   */
  escalate_after_seconds?: number | null;
}
export interface BoundChannel {
  id: string;
  provider: ProviderName;
  name: string;
  /**
   * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
   */
  config: {
    [k: string]: string;
  };
  created_by: Address;
  created_at: Timestamp;
  updated_at: Timestamp;
  is_enabled: boolean;
  disabled_reason: string | null;
  /**
   * Whether its messages have buttons, by which linked users acknowledge and silence.
   */
  interactive: boolean;
  inbound_url: string | null;
  /**
   * Mail addresses that receive nothing until they confirm with the link they were sent.
   */
  unconfirmed_addresses: string[];
  /**
   * Unconfirmed addresses to which the last mail with the link did not go out, and why. `failed`: tried again; `dead`: not, until it is asked for again (`POST …/confirmations`).
   */
  failed_confirmations: {
    address: string;
    status: "failed" | "dead";
    at: Timestamp;
    error: string;
  }[];
  last_delivery: {
    status: DeliveryStatus;
    at: Timestamp;
    error: string | null;
  } | null;
  categories: AlertCategory[];
  /**
   * All categories, those added later included.
   */
  is_all_categories: boolean;
  min_severity: AlertSeverity;
  escalate_after_seconds: number | null;
  bound_by: Address;
  bound_at: Timestamp;
  /**
   * Whoever bound it no longer manages the vault. Alerts still go there; a manager can confirm the binding by binding it again, or unbind it.
   */
  needs_confirmation: boolean;
}
export interface Chain {
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  name: string;
  explorer_url: string | null;
  head_block: number | null;
  confirmed_block: number | null;
  lag_seconds: number | null;
  /**
   * No block is known, or the newest lies further behind the clock than the service allows (`max_lag_seconds` of the chain); `/readyz` fails then. Always true of a chain that is no longer configured.
   */
  is_behind: boolean;
  /**
   * The node answers, but the chain makes no new blocks.
   */
  is_halted: boolean;
  history: ChainHistory | null;
}
/**
 * How far the past is filled in; null while nothing of it is missing.
 */
export interface ChainHistory {
  /**
   * Where what is filled in began.
   */
  from_block: number;
  /**
   * The newest block that is deep enough: where it will end.
   */
  to_block: number;
  /**
   * From 0 to 1, over all sources that are filled in.
   */
  done_fraction: number;
  estimated_seconds: number | null;
}
export interface Challenge {
  challenge_id: string;
  typed_data: {
    [k: string]: unknown;
  };
  /**
   * The EIP-712 hash of `typed_data`, 32 bytes in hex.
   */
  hash: string;
  expires_at: Timestamp;
}
export interface ChallengeRequest {
  /**
   * Address in any case; in mixed case its EIP-55 checksum must be right.
   */
  address: AddressInput;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
}
export interface Channel {
  id: string;
  provider: ProviderName;
  name: string;
  /**
   * As the provider's `config_schema` says; a secret is shown as `••••` and its last four characters.
   */
  config: {
    [k: string]: string;
  };
  created_by: Address;
  created_at: Timestamp;
  updated_at: Timestamp;
  is_enabled: boolean;
  disabled_reason: string | null;
  /**
   * Whether its messages have buttons, by which linked users acknowledge and silence.
   */
  interactive: boolean;
  inbound_url: string | null;
  /**
   * Mail addresses that receive nothing until they confirm with the link they were sent.
   */
  unconfirmed_addresses: string[];
  /**
   * Unconfirmed addresses to which the last mail with the link did not go out, and why. `failed`: tried again; `dead`: not, until it is asked for again (`POST …/confirmations`).
   */
  failed_confirmations: {
    address: string;
    status: "failed" | "dead";
    at: Timestamp;
    error: string;
  }[];
  last_delivery: {
    status: DeliveryStatus;
    at: Timestamp;
    error: string | null;
  } | null;
  /**
   * Whether you may change and delete it, and not only see and test it.
   */
  can_manage: boolean;
}
export interface ChannelChanges {
  /**
   * What people call it: one line that is not blank, without control characters.
   */
  name?: string;
  /**
   * Members to change. Members left out stay, null removes one, and a secret sent back as it was shown stays as it is. A member that decides where the secrets are sent (any but those marked `x-keeps-destination` or `x-signs-only` in the provider's `config_schema`) changes only together with the secrets, in full; else 400 `secret_required`.
   */
  config?: {};
  /**
   * For Slack (with `team_id`, `channel_id` and `signing_secret`) and Telegram (with a numeric `chat_id`; sets the bot's webhook, 409 where it has another): messages get buttons that linked users answer with (`/api/v1/me/links`).
   */
  interactive?: boolean;
  /**
   * What is pending for a channel is canceled when it is disabled.
   */
  is_enabled?: boolean;
}
export interface ChannelDelivery {
  id: string;
  event_id: string | null;
  event_type: string;
  chain_id: ChainIdOrZero;
  vault_address: Address;
  status: DeliveryStatus;
  created_at: Timestamp;
  next_attempt_at: Timestamp | null;
  attempts: DeliveryAttempt[];
}
export interface ChannelDeliveryPage {
  deliveries: ChannelDelivery[];
  total: number;
  has_more: boolean;
}
export interface ChannelProvider {
  provider: ProviderName;
  title: string;
  /**
   * JSON Schema of a channel's `config`.
   */
  config_schema: {
    [k: string]: unknown;
  };
  /**
   * Members of `config` that are stored encrypted and shown masked.
   */
  secrets: string[];
}
export interface ChannelTest {
  delivery_id: string;
  status: "delivered" | "failed";
  status_code: number | null;
  error: string | null;
  response_excerpt: string | null;
}
export interface ChatLink {
  id: string;
  channel_id: string;
  channel_name: string;
  provider: "slack" | "telegram";
  wallet: Address;
  /**
   * `waiting` for somebody to press the button; `pressed`: confirm it if `provider_user` is you.
   */
  status: "waiting" | "pressed" | "confirmed";
  provider_user: string | null;
  provider_user_name: string | null;
  created_at: Timestamp;
  expires_at: Timestamp | null;
  confirmed_at: Timestamp | null;
}
export interface ChatLinkConfirmation {
  confirmed: true;
}
export interface CodeExchange {
  issuer: string;
  code: string;
  code_verifier: string;
  /**
   * `{public_url}/sign-in`, exactly.
   */
  redirect_uri: string;
}
export interface ConsistencyProof {
  from: number;
  to: number;
  /**
   * Items: SHA-256, in base64.
   */
  hashes: string[];
}
/**
 * How the console signs in with it; null: a token is pasted in.
 */
export interface ConsoleSignIn {
  client_id: string | null;
  scope: string;
  /**
   * Where the code flow begins; null while the provider does not answer, and without `client_id`.
   */
  authorization_endpoint: string | null;
  /**
   * Whether the provider names itself in its answers (RFC 9207): one that does not is refused.
   */
  requires_iss: boolean;
  /**
   * A page of the operator's that returns `#token=…&state=…`.
   */
  sign_in_url: string | null;
}
export interface ContractRole {
  /**
   * In the family's own word, such as `curator`.
   */
  role: string;
  account: Address;
  since: Timestamp | null;
}
export interface Controller {
  address: Address;
  /**
   * What it is: an account of a key, a Safe of published code, a timelock, the admin of a proxy, or any other contract, whose word on its owners nobody takes.
   */
  kind: "eoa" | "safe" | "timelock" | "proxy_admin" | "contract";
  /**
   * The roles that it holds itself, in the family's words.
   */
  roles: string[];
  /**
   * Owners of a Safe, proposers of a timelock, the owner of a proxy's admin.
   */
  owners: Address[];
  threshold: number | null;
  /**
   * Who may act for a Safe without signatures.
   */
  modules: Address[];
  guard: Address | null;
  module_guard: Address | null;
  fallback_handler: Address | null;
  singleton: Address | null;
  min_delay_seconds: number | null;
  proposers: Address[] | null;
  version: string | null;
}
export interface CreatedWebhook {
  id: string;
  url: string;
  event_types: WebhookEventType[];
  /**
   * All types but `alert.dispatch` are delivered, those added later included.
   */
  is_all_event_types: boolean;
  categories: AlertCategory[];
  /**
   * Alerts of all categories are delivered, those added later included.
   */
  is_all_categories: boolean;
  /**
   * Vault ids. Events of a vault that you no longer manage are not delivered.
   */
  vaults: string[];
  /**
   * Every vault that you manage and have accepted, those gained later included.
   */
  is_all_vaults: boolean;
  is_enabled: boolean;
  disabled_reason: ("gone" | "failing") | null;
  disabled_at: Timestamp | null;
  description: string;
  retry_schedule: RetrySchedule;
  rate_limit: number | null;
  /**
   * Until when each secret that was rotated out still signs.
   */
  old_secrets_valid_until: Timestamp[];
  secret_error: string | null;
  last_delivery: {
    status: DeliveryStatus;
    at: Timestamp;
    error: string | null;
  } | null;
  created_by: Address;
  /**
   * The only chain whose events it gets: it was created by a contract wallet, whose signature counts on that chain alone. Null: every chain.
   */
  limited_to_chain_id: ChainId | null;
  created_at: Timestamp;
  updated_at: Timestamp;
  /**
   * Verifies deliveries (Standard Webhooks). Shown only once.
   */
  secret: string;
}
export interface DeliveryAttempt {
  number: number;
  at: Timestamp;
  status_code: number | null;
  error: string | null;
  duration_ms: number | null;
  response_excerpt: string | null;
}
export interface DepositFulfilledEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "deposit.fulfilled";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    sender: Address;
    owner: Address;
    assets: Quantity;
    shares: Quantity;
    block_number: number;
    block_hash: string;
    tx_hash: string;
    log_index: number;
  };
}
export interface EmergencyExitArmedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "emergency_exit.armed";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    actor_wallet: Address;
    /**
     * The engine that reported it.
     */
    source: string;
    /**
     * As the engine reported them.
     */
    details: {
      [k: string]: unknown;
    };
  };
}
export interface EmergencyExitStoppedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "emergency_exit.stopped";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    actor_wallet: Address;
    /**
     * The engine that reported it.
     */
    source: string;
    /**
     * As the engine reported them.
     */
    details: {
      [k: string]: unknown;
    };
  };
}
export interface ForetoldAlert {
  category:
    | "upkeep"
    | "pps_staleness"
    | "keeper_run"
    | "session_key"
    | "emergency_pause"
    | "emergency_exit"
    | "merkle"
    | "execution"
    | "price"
    | "losses"
    | "liquidity"
    | "flows"
    | "tvl"
    | "governance"
    | "allocation"
    | "system";
  severity: "info" | "warning" | "critical";
  title: string;
  message: string;
}
export interface ForetoldChange {
  /**
   * A dotted path into the vault's record, members of lists by number.
   */
  field: string;
  before: unknown;
  after: unknown;
  /**
   * `after` is another when the calls are made later: it holds for the simulated time alone.
   */
  moves_with_time: boolean;
}
export interface ForetoldEntry {
  action_type:
    | "vault_create"
    | "yield_source_add"
    | "yield_source_remove"
    | "yield_source_oracle_update"
    | "hook_execute"
    | "pps_update"
    | "pps_update_reject"
    | "pps_stale"
    | "pps_stale_reset"
    | "vault_pause"
    | "vault_unpause"
    | "secondary_manager_add"
    | "secondary_manager_remove"
    | "primary_manager_change_propose"
    | "primary_manager_change_cancel"
    | "primary_manager_change"
    | "role_grant"
    | "role_revoke"
    | "owner_change_propose"
    | "owner_change"
    | "curator_change"
    | "guardian_change_propose"
    | "guardian_change"
    | "timelock_submit"
    | "timelock_accept"
    | "timelock_revoke"
    | "timelock_duration_change"
    | "abdicate"
    | "cap_change_propose"
    | "cap_change"
    | "adapter_add"
    | "adapter_remove"
    | "strategy_add"
    | "strategy_revoke"
    | "market_removal_propose"
    | "market_remove"
    | "allocation_change"
    | "queue_change"
    | "gate_change"
    | "max_rate_change"
    | "metadata_change"
    | "force_deallocate"
    | "loss"
    | "strategy_report"
    | "nav_propose"
    | "settle"
    | "mode_change"
    | "shutdown"
    | "signer_add"
    | "signer_remove"
    | "threshold_change"
    | "module_enable"
    | "module_disable"
    | "guard_change"
    | "singleton_change"
    | "fallback_handler_change"
    | "safe_execute"
    | "safe_execute_fail"
    | "timelock_schedule"
    | "timelock_execute"
    | "timelock_cancel"
    | "timelock_delay_change"
    | "upgrade_propose"
    | "upgrade"
    | "registry_change"
    | "liquidity_adapter_change"
    | "access_rule_change"
    | "merkle_root_propose"
    | "merkle_root_update"
    | "merkle_root_veto"
    | "merkle_leaves_update"
    | "merkle_generate"
    | "merkle_publish"
    | "fee_config_propose"
    | "fee_config_update"
    | "fee_recipient_change"
    | "fee_skim"
    | "high_water_mark_reset"
    | "pps_params_update"
    | "parameter_change"
    | "upkeep_deposit"
    | "upkeep_withdraw_propose"
    | "upkeep_withdraw_cancel"
    | "upkeep_withdraw"
    | "upkeep_insufficient"
    | "upkeep_claim"
    | "deposit"
    | "withdraw"
    | "emergency_withdraw"
    | "deposit_request"
    | "deposit_fulfill"
    | "deposit_cancel_request"
    | "deposit_cancel"
    | "redeem_request"
    | "redeem_fulfill"
    | "redeem_cancel_request"
    | "redeem_cancel_fulfill"
    | "redeem_cancel"
    | "service_pause"
    | "service_resume"
    | "session_key_grant"
    | "session_key_rotate"
    | "session_key_revoke"
    | "emergency_exit_arm"
    | "emergency_exit_stop"
    | "operator_add"
    | "operator_remove"
    | "view_only_add"
    | "view_only_remove"
    | "vault_accept"
    | "notification_channel_create"
    | "notification_channel_update"
    | "notification_channel_delete"
    | "notification_channel_bind"
    | "notification_channel_unbind"
    | "webhook_create"
    | "webhook_update"
    | "webhook_delete"
    | "webhook_secret_rotate"
    | "alert_rule_update"
    | "chat_link_add"
    | "chat_link_remove"
    | "alert_acknowledge"
    | "alert_silence"
    | "audit_rollback_acknowledge"
    | "chain_reorg_revert";
  vault_address: Address;
  chain_id: number;
  actor_wallet: Address | null;
  /**
   * As in the audit log; null what only the mined block knows.
   */
  details: {
    [k: string]: unknown;
  };
}
/**
 * A contract gave a role.
 */
export interface GovernanceDetails {
  /**
   * What emitted the event.
   */
  contract: "vault" | "adapter" | "factory" | "proxy_admin" | "safe" | "timelock" | "proxy";
  /**
   * The event's name.
   */
  event: string;
  /**
   * As the contract emitted them: integers as decimal strings, times in Unix seconds.
   */
  event_arguments: {
    [k: string]: unknown;
  };
  /**
   * In the family's own word, such as `curator`.
   */
  role?: string;
  account?: Address | null;
  /**
   * What it is about: an id of caps, a market, an adapter, a strategy, a selector.
   */
  id?: string;
  cap_kind?: "absolute" | "relative" | "supply" | "debt" | "deposit";
  /**
   * What was before, where it is known.
   */
  old?: {
    [k: string]: unknown;
  };
  new?: unknown;
  /**
   * Of a call that waits, was executed or taken back.
   */
  target?: Address;
  function?: string | null;
  arguments?: {
    [k: string]: unknown;
  } | null;
  /**
   * Bytes in hex.
   */
  calldata?: string;
  executable_at?: Timestamp | null;
  /**
   * The Safe, timelock or proxy admin behind a role of the vault that it is about.
   */
  controller?: Address;
  /**
   * The calls of one execution that concern the vault, where they are several.
   */
  calls?: {
    target: Address;
    function: string | null;
    arguments: {
      [k: string]: unknown;
    } | null;
    /**
     * Bytes in hex.
     */
    calldata: string;
  }[];
  /**
   * A Safe ran code as its own (a delegatecall) that is not published for that: it may have done anything.
   */
  operation?: 1;
  /**
   * The contract changed without an event: only its state tells.
   */
  silent?: true;
  /**
   * A submitted call was executed, which anybody may do.
   */
  accepted?: true;
  /**
   * Of what was executed: the entry of its submission. Left out where none is in the log, or it came into it later.
   */
  submit_entry_id?: string;
  block_number: number;
  block_timestamp: Timestamp;
  /**
   * 32 bytes in hex.
   */
  block_hash: string;
  /**
   * 32 bytes in hex.
   */
  tx_hash: string;
  log_index: number;
  /**
   * Who sent the transaction. Not in entries that release 0.1 wrote.
   */
  tx_from?: Address;
  /**
   * Appended long after the operation, which was missed when it was its turn.
   */
  backfilled?: true;
  /**
   * What no node would tell of the operation when its entry was due, such as `transaction` (who sent it): the actor is the zero address, or a member null, for want of an answer.
   */
  not_told?: string[];
  /**
   * What no node told when the operation's entry was due, and one has told since. This entry, with `backfilled`, says all that is known; the one with `not_told` stays as it stands.
   */
  told_later?: string[];
}
/**
 * What the provider is to do; may be empty.
 */
export interface InboundAnswer {
  [k: string]: unknown;
}
export interface InclusionProof {
  seq: string;
  leaf_index: number;
  tree_size: number;
  /**
   * SHA-256, in base64.
   */
  leaf_hash: string;
  /**
   * Items: SHA-256, in base64.
   */
  hashes: string[];
  checkpoint: string | null;
}
export interface Intent {
  intent_id: string;
  execution_id: string | null;
  correlation_id: string | null;
  strategy_id: string | null;
  action: string | null;
  error_code: string | null;
  error_message: string | null;
  total_amount_in: Quantity | null;
  total_amount_out: Quantity | null;
  gas_used_total: Quantity | null;
  vault_id: string;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  vault_address: Address;
  state: IntentState;
  /**
   * Fills reported, whatever the chain says of them.
   */
  fills_count: number;
  last_event_seq: number;
  created_at: Timestamp;
  acked_at: Timestamp | null;
  executing_at: Timestamp | null;
  completed_at: Timestamp | null;
  terminal_at: Timestamp | null;
}
export interface IntentEvent {
  intent_id: string;
  seq: number;
  state: IntentState;
  time: Timestamp;
  execution_id: string | null;
  correlation_id: string | null;
  strategy_id: string | null;
  action: string | null;
  error_code: string | null;
  error_message: string | null;
  total_amount_in: Quantity | null;
  total_amount_out: Quantity | null;
  gas_used_total: Quantity | null;
  tx_hash: string | null;
}
/**
 * An intent changed its state. Ordered by `seq` within an intent. COMPLETED, ABORTED, EXPIRED, FAILED and CANCELED are terminal.
 */
export interface IntentEventEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.intent.event";
  time: TimestampInput;
  subject: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    intent_id: string;
    seq: number;
    state:
      | "RECEIVED"
      | "ACKED"
      | "STAGED"
      | "PLANNED"
      | "EXECUTING"
      | "COMPLETED"
      | "ABORTED"
      | "EXPIRED"
      | "FAILED"
      | "CANCELED";
    execution_id?: string;
    correlation_id?: string;
    strategy_id?: string;
    action?: string;
    error_code?: string;
    error_message?: string;
    total_amount_in?: QuantityInput;
    total_amount_out?: QuantityInput;
    gas_used_total?: QuantityInput;
    /**
     * Transaction hash: `0x` and 64 hexadecimal digits.
     */
    tx_hash?: string;
  };
}
export interface IntentEventPage {
  events: IntentEvent[];
  total: number;
  has_more: boolean;
}
export interface IntentFacets {
  total: number;
  state: {
    value: IntentState;
    count: number;
  }[];
  action: {
    value: string | null;
    count: number;
  }[];
  chain: {
    /**
     * Chain identifier (EIP-155).
     */
    value: ChainId;
    count: number;
  }[];
  vault: {
    value: string;
    count: number;
  }[];
  strategy: {
    value: string | null;
    count: number;
  }[];
}
export interface IntentFill {
  fill_id: string;
  intent_id: string;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  tx_hash: string;
  token_in: Address;
  token_out: Address;
  amount_in: Quantity;
  amount_out: Quantity;
  gas_used: Quantity | null;
  venue: string | null;
  fill_time: Timestamp;
  onchain: "confirmed" | "pending" | "missing" | "reorganised";
  block_number: number | null;
  is_reverted: boolean | null;
}
/**
 * An intent was filled, whole or in part, by a transaction. The service looks the transaction up: `onchain` of the fill says what the chain knows of it.
 */
export interface IntentFillEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.intent.fill";
  time: TimestampInput;
  subject: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    fill_id: string;
    intent_id: string;
    /**
     * Chain identifier (EIP-155).
     */
    chain_id: ChainId;
    /**
     * Transaction hash: `0x` and 64 hexadecimal digits.
     */
    tx_hash: string;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    token_in: AddressInput;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    token_out: AddressInput;
    amount_in: QuantityInput;
    amount_out: QuantityInput;
    gas_used?: QuantityInput;
    venue?: string;
    fill_time: TimestampInput;
  };
}
export interface IntentFillPage {
  fills: IntentFill[];
  total: number;
  has_more: boolean;
}
export interface IntentPage {
  intents: Intent[];
  total: number;
  has_more: boolean;
  next_cursor: string | null;
}
export interface IssuedToken {
  token: string;
  expires_at: Timestamp;
}
export interface JwkSet {
  keys: {
    [k: string]: unknown;
  }[];
}
export interface Liveness {
  status: "ok";
}
export interface Me {
  wallet_address: Address;
  /**
   * Whether the wallet is a primary or secondary manager of any vault.
   */
  is_manager: boolean;
  vaults: VaultRole[];
  /**
   * Whether the wallet may read every vault.
   */
  is_registry_maintainer: boolean;
  scope: "full" | "read";
  /**
   * When the token expires.
   */
  expires_at: Timestamp;
  /**
   * The only chain whose roles count with this token: a contract signed for it, and on another chain another contract may stand at its address. Null for a key's signature, which counts everywhere.
   */
  limited_to_chain_id: ChainId | null;
}
export interface Member {
  wallet: Address;
  role: Role;
  granted_by: Address | null;
  granted_at: Timestamp | null;
}
export interface MemberRole {
  role: "operator" | "view_only";
}
export interface MerkleJob {
  job_id: string;
  kind: "generate" | "publish";
  status: "running" | "success" | "failed";
  root: string | null;
  onchain: ("current" | "proposed" | "none") | null;
  error: string | null;
  actor_wallet: Address | null;
  started_at: Timestamp;
  finished_at: Timestamp | null;
  reported_at: Timestamp;
}
/**
 * A merkle root is being generated or published. A job that ends, with success or failure, becomes one audit entry.
 */
export interface MerkleJobEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.merkle.job";
  time: TimestampInput;
  subject: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    job_id: string;
    kind: "generate" | "publish";
    status: "running" | "success" | "failed";
    /**
     * Merkle root: `0x` and 64 hexadecimal digits.
     */
    root?: string;
    error?: string;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    actor_wallet?: AddressInput;
  };
}
export interface MerkleState {
  vault_id: string;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  vault_address: Address;
  onchain: {
    root: string;
    proposed_root: string | null;
    effective_at: Timestamp | null;
    is_vetoed: boolean;
  } | null;
  jobs: MerkleJob[];
  total: number;
  has_more: boolean;
}
export interface MerkleSyncedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "merkle.synced";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    root: string;
    old_root: string;
    block_number: number;
    block_hash: string;
    tx_hash: string;
    log_index: number;
  };
}
export interface NewActionSubmission {
  /**
   * Of the transaction that was sent.
   */
  transaction_hash?: string;
  /**
   * Of the Safe's transaction that was proposed.
   */
  safe_tx_hash?: string;
}
export interface NewAlertDispatch {
  category:
    | "upkeep"
    | "pps_staleness"
    | "keeper_run"
    | "session_key"
    | "emergency_pause"
    | "emergency_exit"
    | "merkle"
    | "execution"
    | "price"
    | "losses"
    | "liquidity"
    | "flows"
    | "tvl"
    | "governance"
    | "allocation";
  /**
   * A de-risking action of the vault: one with `dispatch_parameters` in its catalogue.
   */
  action: string;
  /**
   * As its `dispatch_parameters` say; `{}` where left out. What has `x-from-alert` may be left out for those categories: the alert tells it.
   */
  parameters?: {
    [k: string]: unknown;
  };
  /**
   * Who will send the calls. Left out: whoever set it where they hold the role, else the one Safe for which they sign that does.
   */
  from?: string | null;
}
export interface NewBinding {
  channel_id: string;
  /**
   * null, the default of a new binding: all, those added later included.
   *
   * @minItems 1
   * @maxItems 16
   */
  categories?: AlertCategory[] | null;
  /**
   * Default: `info`, which is all.
   */
  min_severity?: AlertSeverity;
  /**
   * The channel is told of an alert only once that fires, unacknowledged and unsilenced, for so long. null, the default: at once.
   */
  escalate_after_seconds?: number | null;
}
export interface NewChannel {
  provider: ProviderName;
  /**
   * What people call it: one line that is not blank, without control characters.
   */
  name: string;
  /**
   * As the provider's `config_schema` says (`GET /api/v1/notification-channels/providers`).
   */
  config: {};
  /**
   * For Slack (with `team_id`, `channel_id` and `signing_secret`) and Telegram (with a numeric `chat_id`; sets the bot's webhook, 409 where it has another): messages get buttons that linked users answer with (`/api/v1/me/links`).
   */
  interactive?: boolean;
}
export interface NewChatLink {
  channel_id: string;
}
export interface NewPreparedAction {
  /**
   * A name of the catalogue.
   */
  action: string;
  /**
   * As the action's schema says; `{}` where left out.
   */
  parameters?: {
    [k: string]: unknown;
  };
  /**
   * Who will send the calls. Left out: the caller where he holds the role, else the one Safe for which he signs that does.
   */
  from?: AddressInput;
  /**
   * The nonce of the Safe's transaction: with it `formats.safe` has the hashes to compare.
   */
  safe_nonce?: string;
}
export interface NewSilence {
  chain_id: ChainIdOrZero;
  /**
   * Address in any case; in mixed case its EIP-55 checksum must be right.
   */
  vault_address: AddressInput;
  category?: AlertCategory;
  ends_at: TimestampInput;
  reason: string;
}
export interface NewWebhook {
  /**
   * Where events are posted: https, at a public address.
   */
  url: string;
  /**
   * Types that are delivered; null: all, those added later included, but for `alert.dispatch`, which an endpoint must name.
   *
   * @minItems 1
   */
  event_types?: WebhookEventType[] | null;
  /**
   * Categories of alerts of which `alert.…` events are delivered; null: all, those added later included.
   *
   * @minItems 1
   */
  categories?: AlertCategory[] | null;
  /**
   * Vaults whose events are delivered; null: every vault that you manage at the time.
   *
   * @minItems 1
   * @maxItems 1000
   */
  vaults?: VaultIdInput[] | null;
  is_enabled?: boolean;
  description?: string;
  retry_schedule?: RetrySchedule;
  /**
   * Sends a second at most; null: no limit.
   */
  rate_limit?: number | null;
}
export interface PendingChange {
  /**
   * `call`: `function` and `arguments` tell.
   */
  kind:
    | "primary_manager"
    | "fee_config"
    | "pps_expiration"
    | "min_update_interval"
    | "hooks_root"
    | "upkeep_withdrawal"
    | "call";
  /**
   * The value in force.
   */
  current: {
    [k: string]: unknown;
  };
  /**
   * The value that replaces it.
   */
  proposed: {
    [k: string]: unknown;
  };
  proposer: Address | null;
  effective_at: Timestamp | null;
  /**
   * Of this one: the same call submitted again, or proposed anew, is another.
   */
  id: string;
  target: Address | null;
  function: string | null;
  arguments: {
    [k: string]: unknown;
  } | null;
  calldata: string | null;
  submitted_at: Timestamp | null;
  submitted_by: Address | null;
  executable_at: Timestamp | null;
  earliest_effect_at: Timestamp | null;
  /**
   * Who can take it back; empty where nobody tells.
   */
  revocable_by: Address[];
  /**
   * `ready`: by the clock it can be carried out; it is gone once it was. `blocked`: its function was given up, and it never can.
   */
  status: "pending" | "ready" | "blocked";
}
export interface PpsHistory {
  points: PpsPoint[];
  next_cursor: string | null;
}
export interface PpsPoint {
  timestamp: Timestamp;
  pps: Quantity | null;
  tvl: Quantity | null;
  tvl_usd: number | null;
  block_number: number;
}
/**
 * The engine's own calculation of the price per share. Shown beside the onchain value as `reported_pps`.
 */
export interface PpsReportEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.pps.report";
  time: TimestampInput;
  subject: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    value: QuantityInput;
    at: TimestampInput;
  };
}
export interface PpsStaleEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "pps.stale";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    /**
     * Until it expires; 0 when it is stale.
     */
    remaining_seconds: number;
    last_update: Timestamp | null;
    is_stale: boolean;
    staleness_reason: ("expired" | "flagged" | "never_updated") | null;
    pps_expires_at: Timestamp | null;
    pps_would_expire_at: Timestamp | null;
  };
}
export interface PpsUpdatedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "pps.updated";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    pps: Quantity;
    old_pps: Quantity | null;
    fee_amount: Quantity | null;
    /**
     * The time stated in the update, RFC 3339 UTC.
     */
    pps_timestamp: string;
    block_number: number;
    block_hash: string;
    tx_hash: string;
    log_index: number;
  };
}
export interface PreparedAction {
  id: string;
  chain_id: number;
  vault_address: Address;
  action: string;
  title: string;
  parameters: {
    [k: string]: unknown;
  };
  from: Address;
  calls: ActionCall[];
  preconditions: ActionPrecondition[];
  simulation: ActionSimulation | null;
  simulation_unavailable_reason: string | null;
  formats: ActionFormats;
  status: "prepared" | "submitted" | "executed" | "confirmed" | "replaced" | "failed" | "expired";
  submissions: ActionSubmission[];
  transaction_hash: string | null;
  /**
   * The audit entries that it wrote, once its block is confirmed.
   */
  entry_ids: string[];
  created_at: Timestamp;
  expires_at: Timestamp;
}
export interface PreparedActions {
  prepared_actions: PreparedAction[];
}
export interface PublicVault {
  /**
   * `{chain_id}:{vault_address}`.
   */
  vault_id: string;
  vault_address: Address;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  /**
   * Kind of contract.
   */
  family: "supervault" | "erc4626" | "morpho_vault_v2" | "metamorpho" | "euler_earn" | "lagoon" | "yearn_v3";
  name: string | null;
  symbol: string | null;
  vault_share_decimals: number;
  underlying_asset_address: Address;
  underlying_asset_symbol: string | null;
  underlying_asset_decimals: number;
  tvl: Quantity | null;
  tvl_usd: number | null;
  tvl_usd_unavailable_reason: string | null;
  apy: number | null;
  apy_1d: number | null;
  apy_7d: number | null;
  apy_30d: number | null;
  apy_inception: number | null;
  pps: Quantity | null;
  is_paused: boolean | null;
  created_at: Timestamp | null;
  updated_at: Timestamp | null;
  /**
   * Why a field of that name is null, where known. `not_read_since <time>`, next to a value too: the node could not be read since then, and the value is of that time.
   */
  unavailable_reasons: {
    [k: string]: string;
  };
}
export interface Readiness {
  status: "ready";
  checks: ReadinessCheck[];
}
export interface ReadinessCheck {
  name: string;
  state: "ok" | "degraded" | "failed";
  detail: string | null;
}
export interface Redeem {
  controller: Address;
  pending_shares: Quantity;
  pending_assets_estimate: Quantity | null;
  requested_at: Timestamp | null;
  age_seconds: number | null;
  claimable_shares: Quantity;
  claimable_assets: Quantity;
}
export interface RedeemPage {
  redeems: Redeem[];
  total: number;
  has_more: boolean;
  total_pending_shares: Quantity;
  total_claimable_assets: Quantity;
  as_of: {
    block_number: number;
    block_timestamp: Timestamp;
  } | null;
}
export interface RedemptionExecution {
  /**
   * UUID; never changes, whichever of report and chain came first.
   */
  id: string;
  execution_id: string | null;
  source: "reported" | "onchain" | "both";
  created_at: Timestamp;
  status: ExecutionStatus;
  tx_hash: string | null;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  vault_address: Address;
  controllers_count: number;
  total_shares_fulfilled: Quantity;
  total_assets_out: Quantity | null;
  pps_at_fulfillment: Quantity;
  block_number: number | null;
  is_confirmed: boolean | null;
}
/**
 * Redemptions of a vault were executed. Joined with what is seen onchain: one transaction is one execution per vault, whichever is seen first.
 */
export interface RedemptionExecutionEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.redemption.execution";
  time: TimestampInput;
  subject: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    execution_id: string;
    status: "pending" | "success" | "failed" | "skipped";
    /**
     * Transaction hash: `0x` and 64 hexadecimal digits.
     */
    tx_hash?: string;
    controllers_count: number;
    total_shares_fulfilled: QuantityInput;
    total_assets_out: QuantityInput;
    pps_at_fulfillment: QuantityInput;
    created_at: TimestampInput;
  };
}
export interface RedemptionExecutionPage {
  executions: RedemptionExecution[];
  total: number;
  has_more: boolean;
}
export interface RedemptionFulfilledEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "redemption.fulfilled";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    controllers: Address[];
    processed_shares: Quantity;
    pps: Quantity;
    block_number: number;
    block_hash: string;
    tx_hash: string;
    log_index: number;
  };
}
export interface ReportResult {
  source: string | null;
  id: string | null;
  status: "accepted" | "duplicate" | "rejected";
  /**
   * true: the service does not know the vault or chain yet. The same report may be accepted later.
   */
  retry?: boolean;
  problem?: {
    /**
     * A code of the catalogue.
     */
    code: string;
    title: string;
    status: number;
    detail: string;
    errors?: {
      path: string;
      message: string;
    }[];
  };
}
export interface ReportResults {
  results: ReportResult[];
}
export interface RotatedSecret {
  /**
   * Verifies deliveries (Standard Webhooks). Shown only once.
   */
  secret: string;
  old_secret_valid_until: Timestamp | null;
}
export interface ServiceDegradedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "service.degraded";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    service: string;
    status: "healthy" | "warning" | "critical" | "paused" | "unknown";
    success_rate: number | null;
    last_run: Timestamp | null;
    last_error: string | null;
  };
}
export interface ServiceDownEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "service.down";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    service: string;
    status: "healthy" | "warning" | "critical" | "paused" | "unknown";
    success_rate: number | null;
    last_run: Timestamp | null;
    last_error: string | null;
  };
}
export interface ServiceLateEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "service.late";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    service: string;
    status: "healthy" | "warning" | "critical" | "paused" | "unknown";
    success_rate: number | null;
    last_run: Timestamp | null;
    last_error: string | null;
  };
}
/**
 * A run of a service finished. `run_id` identifies the run; a run reported twice counts once.
 */
export interface ServiceRunEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.service.run";
  time: TimestampInput;
  subject?: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    /**
     * A name of lower-case letters, digits and underscores that begins with a letter, such as `fulfill_redeems`.
     */
    service: string;
    run_id: string;
    status: "success" | "failed" | "skipped";
    started_at: TimestampInput;
    finished_at: TimestampInput;
    schedule_seconds?: number;
    error?: string;
  };
}
/**
 * Settings of a service. Pausing and resuming become audit entries.
 */
export interface ServiceStateEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.service.state";
  time: TimestampInput;
  subject?: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    /**
     * A name of lower-case letters, digits and underscores that begins with a letter, such as `fulfill_redeems`.
     */
    service: string;
    is_enabled?: boolean;
    is_paused: boolean;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    paused_by?: AddressInput;
    reason?: string;
    schedule_seconds?: number;
    next_run?: TimestampInput;
    display_name?: string;
  };
}
export interface ServiceStatus {
  name: string;
  display_name: string;
  /**
   * `paused` (or switched off): never late. `critical`: success rate under 0.80, or three schedules or more since the last run. `warning`: under 0.95, or two. `unknown`: never reported. The rate counts from five runs on; without a schedule nothing is late.
   */
  status: "critical" | "warning" | "paused" | "healthy" | "unknown";
  last_run: Timestamp | null;
  next_run: Timestamp | null;
  schedule_seconds: number | null;
  success_rate: number | null;
  avg_execution_time: number | null;
  avg_execution_time_seconds: number | null;
  /**
   * Skipped runs included.
   */
  total_executions: number;
  /**
   * False where the service was reported to be switched off.
   */
  is_enabled: boolean;
}
export interface ServiceStatusPage {
  services: ServiceStatus[];
}
export interface SessionKey {
  vault_id: string;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  vault_address: Address;
  is_ready: boolean | null;
  key_address: Address | null;
  expires_at: Timestamp | null;
  is_expired: boolean | null;
  pending_rotation: boolean | null;
  reason: string | null;
  reported_at: Timestamp | null;
}
/**
 * Whether the vault's session key can be used. Only the public address is ever reported.
 */
export interface SessionKeyReadinessEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.session_key.readiness";
  time: TimestampInput;
  subject: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    is_ready: boolean;
    /**
     * Address in any case; in mixed case its EIP-55 checksum must be right.
     */
    key_address: AddressInput;
    expires_at: TimestampInput;
    pending_rotation: boolean;
    reason?: string;
  };
}
export interface ShardState {
  vault_id: string;
  strategy_count: number;
  active_intent_count: number;
  /**
   * Seconds; 0 where it is not known.
   */
  tick_interval: number;
  tick_interval_seconds: number;
  fields: {
    [k: string]: unknown;
  };
  strategies: {
    [k: string]: unknown;
  }[];
  allocations: {
    [k: string]: unknown;
  }[];
  emergency_locks: {
    strategy_id: string;
    target_address: Address;
    started_at: Timestamp;
    reason: string;
  }[];
  reported_at: Timestamp;
  /**
   * The report is older than three ticks, or than 90 s where the tick is 0.
   */
  is_stale: boolean;
}
/**
 * State of the shard that runs a vault. Replaces the state reported before. Stale when older than three ticks (90 s where `tick_interval` is 0).
 */
export interface ShardStateEvent {
  specversion: "1.0";
  /**
   * Identifies a repeated report.
   */
  id: string;
  /**
   * The source that the token is bound to.
   */
  source: string;
  type: "vaultops.shard.state";
  time: TimestampInput;
  subject: VaultIdInput;
  /**
   * `application/json` where given.
   */
  datacontenttype?: string;
  dataschema?: string;
  data: {
    strategy_count: number;
    active_intent_count: number;
    /**
     * Seconds.
     */
    tick_interval: number;
    fields: {
      [k: string]: unknown;
    };
    /**
     * @maxItems 1000
     */
    strategies: {
      [k: string]: unknown;
    }[];
    /**
     * @maxItems 1000
     */
    allocations: {
      [k: string]: unknown;
    }[];
    /**
     * @maxItems 1000
     */
    emergency_locks: {
      strategy_id: string;
      /**
       * Address in any case; in mixed case its EIP-55 checksum must be right.
       */
      target_address: AddressInput;
      started_at: TimestampInput;
      reason: string;
    }[];
  };
}
export interface SignInConfiguration {
  issuers: TrustedIssuer[];
  embedded: {
    auth_url: string;
    /**
     * Items: Chain identifier (EIP-155).
     */
    chain_ids: ChainId[];
  } | null;
}
export interface Silence {
  id: string;
  chain_id: ChainIdOrZero;
  vault_address: Address;
  category: AlertCategory | null;
  reason: string;
  created_by: Address;
  created_at: Timestamp;
  ends_at: Timestamp;
  ended_by: Address | null;
}
export interface SilencePage {
  silences: Silence[];
  total: number;
  has_more: boolean;
}
export interface TokenAsset {
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  address: Address;
  symbol: string | null;
  name: string | null;
  decimals: number | null;
  logo_uri: string | null;
  price_usd: number | null;
  price_updated_at: Timestamp | null;
  price_source: string | null;
  price_unavailable_reason: string | null;
}
export interface TokenRequest {
  /**
   * Address in any case; in mixed case its EIP-55 checksum must be right.
   */
  address: AddressInput;
  challenge_id: string;
  /**
   * The signature of `typed_data`: `0x` and an even number of hexadecimal digits; `0x` alone is the empty one.
   */
  signature: string;
  /**
   * `read` for a token that may only read.
   */
  scope?: "full" | "read";
  /**
   * Lifetime in seconds: at most 3600, or 86400 with `scope: read`. The default is the maximum.
   */
  expires_in?: number;
}
export interface TokenVerification {
  verified: boolean;
  walletAddress: Address;
  isManager: boolean;
  /**
   * Addresses of the vaults that the wallet manages.
   */
  vaults: Address[];
  /**
   * The only chain whose roles count with this token: a contract signed for it, and on another chain another contract may stand at its address. Null for a key's signature, which counts everywhere.
   */
  limitedToChainId: ChainId | null;
}
export interface TrustedIssuer {
  issuer: string;
  profile: "dynamic" | "privy" | "generic";
  console: ConsoleSignIn | null;
}
export interface Vault {
  /**
   * `{chain_id}:{vault_address}`.
   */
  vault_id: string;
  vault_address: Address;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  /**
   * Kind of contract.
   */
  family: "supervault" | "erc4626" | "morpho_vault_v2" | "metamorpho" | "euler_earn" | "lagoon" | "yearn_v3";
  name: string | null;
  symbol: string | null;
  vault_share_decimals: number;
  underlying_asset_address: Address;
  underlying_asset_symbol: string | null;
  underlying_asset_decimals: number;
  tvl: Quantity | null;
  tvl_usd: number | null;
  tvl_usd_unavailable_reason: string | null;
  apy: number | null;
  apy_1d: number | null;
  apy_7d: number | null;
  apy_30d: number | null;
  apy_inception: number | null;
  pps: Quantity | null;
  is_paused: boolean | null;
  created_at: Timestamp | null;
  updated_at: Timestamp | null;
  /**
   * Why a field of that name is null, where known. `not_read_since <time>`, next to a value too: the node could not be read since then, and the value is of that time.
   */
  unavailable_reasons: {
    [k: string]: string;
  };
  strategy_address: Address | null;
  escrow_address: Address | null;
  current_pps: Quantity | null;
  /**
   * Decimals of the price per share: those of the asset.
   */
  pps_decimals: number;
  last_pps_update_timestamp: Timestamp | null;
  pps_expires_at: string | null;
  pps_would_expire_at: string | null;
  pps_expiration_seconds: number | null;
  max_staleness_seconds: number | null;
  min_update_interval_seconds: number | null;
  hwm_pps: Quantity | null;
  reported_pps: {
    value: Quantity;
    at: Timestamp;
  } | null;
  is_paused_since: Timestamp | null;
  emergency_exit: {
    is_armed: boolean;
    since: Timestamp | null;
    by: Address | null;
  };
  total_assets: Quantity | null;
  total_supply: Quantity | null;
  escrowed_assets: Quantity | null;
  free_assets: Quantity | null;
  fee_config: {
    performance_fee_bps: number | null;
    management_fee_bps: number | null;
    recipient: Address | null;
  } | null;
  managers: {
    primary: Address | null;
    secondary: Address[];
  };
  /**
   * Who holds the contract's roles, and which Safes and timelocks stand behind those, with no role of their own.
   */
  controllers: Controller[];
  upkeep_info: {
    balance: Quantity;
    token: Address | null;
    threshold: {
      required_balance: Quantity | null;
      shortfall: Quantity | null;
    };
  } | null;
  activation: {
    is_active: boolean;
    status: "active" | "insufficient_upkeep";
    reason: string | null;
  } | null;
  merkle: {
    root: string;
    proposed_root: string | null;
    effective_at: Timestamp | null;
    is_vetoed: boolean;
    is_global_root_vetoed: boolean | null;
  } | null;
  yield_sources: YieldSource[];
  contract_roles: ContractRole[];
  implementation: Address | null;
  allocations: Allocation[];
  liquidity: {
    idle_assets: Quantity;
    withdrawable_assets: Quantity | null;
    utilisation: number | null;
  } | null;
  lost_assets: Quantity | null;
  fees: {
    performance_fee: string | null;
    performance_fee_recipient: Address | null;
    management_fee: string | null;
    management_fee_recipient: Address | null;
  } | null;
  nav: {
    proposed_total_assets: Quantity | null;
    proposed_at: Timestamp | null;
    valid_until: Timestamp | null;
    owed_assets: Quantity | null;
  } | null;
  pending_changes: PendingChange[];
  pending_redeems: {
    count: number;
    shares: Quantity;
  };
  as_of: {
    block_number: number;
    block_hash: string;
    block_timestamp: Timestamp;
    confirmed: boolean;
  } | null;
  role: Role | null;
  attention: Attention[] | null;
  remaining_staleness_time: number | null;
  is_pps_stale: boolean;
  staleness_reason: ("expired" | "flagged" | "never_updated") | null;
}
export interface VaultAlertRules {
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  vault_address: Address;
  rules: AlertRules;
  own_rules: AlertRulesPatch;
  updated_by: Address | null;
  updated_at: Timestamp | null;
  /**
   * De-risking actions whose calls `alert.dispatch` hands to bots.
   */
  dispatch: AlertDispatchSetting[];
  dispatch_updated_by: Address | null;
  dispatch_updated_at: Timestamp | null;
  /**
   * Whoever set `dispatch` is a primary manager of the vault now. False: no calls are handed out until one that is sets it again.
   */
  is_dispatch_in_force: boolean;
}
export interface VaultList {
  /**
   * Short forms, or with `fields=state` whole records.
   */
  vaults: (VaultSummary | Vault)[];
}
export interface VaultPausedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "vault.paused";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    account: Address | null;
    block_number: number;
    block_hash: string;
    tx_hash: string;
    log_index: number;
  };
}
export interface VaultRole {
  vault_address: Address;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  /**
   * The wallet's strongest role on that vault.
   */
  role: Role;
  /**
   * False until the wallet accepts the vault (`PUT /api/v1/me/vaults/{vault_id}`) or sends a transaction that the vault's audit log records: anyone can name any wallet as a manager. Webhooks for all vaults and the default lists of alerts leave the vault out until then; everything else works.
   */
  accepted: boolean;
  via: Address | null;
  /**
   * What the wallet itself holds on the vault's contract, by the contract's words (`owner`, `curator`, …), as in the vault's record. Empty for whoever holds the role by another account, by a grant, or by the configuration.
   */
  contract_roles: string[];
}
export interface VaultService {
  name: string;
  display_name: string;
  /**
   * `paused` (or switched off): never late. `critical`: success rate under 0.80, or three schedules or more since the last run. `warning`: under 0.95, or two. `unknown`: never reported. The rate counts from five runs on; without a schedule nothing is late.
   */
  status: "critical" | "warning" | "paused" | "healthy" | "unknown";
  last_run: Timestamp | null;
  next_run: Timestamp | null;
  schedule_seconds: number | null;
  success_rate: number | null;
  avg_execution_time: number | null;
  avg_execution_time_seconds: number | null;
  /**
   * Skipped runs included.
   */
  total_executions: number;
  /**
   * False where the service was reported to be switched off.
   */
  is_enabled: boolean;
  is_paused: boolean;
  paused_at: Timestamp | null;
  paused_by: Address | null;
  paused_reason: string | null;
  resumed_at: Timestamp | null;
  last_error: string | null;
}
export interface VaultSummary {
  /**
   * `{chain_id}:{vault_address}`.
   */
  vault_id: string;
  vault_address: Address;
  /**
   * Chain identifier (EIP-155).
   */
  chain_id: ChainId;
  role: Role | null;
  name: string | null;
  symbol: string | null;
  is_paused: boolean | null;
  is_pps_stale: boolean;
  staleness_reason: ("expired" | "flagged" | "never_updated") | null;
  remaining_staleness_time: number | null;
  attention: Attention[] | null;
}
export interface VaultUnpausedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "vault.unpaused";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    account: Address | null;
    block_number: number;
    block_hash: string;
    tx_hash: string;
    log_index: number;
  };
}
export interface Webhook {
  id: string;
  url: string;
  event_types: WebhookEventType[];
  /**
   * All types but `alert.dispatch` are delivered, those added later included.
   */
  is_all_event_types: boolean;
  categories: AlertCategory[];
  /**
   * Alerts of all categories are delivered, those added later included.
   */
  is_all_categories: boolean;
  /**
   * Vault ids. Events of a vault that you no longer manage are not delivered.
   */
  vaults: string[];
  /**
   * Every vault that you manage and have accepted, those gained later included.
   */
  is_all_vaults: boolean;
  is_enabled: boolean;
  disabled_reason: ("gone" | "failing") | null;
  disabled_at: Timestamp | null;
  description: string;
  retry_schedule: RetrySchedule;
  rate_limit: number | null;
  /**
   * Until when each secret that was rotated out still signs.
   */
  old_secrets_valid_until: Timestamp[];
  secret_error: string | null;
  last_delivery: {
    status: DeliveryStatus;
    at: Timestamp;
    error: string | null;
  } | null;
  created_by: Address;
  /**
   * The only chain whose events it gets: it was created by a contract wallet, whose signature counts on that chain alone. Null: every chain.
   */
  limited_to_chain_id: ChainId | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}
export interface WebhookChanges {
  /**
   * Where events are posted: https, at a public address.
   */
  url?: string;
  /**
   * Types that are delivered; null: all, those added later included, but for `alert.dispatch`, which an endpoint must name.
   *
   * @minItems 1
   */
  event_types?: WebhookEventType[] | null;
  /**
   * Categories of alerts of which `alert.…` events are delivered; null: all, those added later included.
   *
   * @minItems 1
   */
  categories?: AlertCategory[] | null;
  /**
   * Vaults whose events are delivered; null: every vault that you manage at the time.
   *
   * @minItems 1
   * @maxItems 1000
   */
  vaults?: VaultIdInput[] | null;
  is_enabled?: boolean;
  description?: string;
  retry_schedule?: RetrySchedule;
  /**
   * Sends a second at most; null: no limit.
   */
  rate_limit?: number | null;
}
export interface WebhookDelivery {
  id: string;
  /**
   * The `webhook-id` of every attempt and replay.
   */
  event_id: string;
  event_type: WebhookEventType;
  chain_id: ChainIdOrZero;
  vault_address: Address;
  /**
   * `failed` will be retried; `dead` will not.
   */
  status: DeliveryStatus;
  created_at: Timestamp;
  next_attempt_at: Timestamp | null;
  request: WebhookRequest;
  attempts: WebhookDeliveryAttempt[];
}
export interface WebhookDeliveryAttempt {
  number: number;
  at: Timestamp;
  status_code: number | null;
  error: string | null;
  duration_ms: number | null;
  response_excerpt: string | null;
}
export interface WebhookDeliveryPage {
  deliveries: WebhookDelivery[];
  total: number;
  has_more: boolean;
}
export interface WebhookPage {
  webhooks: Webhook[];
  total: number;
  has_more: boolean;
}
export interface WebhookReplay {
  replayed: number;
  /**
   * More match; ask again from where this one stopped.
   */
  has_more: boolean;
  /**
   * `from` of the next request; null where nothing is left.
   */
  next_from: string | null;
}
export interface WebhookReplayRequest {
  from: TimestampInput;
  to: TimestampInput;
  /**
   * Of which deliveries; `dead` by default.
   */
  status?: "delivered" | "dead" | "canceled";
}
/**
 * What every attempt sends.
 */
export interface WebhookRequest {
  method: "POST";
  /**
   * Without `webhook-timestamp`, which is the attempt's `at` in Unix seconds, and `webhook-signature`, both created for each attempt.
   */
  headers: {
    [k: string]: string;
  };
  /**
   * The bytes that are signed and sent, the same every time, as text.
   */
  body: string;
}
export interface WebhookTestEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "webhook.test";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    webhook_id: string;
    message: string;
  };
}
export interface YieldSource {
  address: Address;
  oracle: Address;
  added_at: Timestamp | null;
  allocation_assets: Quantity | null;
}
export interface YieldSourceAddedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "yield_source.added";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    yield_source: Address;
    oracle: Address;
    block_number: number;
    block_hash: string;
    tx_hash: string;
    log_index: number;
  };
}
export interface YieldSourceRemovedEvent {
  /**
   * The same through every retry and replay.
   */
  event_id: string;
  event_type: "yield_source.removed";
  timestamp: Timestamp;
  vault_address: Address;
  chain_id: ChainIdOrZero;
  data: {
    yield_source: Address;
    block_number: number;
    block_hash: string;
    tx_hash: string;
    log_index: number;
  };
}
