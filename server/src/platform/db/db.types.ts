// The tables as the migrations make them. Generated: npm run gen, after every change under server/migrations.
// Values are typed as platform/db/postgres-values.ts delivers them.

import type { ColumnType } from "kysely";

export type ArrayType<T> = ArrayTypeImpl<T> extends (infer U)[]
  ? U[]
  : ArrayTypeImpl<T>;

export type ArrayTypeImpl<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S[], I[], U[]>
  : T[];

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export type Int8 = ColumnType<number, number | bigint | string, number | bigint | string>;

export type Json = JsonValue;

export type JsonArray = JsonValue[];

export type JsonObject = {
  [x: string]: JsonValue | undefined;
};

export type JsonPrimitive = boolean | number | string | null;

export type JsonValue = JsonArray | JsonObject | JsonPrimitive;

export type Numeric = ColumnType<bigint, bigint | string | number, bigint | string | number>;

export type Timestamp = ColumnType<string, string | Date, string | Date>;

export interface AlertLease {
  evaluated_at: Timestamp | null;
  expires_at: Generated<Timestamp>;
  holder: string | null;
  is_it: Generated<boolean>;
}

export interface AlertRules {
  chain_id: Int8;
  rules: Json;
  updated_at: Timestamp;
  updated_by: string;
  vault_address: string;
}

export interface Alerts {
  acknowledged_at: Timestamp | null;
  acknowledged_by: string | null;
  area: string;
  block_hash: string | null;
  block_number: Int8 | null;
  category: string;
  chain_id: Int8;
  conditions: string[];
  content_hash: string;
  details: Json;
  id: string;
  is_flapping: Generated<boolean>;
  is_unconfirmed: boolean;
  is_withdrawn: Generated<boolean>;
  last_notice: string | null;
  last_seen_at: Timestamp;
  message: string;
  next_step: string;
  notified_at: Timestamp | null;
  notified_severity: string | null;
  quiet_since: Timestamp | null;
  resolved_at: Timestamp | null;
  severity: string;
  started_at: Timestamp;
  status: Generated<string>;
  subject: string;
  title: string;
  transaction_url: string | null;
  vault_address: string;
  vault_name: string | null;
}

export interface AuditActors {
  actor_wallet: string;
  is_counted: Generated<boolean>;
  n: Int8;
}

export interface AuditCheckpoints {
  created_at: Generated<Timestamp>;
  note: string;
  root: Buffer;
  size: Int8;
}

export interface AuditCounts {
  action_type: string;
  actor_wallet: string;
  axis: number;
  bucket: Int8;
  chain_id: Int8;
  level: number;
  n: Int8;
  vault_address: string;
}

export interface AuditEntries {
  action_type: string;
  actor_wallet: string;
  body: string;
  chain_id: Int8;
  id: string;
  occurred_at: Timestamp;
  recorded_at: Timestamp;
  seq: Int8;
  timestamp: Timestamp;
  vault_address: string;
}

export interface AuditKeys {
  created_at: Generated<Timestamp>;
  from_size: Int8;
  vkey: string;
}

export interface AuditTiles {
  hashes: Buffer;
  index: Int8;
  level: number;
  root: Buffer;
}

export interface Blocks {
  block_timestamp: Timestamp;
  chain_id: Int8;
  hash: string;
  is_empty: Generated<boolean>;
  number: Int8;
  parent_hash: string | null;
}

export interface ChainGaps {
  block_number: Int8;
  chain_id: Int8;
  found_at: Generated<Timestamp>;
  lacks: string;
  reason: string;
  subject: string;
}

export interface ChainLeases {
  acquired_at: Timestamp | null;
  chain_id: Int8;
  expires_at: Timestamp | null;
  holder: string | null;
  holder_name: string | null;
  renewed_at: Timestamp | null;
  session_pid: number | null;
  session_start: Timestamp | null;
  token: Generated<Int8>;
}

export interface Chains {
  anchor_hash: string | null;
  anchor_number: Int8 | null;
  chain_id: Int8;
  configured_at: Generated<Timestamp>;
  confirmed_number: Int8 | null;
  explorer_url: string | null;
  head_hash: string | null;
  head_number: Int8 | null;
  head_seen_at: Timestamp | null;
  head_timestamp: Timestamp | null;
  is_halted: Generated<boolean>;
  name: string;
  revision: Generated<Int8>;
}

