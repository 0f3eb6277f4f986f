// The tables as the migrations make them. Generated: npm run gen, after every change under server/migrations.
// Values are typed as platform/postgres-values.ts delivers them.

import type { ColumnType } from "kysely";

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

export interface Facts {
  actor_wallet: string;
  block_number: Int8;
  chain_id: Int8;
  data: Json;
  kind: string;
  log_index: number;
  tx_hash: string;
  tx_index: number;
  vault_address: string | null;
}

export interface Members {
  chain_id: Int8;
  granted_at: Generated<Timestamp>;
  granted_by: string;
  role: Generated<string>;
  vault_address: string;
  wallet: string;
}

export interface PpsPoints {
  block_number: Int8;
  block_timestamp: Timestamp;
  chain_id: Int8;
  log_index: number;
  pps: Numeric | null;
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
  requested_shares: Numeric;
  shares: Numeric;
  vault_address: string;
  vault_pending_count: number;
  vault_pending_shares: Numeric;
}

export interface SchemaMigrations {
  applied_at: Generated<Timestamp>;
  checksum: string;
  name: string;
  version: number;
}

export interface ShareSupplies {
  block_number: Int8;
  chain_id: Int8;
  total_supply: Numeric;
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
  symbol: string | null;
  updated_at: Generated<Timestamp>;
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
  capabilities: Generated<Json>;
  chain_id: Int8;
  configured_at: Generated<Timestamp>;
  created_at: Timestamp | null;
  created_block: Int8 | null;
  escrow_address: string | null;
  family: string;
  name: string | null;
  share_decimals: number;
  source_address: string;
  strategy_address: string | null;
  symbol: string | null;
}

export interface VaultStates {
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
  upkeep_balance: Numeric | null;
  upkeep_required: Numeric | null;
  upkeep_token: string | null;
  vault_address: string;
  yield_sources: Generated<Json>;
}

export interface DB {
  audit_actors: AuditActors;
  audit_checkpoints: AuditCheckpoints;
  audit_counts: AuditCounts;
  audit_entries: AuditEntries;
  audit_keys: AuditKeys;
  audit_tiles: AuditTiles;
  blocks: Blocks;
  chains: Chains;
  challenges: Challenges;
  facts: Facts;
  members: Members;
  pps_points: PpsPoints;
  price_points: PricePoints;
  redeem_flows: RedeemFlows;
  schema_migrations: SchemaMigrations;
  share_supplies: ShareSupplies;
  sources: Sources;
  token_prices: TokenPrices;
  tokens: Tokens;
  vault_intervals: VaultIntervals;
  vault_reports: VaultReports;
  vault_roles: VaultRoles;
  vault_states: VaultStates;
  vaults: Vaults;
}