export interface Challenges {
  attempts: Generated<number>;
  chain_id: Int8;
  expires_at: Timestamp;
  id: string;
  issued_at: Timestamp;
  nonce: string;
  wallet: string;
}

export interface ChannelAlerts {
  accepted_at: Timestamp | null;
  alert_id: string;
  channel_id: string;
  config_id: string | null;
  told_at: Timestamp;
}

export interface ChannelBindings {
  bound_at: Timestamp;
  bound_by: string;
  categories: string[];
  chain_id: Int8;
  channel_id: string;
  min_severity: string;
  vault_address: string;
}

export interface ChannelConfigs {
  channel_id: string;
  config: Json;
  created_at: Timestamp;
  id: string;
  is_current: Generated<boolean>;
  masks: Json;
  sealed_secrets: string;
}

export interface ChannelSent {
  delivery_id: string;
}

export interface DeepReorganisations {
  ancestor_number: Int8;
  chain_id: Int8;
  happened_at: Generated<Timestamp>;
  id: Generated<Int8>;
  reverted_count: Int8;
}

export interface Deliveries {
  attempts_count: Generated<number>;
  body: string;
  chain_id: Int8;
  created_at: Timestamp;
  due_at: Timestamp;
  event_id: string | null;
  event_type: string;
  finished_at: Timestamp | null;
  id: string;
  key: string;
  lease_id: string | null;
  leased_until: Timestamp | null;
  queue: string;
  replays_left: Generated<number>;
  seq: Generated<Int8>;
  status: Generated<string>;
  status_before: string | null;
  target_id: string;
  vault_address: string;
}

export interface DeliveryAttempts {
  at: Timestamp;
  delivery_id: string;
  duration_ms: number | null;
  error: string | null;
  number: number;
  response_excerpt: string | null;
  status_code: number | null;
}

export interface DeliveryTargets {
  failing_since: Timestamp | null;
  max_concurrency: number | null;
  max_per_second: number | null;
  not_before: Timestamp | null;
  recovered_at: Timestamp | null;
  target_id: string;
}

export interface EngineActions {
  action_type: string;
  actor_wallet: string;
  chain_id: Int8;
  report_id: string;
  reported_at: Timestamp;
  source: string;
  vault_address: string;
}

export interface EngineReportIds {
  id: string;
  received_at: Generated<Timestamp>;
  source: string;
}

export interface Events {
  at: Timestamp;
  chain_id: Int8;
  created_at: Generated<Timestamp>;
  data: string;
  failures: Generated<number>;
  fanned_out_at: Timestamp | null;
  id: string;
  seq: Generated<Int8>;
  type: string;
  vault_address: string;
}

export interface Facts {
  actor_wallet: string;
  block_number: Int8;
  chain_id: Int8;
  data: Json;
  kind: string;
  log_index: number;
  tx_from: string | null;
  tx_hash: string;
  tx_index: number;
  vault_address: string | null;
}

export interface Heartbeats {
  last_at: Timestamp;
  subject: string;
}

export interface IdempotencyKeys {
  created_at: Timestamp;
  id: string;
  key: string;
  route: string;
  sealed_answer: string | null;
  wallet: string;
}

export interface IngestTokens {
  chains: Generated<ArrayType<Int8>>;
  created_at: Generated<Timestamp>;
  id: string;
  last_used_at: Timestamp | null;
  name: string;
  revoked_at: Timestamp | null;
  source: string;
  token_sha256: Buffer;
  vaults: Generated<string[]>;
}

export interface IntentCounts {
  action: string;
  chain_id: Int8;
  n: Int8;
  state: string;
  strategy_id: string;
  vault_address: string;
}

export interface IntentEvents {
  action: string | null;
  correlation_id: string | null;
  error_code: string | null;
  error_message: string | null;
  event_id: string;
  event_time: Timestamp;
  execution_id: string | null;
  gas_used_total: Numeric | null;
  intent_id: string;
  seq: Int8;
  state: string;
  strategy_id: string | null;
  total_amount_in: Numeric | null;
  total_amount_out: Numeric | null;
  tx_hash: string | null;
}

export interface IntentFills {
  amount_in: Numeric;
  amount_out: Numeric;
  block_hash: string | null;
  block_number: Int8 | null;
  chain_id: Int8;
  check_at: Generated<Timestamp | null>;
  event_id: string;
  event_time: Timestamp;
  fill_id: string;
  fill_time: Timestamp;
  gas_used: Numeric | null;
  intent_id: string;
  is_reverted: boolean | null;
  onchain: Generated<string>;
  token_in: string;
  token_out: string;
  tx_hash: string;
  unknown_since: Timestamp | null;
  vault_address: string;
  vault_chain_id: Int8;
  venue: string | null;
  was_seen: Generated<boolean>;
}

export interface Intents {
  acked_at: Timestamp | null;
  action: string | null;
  chain_id: Int8;
  completed_at: Timestamp | null;
  correlation_id: string | null;
  created_at: Timestamp;
  error_code: string | null;
  error_message: string | null;
  executing_at: Timestamp | null;
  execution_id: string | null;
  fills_count: Generated<number>;
  gas_used_total: Numeric | null;
  intent_id: string;
  last_event_seq: Int8;
  state: string;
  strategy_id: string | null;
  terminal_at: Timestamp | null;
  total_amount_in: Numeric | null;
  total_amount_out: Numeric | null;
  vault_address: string;
}

export interface ListeningGaps {
  from_at: Timestamp;
  subject: string;
  to_at: Timestamp;
}

export interface MailAddresses {
  address: string;
  confirmed_at: Timestamp | null;
  id: string;
  owner: string;
  token_expires_at: Timestamp | null;
  token_hash: Buffer | null;
}

export interface ManagerReadings {
  block_number: Int8;
  chain_id: Int8;
  primary_manager: string;
  secondary_managers: string[];
  vault_address: string;
}

export interface ManagerSightings {
  block_number: Int8;
  chain_id: Int8;
  is_announcement: boolean;
  is_listed: boolean;
  manager_address: string;
  source_address: string;
  strategy_address: string;
}

export interface Members {
  chain_id: Int8;
  granted_at: Generated<Timestamp>;
  granted_by: string;
  role: Generated<string>;
  vault_address: string;
  wallet: string;
}

export interface MerkleJobs {
  actor_wallet: string | null;
  chain_id: Int8;
  error: string | null;
  is_recorded: Generated<boolean>;
  job_id: string;
  kind: string;
  report_id: string;
  reported_at: Timestamp;
  root: string | null;
  started_at: Timestamp;
  status: string;
  vault_address: string;
}

export interface NotificationChannels {
  created_at: Timestamp;
  created_by: string;
  disabled_reason: string | null;
  id: string;
  is_enabled: Generated<boolean>;
  limited_to_chain_id: Int8 | null;
  name: string;
  provider: string;
  updated_at: Timestamp;
}

export interface PpsPoints {
  block_number: Int8;
  block_timestamp: Timestamp;
  chain_id: Int8;
  log_index: number;
  pps: Numeric | null;
  pps_e18: Numeric | null;
  stored_pps: Numeric | null;
  total_assets: Numeric | null;
  total_supply: Numeric | null;
  vault_address: string;
}

export interface PricePoints {
  address: string;
  chain_id: Int8;
  price_usd_e18: Numeric;
  priced_at: Timestamp;
  source: string;
  stands_until: Timestamp;
}

export interface RedeemClaimables {
  block_number: Int8;
  chain_id: Int8;
  claimable_assets: Numeric;
  claimable_shares: Numeric;
  controller: string;
  log_index: number;
  vault_address: string;
}

export interface RedeemFlows {
  block_number: Int8;
  block_timestamp: Timestamp;
  cancel_claimed_shares: Numeric;
  cancelled_shares: Numeric;
  chain_id: Int8;
  claimable_shares: Numeric;
  claimed_shares: Numeric;
  controller: string;
  kind: string;
  log_index: number;
  pending_shares: Numeric;
  pending_since: Timestamp | null;
  request_id: Numeric | null;
  requested_shares: Numeric;
  shares: Numeric;
  vault_address: string;
  vault_pending_count: number;
  vault_pending_shares: Numeric;
}

export interface RedemptionExecutions {
  chain_id: Int8;
  controllers_count: Int8 | null;
  created_at: Timestamp;
  event_id: string | null;
  event_time: Timestamp | null;
  execution_id: string | null;
  first_seen_at: Generated<Timestamp>;
  id: Generated<string>;
  pps_at_fulfillment: Numeric | null;
  status: string | null;
  total_assets_out: Numeric | null;
  total_shares_fulfilled: Numeric | null;
  tx_event_id: string | null;
  tx_event_time: Timestamp | null;
  tx_hash: string | null;
  vault_address: string;
}

export interface RedemptionFulfilments {
  block_number: Int8;
  chain_id: Int8;
  controllers_count: number;
  pps_at_fulfillment: Numeric;
  total_assets_out: Numeric | null;
  total_shares_fulfilled: Numeric;
  tx_hash: string;
  vault_address: string;
}

export interface SchemaMigrations {
  applied_at: Generated<Timestamp>;
  checksum: string;
  compatible_from: string | null;
  name: string;
  version: number;
}

export interface ServiceRuns {
  error: string | null;
  finished_at: Timestamp;
  run_id: string;
  service_id: Int8;
  started_at: Timestamp;
  status: string;
}

export interface Services {
  chain_id: Int8;
  first_state_at: Timestamp | null;
  id: Generated<Int8>;
  is_paused: Generated<boolean>;
  last_error: string | null;
  last_run: Timestamp | null;
  name: string;
  next_run: Timestamp | null;
  paused_at: Timestamp | null;
  paused_by: string | null;
  paused_reason: string | null;
  recent_failed: Generated<number>;
  recent_seconds: Generated<number>;
  recent_success: Generated<number>;
  resumed_at: Timestamp | null;
  runs_from: Timestamp | null;
  settings: Generated<Json>;
  states_from: Timestamp | null;
  total_executions: Generated<Int8>;
  vault_address: string;
}

export interface ServiceStates {
  is_paused: boolean;
  is_recorded: Generated<boolean>;
  next_run: Timestamp | null;
  paused_by: string | null;
  reason: string | null;
  report_id: string;
  reported_at: Timestamp;
  service_id: Int8;
  source: string;
}

export interface SessionKeys {
  chain_id: Int8;
  expires_at: Timestamp;
  is_ready: boolean;
  key_address: string;
  pending_rotation: boolean;
  reason: string | null;
  report_id: string;
  reported_at: Timestamp;
  vault_address: string;
}

export interface ShardStates {
  body: string;
  chain_id: Int8;
  report_id: string;
  reported_at: Timestamp;
  tick_interval: number;
  vault_address: string;
}

export interface ShareSupplies {
  block_number: Int8;
  chain_id: Int8;
  total_supply: Numeric;
  vault_address: string;
}

export interface Silences {
  category: string | null;
  chain_id: Int8;
  created_at: Timestamp;
  created_by: string;
  ended_by: string | null;
  ends_at: Timestamp;
  id: string;
  reason: string;
  vault_address: string;
}

export interface Sources {
  address: string;
  chain_id: Int8;
  configured_at: Generated<Timestamp>;
  family: string;
  next_block: Int8 | null;
  start_block: Int8;
}

export interface StoredQuotas {
  expires_at: Timestamp;
  key: string;
  name: string;
  times: ArrayType<Timestamp>;
}

export interface SystemFindings {
  details: Json;
  found_at: Timestamp;
  message: string;
  subject: string;
}

export interface TokenPrices {
  address: string;
  chain_id: Int8;
  checked_at: Timestamp;
  price_usd_e18: Numeric | null;
  priced_at: Timestamp | null;
  source: string | null;
  unavailable_reason: string | null;
  valid_until: Timestamp | null;
}

export interface Tokens {
  address: string;
  chain_id: Int8;
  decimals: number | null;
  logo_uri: string | null;
  name: string | null;
  priced_from_block: Int8 | null;
  symbol: string | null;
  updated_at: Generated<Timestamp>;
}

export interface VaultAcceptances {
  chain_id: Int8;
  changed_at: Generated<Timestamp>;
  is_accepted: boolean;
  vault_address: string;
  wallet: string;
}

export interface VaultIntervals {
  chain_id: Int8;
  data: Json;
  from_block: Int8;
  from_log_index: number;
  kind: string;
  since: Timestamp | null;
  subject: string;
  to_block: Int8 | null;
  vault_address: string;
}

export interface VaultReports {
  chain_id: Int8;
  data: Json;
  kind: string;
  report_id: Generated<string>;
  reported_at: Timestamp;
  vault_address: string;
}

export interface VaultRoles {
  chain_id: Int8;
  from_block: Int8 | null;
  from_log_index: number | null;
  id: Generated<Int8>;
  role: string;
  to_block: Int8 | null;
  vault_address: string;
  wallet: string;
}

export interface Vaults {
  address: string;
  asset_address: string;
  asset_decimals: number;
  asset_symbol: string | null;
  capabilities: Generated<Json>;
  chain_id: Int8;
  configured_at: Generated<Timestamp>;
  created_at: Timestamp | null;
  created_block: Int8 | null;
  escrow_address: string | null;
  family: string;
  is_incomplete: Generated<boolean>;
  name: string | null;
  share_address: string | null;
  share_decimals: number;
  source_address: string;
  strategy_address: string | null;
  symbol: string | null;
}

export interface VaultStates {
  as_of_block: Int8 | null;
  block_number: Int8;
  chain_id: Int8;
  escrowed_assets: Numeric | null;
  fee_recipient: string | null;
  free_assets: Numeric | null;
  has_upkeep: Generated<boolean>;
  hwm_pps: Numeric | null;
  is_paused: boolean | null;
  is_pps_stale_flag: boolean | null;
  last_pps_update: Timestamp | null;
  management_fee_bps: Numeric | null;
  max_staleness_seconds: Int8 | null;
  merkle: Json | null;
  min_update_interval_seconds: Int8 | null;
  pending_changes: Generated<Json>;
  performance_fee_bps: Numeric | null;
  pps: Numeric | null;
  pps_decimals: number;
  pps_expiration_seconds: Int8 | null;
  primary_manager: string | null;
  secondary_managers: Generated<string[]>;
  total_assets: Numeric | null;
  total_supply: Numeric | null;
  unread: Generated<Json>;
  upkeep_balance: Numeric | null;
  upkeep_required: Numeric | null;
  upkeep_token: string | null;
  vault_address: string;
  yield_sources: Generated<Json>;
}

export interface Webhooks {
  created_at: Timestamp;
  created_by: string;
  description: string;
  disabled_at: Timestamp | null;
  disabled_reason: string | null;
  event_types: string[] | null;
  id: string;
  is_enabled: boolean;
  limited_to_chain_id: Int8 | null;
  rate_limit: number | null;
  retry_schedule: string;
  sealed_old_secrets: string | null;
  sealed_secret: string;
  updated_at: Timestamp;
  url: string;
  vaults: string[] | null;
}

export interface DB {
  alert_lease: AlertLease;
  alert_rules: AlertRules;
  alerts: Alerts;
  audit_actors: AuditActors;
  audit_checkpoints: AuditCheckpoints;
  audit_counts: AuditCounts;
  audit_entries: AuditEntries;
  audit_keys: AuditKeys;
  audit_tiles: AuditTiles;
  blocks: Blocks;
  chain_gaps: ChainGaps;
  chain_leases: ChainLeases;
  chains: Chains;
  challenges: Challenges;
  channel_alerts: ChannelAlerts;
  channel_bindings: ChannelBindings;
  channel_configs: ChannelConfigs;
  channel_sent: ChannelSent;
  deep_reorganisations: DeepReorganisations;
  deliveries: Deliveries;
  delivery_attempts: DeliveryAttempts;
  delivery_targets: DeliveryTargets;
  engine_actions: EngineActions;
  engine_report_ids: EngineReportIds;
  events: Events;
  facts: Facts;
  heartbeats: Heartbeats;
  idempotency_keys: IdempotencyKeys;
  ingest_tokens: IngestTokens;
  intent_counts: IntentCounts;
  intent_events: IntentEvents;
  intent_fills: IntentFills;
  intents: Intents;
  listening_gaps: ListeningGaps;
  mail_addresses: MailAddresses;
  manager_readings: ManagerReadings;
  manager_sightings: ManagerSightings;
  members: Members;
  merkle_jobs: MerkleJobs;
  notification_channels: NotificationChannels;
  pps_points: PpsPoints;
  price_points: PricePoints;
  redeem_claimables: RedeemClaimables;
  redeem_flows: RedeemFlows;
  redemption_executions: RedemptionExecutions;
  redemption_fulfilments: RedemptionFulfilments;
  schema_migrations: SchemaMigrations;
  service_runs: ServiceRuns;
  service_states: ServiceStates;
  services: Services;
  session_keys: SessionKeys;
  shard_states: ShardStates;
  share_supplies: ShareSupplies;
  silences: Silences;
  sources: Sources;
  stored_quotas: StoredQuotas;
  system_findings: SystemFindings;
  token_prices: TokenPrices;
  tokens: Tokens;
  vault_acceptances: VaultAcceptances;
  vault_intervals: VaultIntervals;
  vault_reports: VaultReports;
  vault_roles: VaultRoles;
  vault_states: VaultStates;
  vaults: Vaults;
  webhooks: Webhooks;
}
