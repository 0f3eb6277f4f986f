-- The database as the migrations leave it, to be read: nothing runs this file. Generated: npm run gen, after every change under
-- server/migrations. Partitions are left out; what the application's role may do stands in migrations/grants.sql.

create table alert_dispatches (
  alert_id uuid not null,
  chain_id bigint not null,
  vault_address text not null,
  data json not null,
  found_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  claimed_at timestamp with time zone,
  constraint alert_dispatches_pkey PRIMARY KEY (alert_id)
);
CREATE INDEX alert_dispatches_due ON public.alert_dispatches USING btree (due_at);

create table alert_lease (
  is_it boolean default true not null,
  holder uuid,
  expires_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  evaluated_at timestamp with time zone,
  constraint alert_lease_pkey PRIMARY KEY (is_it),
  constraint alert_lease_is_it_check CHECK (is_it)
);

create table alert_rules (
  chain_id bigint not null,
  vault_address text not null,
  rules jsonb not null,
  updated_by text not null,
  updated_at timestamp with time zone not null,
  dispatch jsonb,
  dispatch_updated_by text,
  dispatch_updated_at timestamp with time zone,
  constraint alert_rules_pkey PRIMARY KEY (chain_id, vault_address)
);

create table alert_watches (
  category text not null,
  since timestamp with time zone default now() not null,
  constraint alert_watches_pkey PRIMARY KEY (category)
);

create table alerts (
  id uuid not null,
  chain_id bigint not null,
  vault_address text not null,
  category text not null,
  subject text not null,
  area text not null,
  severity text not null,
  status text generated always as (
CASE
    WHEN (resolved_at IS NOT NULL) THEN 'resolved'::text
    WHEN (acknowledged_at IS NOT NULL) THEN 'acknowledged'::text
    ELSE 'firing'::text
END) stored not null,
  vault_name text,
  title text not null,
  message text not null,
  next_step text not null,
  details jsonb not null,
  transaction_url text,
  content_hash text not null,
  conditions text[] not null,
  is_unconfirmed boolean not null,
  block_number bigint,
  block_hash text,
  started_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  is_withdrawn boolean default false not null,
  acknowledged_at timestamp with time zone,
  acknowledged_by text,
  is_flapping boolean default false not null,
  quiet_since timestamp with time zone,
  notified_at timestamp with time zone,
  notified_severity text,
  last_notice text,
  dispatched_at timestamp with time zone,
  constraint alerts_pkey PRIMARY KEY (id),
  constraint alerts_chain_id_check CHECK ((chain_id >= 0)),
  constraint alerts_last_notice_check CHECK ((last_notice = ANY (ARRAY['opened'::text, 'severity_raised'::text, 'reminder'::text]))),
  constraint alerts_severity_check CHECK ((severity = ANY (ARRAY['critical'::text, 'warning'::text, 'info'::text])))
);
CREATE INDEX alerts_closed ON public.alerts USING btree (area, resolved_at) WHERE (resolved_at IS NOT NULL);
CREATE INDEX alerts_open_area ON public.alerts USING btree (area) WHERE (resolved_at IS NULL);
CREATE INDEX alerts_over ON public.alerts USING btree (chain_id, vault_address, category, subject) WHERE (resolved_at IS NOT NULL);
CREATE INDEX alerts_time ON public.alerts USING btree (started_at, id);
CREATE INDEX alerts_undispatched ON public.alerts USING btree (area) WHERE ((resolved_at IS NULL) AND (dispatched_at IS NULL) AND (severity = 'critical'::text));
CREATE INDEX alerts_vault ON public.alerts USING btree (chain_id, vault_address, started_at, id);
CREATE UNIQUE INDEX alerts_open ON public.alerts USING btree (chain_id, vault_address, category, subject) WHERE (resolved_at IS NULL);

create table audit_actors (
  actor_wallet text not null,
  n bigint not null,
  is_counted boolean default false not null,
  constraint audit_actors_pkey PRIMARY KEY (actor_wallet)
);
CREATE TRIGGER audit_actors_keep BEFORE DELETE OR TRUNCATE ON public.audit_actors FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table audit_checkpoints (
  size bigint not null,
  root bytea not null,
  note text not null,
  created_at timestamp with time zone default now() not null,
  constraint audit_checkpoints_pkey PRIMARY KEY (size),
  constraint audit_checkpoints_root_check CHECK ((octet_length(root) = 32)),
  constraint audit_checkpoints_size_check CHECK ((size >= 0))
);
CREATE TRIGGER audit_checkpoints_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table audit_cosignatures (
  size bigint not null,
  vkey text not null,
  line text not null,
  cosigned_at timestamp with time zone not null,
  constraint audit_cosignatures_pkey PRIMARY KEY (size, vkey)
);
CREATE INDEX audit_cosignatures_witness ON public.audit_cosignatures USING btree (vkey, size);
CREATE TRIGGER audit_cosignatures_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_cosignatures FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table audit_counts (
  actor_wallet text not null,
  level smallint not null,
  chain_id bigint not null,
  vault_address text not null,
  axis smallint not null,
  bucket bigint not null,
  action_type text not null,
  n bigint not null,
  constraint audit_counts_pkey PRIMARY KEY (actor_wallet, level, chain_id, vault_address, axis, bucket, action_type)
);
CREATE TRIGGER audit_counts_keep BEFORE DELETE OR TRUNCATE ON public.audit_counts FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table audit_entries (
  seq bigint not null,
  id uuid not null,
  timestamp timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  occurred_at timestamp with time zone not null,
  action_type text not null,
  vault_address text not null,
  chain_id bigint not null,
  actor_wallet text not null,
  body text not null,
  constraint audit_entries_pkey PRIMARY KEY (seq, occurred_at),
  constraint audit_entries_chain_id_check CHECK ((chain_id >= 0)),
  constraint audit_entries_seq_check CHECK ((seq > 0))
) partition by RANGE (seq);
CREATE INDEX audit_entries_action_seq ON ONLY public.audit_entries USING btree (action_type, seq);
CREATE INDEX audit_entries_action_time ON ONLY public.audit_entries USING btree (action_type, "timestamp", seq);
CREATE INDEX audit_entries_actor_seq ON ONLY public.audit_entries USING btree (actor_wallet, seq);
CREATE INDEX audit_entries_actor_time ON ONLY public.audit_entries USING btree (actor_wallet, "timestamp", seq);
CREATE INDEX audit_entries_time ON ONLY public.audit_entries USING btree ("timestamp", seq);
CREATE INDEX audit_entries_vault_action_time ON ONLY public.audit_entries USING btree (vault_address, chain_id, action_type, "timestamp", seq);
CREATE INDEX audit_entries_vault_block_time ON ONLY public.audit_entries USING btree (vault_address, chain_id, occurred_at, seq);
CREATE INDEX audit_entries_vault_seq ON ONLY public.audit_entries USING btree (vault_address, chain_id, seq);
CREATE INDEX audit_entries_vault_time ON ONLY public.audit_entries USING btree (vault_address, chain_id, "timestamp", seq);
CREATE TRIGGER audit_entries_appended AFTER INSERT ON public.audit_entries REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION audit_appended();
CREATE TRIGGER audit_entries_isolated BEFORE INSERT ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_read_committed();
CREATE TRIGGER audit_entries_keep BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_entries_keep_all BEFORE TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table audit_held_notes (
  note text not null,
  held_by text not null,
  found_at timestamp with time zone default now() not null,
  constraint audit_held_notes_pkey PRIMARY KEY (note)
);
CREATE TRIGGER audit_held_notes_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_held_notes FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table audit_key_retirements (
  vkey text not null,
  from_size bigint not null,
  retired_at timestamp with time zone default now() not null,
  constraint audit_key_retirements_pkey PRIMARY KEY (vkey),
  constraint audit_key_retirements_from_size_check CHECK ((from_size >= 0))
);
CREATE TRIGGER audit_key_retirements_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_key_retirements FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table audit_keys (
  vkey text not null,
  from_size bigint not null,
  created_at timestamp with time zone default now() not null,
  constraint audit_keys_pkey PRIMARY KEY (vkey),
  constraint audit_keys_from_size_check CHECK ((from_size >= 0))
);
CREATE TRIGGER audit_keys_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_keys FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table audit_partitions (
  from_seq bigint not null,
  to_seq bigint not null,
  name text not null,
  archived_at timestamp with time zone,
  constraint audit_partitions_pkey PRIMARY KEY (from_seq),
  constraint audit_partitions_name_key UNIQUE (name),
  constraint audit_partitions_to_seq_key UNIQUE (to_seq),
  constraint audit_partitions_check CHECK ((to_seq > from_seq)),
  constraint audit_partitions_from_seq_check CHECK ((from_seq > 0))
);

create table audit_tiles (
  level smallint not null,
  index bigint not null,
  hashes bytea not null,
  root bytea not null,
  constraint audit_tiles_pkey PRIMARY KEY (level, index),
  constraint audit_tiles_hashes_check CHECK ((octet_length(hashes) = 8192)),
  constraint audit_tiles_index_check CHECK ((index >= 0)),
  constraint audit_tiles_level_check CHECK ((level >= 0)),
  constraint audit_tiles_root_check CHECK ((octet_length(root) = 32))
);
CREATE TRIGGER audit_tiles_keep BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_tiles FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse();

create table blocks (
  chain_id bigint not null,
  number bigint not null,
  hash text not null,
  parent_hash text,
  block_timestamp timestamp with time zone not null,
  is_empty boolean default false not null,
  constraint blocks_pkey PRIMARY KEY (chain_id, number),
  constraint blocks_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id),
  constraint blocks_number_check CHECK ((number >= 0))
);
CREATE INDEX blocks_empty ON public.blocks USING btree (chain_id, number) WHERE is_empty;

create table chain_gaps (
  chain_id bigint not null,
  block_number bigint not null,
  subject text not null,
  lacks text not null,
  reason text not null,
  found_at timestamp with time zone default now() not null,
  filled_at timestamp with time zone,
  told_at timestamp with time zone,
  constraint chain_gaps_pkey PRIMARY KEY (chain_id, block_number, subject, lacks),
  constraint chain_gaps_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX chain_gaps_found ON public.chain_gaps USING btree (found_at);

create table chain_leases (
  chain_id bigint not null,
  token bigint default 0 not null,
  holder uuid,
  holder_name text,
  session_pid integer,
  session_start timestamp with time zone,
  acquired_at timestamp with time zone,
  renewed_at timestamp with time zone,
  expires_at timestamp with time zone,
  constraint chain_leases_pkey PRIMARY KEY (chain_id),
  constraint chain_leases_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id),
  constraint chain_leases_check CHECK (((holder IS NULL) = (expires_at IS NULL)))
);

create table chains (
  chain_id bigint not null,
  name text not null,
  explorer_url text,
  configured_at timestamp with time zone default now() not null,
  anchor_number bigint,
  anchor_hash text,
  head_number bigint,
  head_hash text,
  head_timestamp timestamp with time zone,
  head_seen_at timestamp with time zone,
  is_halted boolean default false not null,
  confirmed_number bigint,
  revision bigint default 0 not null,
  constraint chains_pkey PRIMARY KEY (chain_id),
  constraint chains_chain_id_check CHECK ((chain_id > 0))
);

create table challenges (
  id uuid not null,
  wallet text not null,
  chain_id bigint not null,
  nonce text not null,
  issued_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  attempts integer default 0 not null,
  constraint challenges_pkey PRIMARY KEY (id)
);
CREATE INDEX challenges_expires_at ON public.challenges USING btree (expires_at);

create table channel_alerts (
  alert_id uuid not null,
  channel_id uuid not null,
  told_at timestamp with time zone not null,
  accepted_at timestamp with time zone,
  config_id uuid,
  constraint channel_alerts_pkey PRIMARY KEY (alert_id, channel_id),
  constraint channel_alerts_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id) ON DELETE CASCADE,
  constraint channel_alerts_config_id_fkey FOREIGN KEY (config_id) REFERENCES channel_configs(id)
);
CREATE INDEX channel_alerts_channel ON public.channel_alerts USING btree (channel_id);
CREATE INDEX channel_alerts_config ON public.channel_alerts USING btree (config_id) WHERE (config_id IS NOT NULL);

create table channel_bindings (
  channel_id uuid not null,
  chain_id bigint not null,
  vault_address text not null,
  categories text[] not null,
  min_severity text not null,
  bound_by text not null,
  bound_at timestamp with time zone not null,
  is_all_categories boolean default false not null,
  escalate_after_seconds integer,
  constraint channel_bindings_pkey PRIMARY KEY (chain_id, vault_address, channel_id),
  constraint channel_bindings_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id) ON DELETE CASCADE,
  constraint channel_bindings_escalate_after_seconds_check CHECK (((escalate_after_seconds >= 60) AND (escalate_after_seconds <= 604800))),
  constraint channel_bindings_min_severity_check CHECK ((min_severity = ANY (ARRAY['critical'::text, 'warning'::text, 'info'::text])))
);
CREATE INDEX channel_bindings_channel ON public.channel_bindings USING btree (channel_id);

create table channel_configs (
  id uuid not null,
  channel_id uuid not null,
  is_current boolean default true not null,
  config jsonb not null,
  masks jsonb not null,
  sealed_secrets text not null,
  created_at timestamp with time zone not null,
  constraint channel_configs_pkey PRIMARY KEY (id),
  constraint channel_configs_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id) ON DELETE CASCADE
);
CREATE INDEX channel_configs_channel ON public.channel_configs USING btree (channel_id);
CREATE UNIQUE INDEX channel_configs_current ON public.channel_configs USING btree (channel_id) WHERE is_current;

create table channel_escalations (
  alert_id uuid not null,
  channel_id uuid not null,
  since timestamp with time zone not null,
  told_at timestamp with time zone,
  constraint channel_escalations_pkey PRIMARY KEY (alert_id, channel_id),
  constraint channel_escalations_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id) ON DELETE CASCADE
);
CREATE INDEX channel_escalations_channel ON public.channel_escalations USING btree (channel_id);
CREATE INDEX channel_escalations_waiting ON public.channel_escalations USING btree (since) WHERE (told_at IS NULL);

create table channel_sent (
  delivery_id uuid not null,
  constraint channel_sent_pkey PRIMARY KEY (delivery_id),
  constraint channel_sent_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES deliveries(id) ON DELETE CASCADE
);

create table chat_endpoints (
  id uuid not null,
  provider text not null,
  fingerprint text not null,
  sealed_secrets text not null,
  created_at timestamp with time zone not null,
  constraint chat_endpoints_pkey PRIMARY KEY (id),
  constraint chat_endpoints_fingerprint_key UNIQUE (fingerprint)
);

create table chat_handled (
  endpoint_id uuid not null,
  key text not null,
  handled_at timestamp with time zone not null,
  constraint chat_handled_pkey PRIMARY KEY (endpoint_id, key),
  constraint chat_handled_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES chat_endpoints(id) ON DELETE CASCADE
);
CREATE INDEX chat_handled_handled_at ON public.chat_handled USING btree (handled_at);

create table chat_links (
  id uuid not null,
  channel_id uuid not null,
  endpoint_id uuid not null,
  wallet text not null,
  limited_to_chain_id bigint,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  provider_user text,
  provider_user_name text,
  pressed_at timestamp with time zone,
  confirmed_at timestamp with time zone,
  constraint chat_links_pkey PRIMARY KEY (id),
  constraint chat_links_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES notification_channels(id) ON DELETE CASCADE,
  constraint chat_links_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES chat_endpoints(id) ON DELETE CASCADE
);
CREATE INDEX chat_links_endpoint ON public.chat_links USING btree (endpoint_id);
CREATE INDEX chat_links_wallet ON public.chat_links USING btree (wallet);
CREATE UNIQUE INDEX chat_links_user ON public.chat_links USING btree (channel_id, provider_user) WHERE (confirmed_at IS NOT NULL);

create table checkpoint_witnesses (
  vkey text not null,
  claimed_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  trouble text,
  message text,
  told_size bigint,
  since timestamp with time zone,
  constraint checkpoint_witnesses_pkey PRIMARY KEY (vkey)
);

create table controller_states (
  chain_id bigint not null,
  address text not null,
  block_number bigint not null,
  state jsonb not null,
  constraint controller_states_pkey PRIMARY KEY (chain_id, address, block_number),
  constraint controller_states_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE,
  constraint controller_states_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
);
CREATE INDEX controller_states_block ON public.controller_states USING btree (chain_id, block_number);

create table deep_reorganisations (
  id bigint generated always as identity not null,
  chain_id bigint not null,
  ancestor_number bigint not null,
  reverted_count bigint not null,
  happened_at timestamp with time zone default now() not null,
  constraint deep_reorganisations_pkey PRIMARY KEY (id)
);
CREATE INDEX deep_reorganisations_time ON public.deep_reorganisations USING btree (happened_at);

create table deliveries (
  id uuid not null,
  seq bigint generated always as identity not null,
  queue text not null,
  target_id uuid not null,
  key text not null,
  event_id uuid,
  event_type text not null,
  chain_id bigint not null,
  vault_address text not null,
  body text not null,
  status text default 'pending'::text not null,
  attempts_count integer default 0 not null,
  due_at timestamp with time zone not null,
  lease_id uuid,
  leased_until timestamp with time zone,
  replays_left integer default 0 not null,
  status_before text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint deliveries_pkey PRIMARY KEY (id),
  constraint deliveries_target_id_key_key UNIQUE (target_id, key),
  constraint deliveries_queue_check CHECK ((queue = ANY (ARRAY['channel'::text, 'webhook'::text]))),
  constraint deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'dead'::text, 'canceled'::text])))
);
CREATE INDEX deliveries_created_at ON public.deliveries USING brin (created_at);
CREATE INDEX deliveries_dead ON public.deliveries USING btree (target_id, finished_at) WHERE (status = 'dead'::text);
CREATE INDEX deliveries_of_target ON public.deliveries USING btree (target_id, seq);
CREATE INDEX deliveries_open_channel ON public.deliveries USING btree (target_id, seq) WHERE ((queue = 'channel'::text) AND (status = ANY (ARRAY['pending'::text, 'failed'::text])));
CREATE INDEX deliveries_open_webhook ON public.deliveries USING btree (target_id, due_at, seq) WHERE ((queue = 'webhook'::text) AND (status = ANY (ARRAY['pending'::text, 'failed'::text])));

create table delivery_attempts (
  delivery_id uuid not null,
  number integer not null,
  at timestamp with time zone not null,
  status_code integer,
  error text,
  duration_ms integer,
  response_excerpt text,
  constraint delivery_attempts_pkey PRIMARY KEY (delivery_id, number)
);

create table delivery_targets (
  target_id uuid not null,
  not_before timestamp with time zone,
  failing_since timestamp with time zone,
  recovered_at timestamp with time zone,
  max_concurrency integer,
  max_per_second integer,
  constraint delivery_targets_pkey PRIMARY KEY (target_id),
  constraint delivery_targets_max_concurrency_check CHECK ((max_concurrency > 0)),
  constraint delivery_targets_max_per_second_check CHECK ((max_per_second > 0))
);

create table engine_actions (
  source text not null,
  report_id text not null,
  chain_id bigint not null,
  vault_address text not null,
  action_type text not null,
  actor_wallet text not null,
  reported_at timestamp with time zone not null,
  constraint engine_actions_pkey PRIMARY KEY (source, report_id)
);
CREATE INDEX engine_actions_vault ON public.engine_actions USING btree (chain_id, vault_address, action_type, reported_at, report_id);

create table engine_report_ids (
  source text not null,
  id text not null,
  received_at timestamp with time zone default now() not null,
  constraint engine_report_ids_pkey PRIMARY KEY (source, id)
);
CREATE INDEX engine_report_ids_received_at ON public.engine_report_ids USING brin (received_at);

create table events (
  seq bigint generated always as identity not null,
  id uuid not null,
  type text not null,
  chain_id bigint not null,
  vault_address text not null,
  at timestamp with time zone not null,
  data text not null,
  created_at timestamp with time zone default now() not null,
  fanned_out_at timestamp with time zone,
  failures integer default 0 not null,
  constraint events_pkey PRIMARY KEY (seq),
  constraint events_chain_id_check CHECK ((chain_id >= 0))
);
CREATE INDEX events_created_at ON public.events USING brin (created_at);
CREATE INDEX events_waiting ON public.events USING btree (seq) WHERE ((fanned_out_at IS NULL) AND (failures < 10));

create table facts (
  chain_id bigint not null,
  block_number bigint not null,
  log_index integer not null,
  kind text not null,
  vault_address text,
  tx_hash text not null,
  tx_index integer not null,
  actor_wallet text not null,
  data jsonb not null,
  tx_from text,
  constraint facts_pkey PRIMARY KEY (chain_id, block_number, log_index),
  constraint facts_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX facts_flows_time ON public.facts USING btree (chain_id, block_number, tx_index) WHERE (kind = ANY (ARRAY['deposit'::text, 'withdraw'::text, 'shares_minted'::text]));
CREATE INDEX facts_governance_roles ON public.facts USING btree (chain_id, vault_address) WHERE ((kind = 'governance'::text) AND (data @? '$."effects"[*]."role"'::jsonpath));
CREATE INDEX facts_governance_time ON public.facts USING btree (chain_id, block_number, log_index) WHERE (kind = ANY (ARRAY['governance'::text, 'primary_manager_proposed'::text, 'primary_manager_change_cancelled'::text, 'primary_manager_changed'::text, 'secondary_manager_added'::text, 'secondary_manager_removed'::text, 'fee_config_proposed'::text, 'fee_config_updated'::text, 'fee_recipient_changed'::text, 'role_granted'::text, 'role_revoked'::text, 'ownership_transfer_started'::text, 'ownership_transferred'::text, 'pps_expiration_proposed'::text, 'pps_expiration_updated'::text, 'pps_expiration_proposal_cancelled'::text, 'min_update_interval_proposed'::text, 'min_update_interval_changed'::text, 'min_update_interval_cancelled'::text, 'hooks_root_proposed'::text, 'hooks_root_updated'::text]));
CREATE INDEX facts_manager_changes ON public.facts USING btree (chain_id, block_number, log_index) WHERE (kind = ANY (ARRAY['vault_deployed'::text, 'primary_manager_changed'::text, 'old_primary_manager_removed'::text, 'secondary_manager_added'::text, 'secondary_manager_removed'::text, 'ownership_transferred'::text]));
CREATE INDEX facts_oracles ON public.facts USING btree (chain_id, block_number) WHERE ((kind = 'other'::text) AND ((data ->> 'event'::text) = ANY (ARRAY['ActivePPSOracleSet'::text, 'ActivePPSOracleChanged'::text])));
CREATE INDEX facts_tx ON public.facts USING btree (chain_id, tx_hash);
CREATE INDEX facts_vault ON public.facts USING btree (chain_id, vault_address, block_number, log_index);
CREATE INDEX facts_vetoes ON public.facts USING btree (chain_id, vault_address, block_number, log_index) WHERE (kind = 'hooks_root_veto_changed'::text);

create table heartbeats (
  subject text not null,
  last_at timestamp with time zone not null,
  constraint heartbeats_pkey PRIMARY KEY (subject)
);

create table idempotency_keys (
  id uuid not null,
  wallet text not null,
  route text not null,
  key text not null,
  sealed_answer text,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (id),
  constraint idempotency_keys_wallet_route_key_key UNIQUE (wallet, route, key)
);
CREATE INDEX idempotency_keys_created_at ON public.idempotency_keys USING btree (created_at);

create table ingest_tokens (
  id text not null,
  name text not null,
  source text not null,
  token_sha256 bytea not null,
  chains bigint[] default '{}'::bigint[] not null,
  vaults text[] default '{}'::text[] not null,
  created_at timestamp with time zone default now() not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  constraint ingest_tokens_pkey PRIMARY KEY (id),
  constraint ingest_tokens_token_sha256_check CHECK ((octet_length(token_sha256) = 32))
);

create table intent_counts (
  chain_id bigint not null,
  vault_address text not null,
  strategy_id text not null,
  action text not null,
  state text not null,
  n bigint not null,
  constraint intent_counts_pkey PRIMARY KEY (chain_id, vault_address, strategy_id, action, state)
);

create table intent_events (
  intent_id text not null,
  seq bigint not null,
  state text not null,
  event_time timestamp with time zone not null,
  event_id text not null,
  execution_id text,
  correlation_id text,
  strategy_id text,
  action text,
  error_code text,
  error_message text,
  total_amount_in numeric(78,0),
  total_amount_out numeric(78,0),
  gas_used_total numeric(78,0),
  tx_hash text,
  constraint intent_events_pkey PRIMARY KEY (intent_id, seq),
  constraint intent_events_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES intents(intent_id)
);
CREATE INDEX intent_events_tx ON public.intent_events USING btree (tx_hash) WHERE (tx_hash IS NOT NULL);

create table intent_fills (
  vault_chain_id bigint not null,
  vault_address text not null,
  intent_id text not null,
  fill_id text not null,
  chain_id bigint not null,
  tx_hash text not null,
  token_in text not null,
  token_out text not null,
  amount_in numeric(78,0) not null,
  amount_out numeric(78,0) not null,
  gas_used numeric(78,0),
  venue text,
  fill_time timestamp with time zone not null,
  event_time timestamp with time zone not null,
  event_id text not null,
  onchain text default 'pending'::text not null,
  block_number bigint,
  block_hash text,
  is_reverted boolean,
  was_seen boolean default false not null,
  unknown_since timestamp with time zone,
  check_at timestamp with time zone default now(),
  constraint intent_fills_pkey PRIMARY KEY (vault_chain_id, vault_address, intent_id, fill_id),
  constraint intent_fills_onchain_check CHECK ((onchain = ANY (ARRAY['pending'::text, 'confirmed'::text, 'missing'::text, 'reorganised'::text])))
);
CREATE INDEX intent_fills_check ON public.intent_fills USING btree (chain_id, check_at) WHERE (check_at IS NOT NULL);
CREATE INDEX intent_fills_confirmed ON public.intent_fills USING btree (chain_id, block_number) WHERE (onchain = 'confirmed'::text);
CREATE INDEX intent_fills_seen ON public.intent_fills USING btree (chain_id, block_number) WHERE ((onchain = 'pending'::text) AND (block_number IS NOT NULL));
CREATE INDEX intent_fills_tx ON public.intent_fills USING btree (tx_hash);

create table intents (
  intent_id text not null,
  chain_id bigint not null,
  vault_address text not null,
  execution_id text,
  correlation_id text,
  strategy_id text,
  action text,
  state text not null,
  error_code text,
  error_message text,
  total_amount_in numeric(78,0),
  total_amount_out numeric(78,0),
  gas_used_total numeric(78,0),
  fills_count integer default 0 not null,
  last_event_seq bigint not null,
  created_at timestamp with time zone not null,
  acked_at timestamp with time zone,
  executing_at timestamp with time zone,
  completed_at timestamp with time zone,
  terminal_at timestamp with time zone,
  constraint intents_pkey PRIMARY KEY (intent_id),
  constraint intents_state_check CHECK ((state = ANY (ARRAY['RECEIVED'::text, 'ACKED'::text, 'STAGED'::text, 'PLANNED'::text, 'EXECUTING'::text, 'COMPLETED'::text, 'ABORTED'::text, 'EXPIRED'::text, 'FAILED'::text, 'CANCELED'::text])))
);
CREATE INDEX intents_action ON public.intents USING btree (chain_id, vault_address, action, created_at, intent_id);
CREATE INDEX intents_error ON public.intents USING btree (chain_id, vault_address, error_code, created_at, intent_id) WHERE (error_code IS NOT NULL);
CREATE INDEX intents_failed ON public.intents USING btree (terminal_at) INCLUDE (chain_id, vault_address, strategy_id, intent_id, error_code) WHERE (state = ANY (ARRAY['FAILED'::text, 'ABORTED'::text]));
CREATE INDEX intents_state ON public.intents USING btree (chain_id, vault_address, state, created_at, intent_id);
CREATE INDEX intents_strategy ON public.intents USING btree (chain_id, vault_address, strategy_id, created_at, intent_id);
CREATE INDEX intents_time ON public.intents USING btree (created_at, intent_id);
CREATE INDEX intents_vault ON public.intents USING btree (chain_id, vault_address, created_at, intent_id) INCLUDE (state, strategy_id, action);

create table listening_gaps (
  subject text not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  constraint listening_gaps_pkey PRIMARY KEY (subject, from_at)
);

create table log_streams (
  name text not null,
  taken_seq bigint default 0 not null,
  holder uuid,
  claimed_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  failures integer default 0 not null,
  not_before timestamp with time zone default '-infinity'::timestamp with time zone not null,
  trouble text,
  message text,
  since timestamp with time zone,
  omitted_count bigint default 0 not null,
  omitted_seq bigint,
  omitted_at timestamp with time zone,
  constraint log_streams_pkey PRIMARY KEY (name),
  constraint log_streams_taken_seq_check CHECK ((taken_seq >= 0))
);

create table mail_addresses (
  id uuid not null,
  owner text not null,
  address text not null,
  confirmed_at timestamp with time zone,
  token_hash bytea,
  token_expires_at timestamp with time zone,
  constraint mail_addresses_pkey PRIMARY KEY (id),
  constraint mail_addresses_owner_address_key UNIQUE (owner, address),
  constraint mail_addresses_token_hash_key UNIQUE (token_hash)
);

create table manager_readings (
  chain_id bigint not null,
  block_number bigint not null,
  vault_address text not null,
  primary_manager text not null,
  secondary_managers text[] not null,
  further_primary text[] default '{}'::text[] not null,
  constraint manager_readings_pkey PRIMARY KEY (chain_id, block_number, vault_address),
  constraint manager_readings_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);

create table manager_sightings (
  chain_id bigint not null,
  source_address text not null,
  strategy_address text not null,
  manager_address text not null,
  block_number bigint not null,
  is_announcement boolean not null,
  is_listed boolean not null,
  constraint manager_sightings_pkey PRIMARY KEY (chain_id, strategy_address, manager_address, block_number),
  constraint manager_sightings_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX manager_sightings_block ON public.manager_sightings USING btree (chain_id, block_number);
CREATE INDEX manager_sightings_manager ON public.manager_sightings USING btree (chain_id, source_address, manager_address);

create table members (
  chain_id bigint not null,
  vault_address text not null,
  wallet text not null,
  role text default 'view_only'::text not null,
  granted_by text not null,
  granted_at timestamp with time zone default now() not null,
  constraint members_pkey PRIMARY KEY (chain_id, vault_address, wallet),
  constraint members_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id),
  constraint members_role_check CHECK ((role = ANY (ARRAY['view_only'::text, 'operator'::text])))
);
CREATE INDEX members_wallet ON public.members USING btree (wallet);
CREATE TRIGGER tell_of_roles AFTER INSERT OR DELETE OR UPDATE ON public.members FOR EACH ROW EXECUTE FUNCTION tell_of_roles();

create table merkle_jobs (
  chain_id bigint not null,
  vault_address text not null,
  kind text not null,
  job_id text not null,
  status text not null,
  root text,
  error text,
  actor_wallet text,
  started_at timestamp with time zone not null,
  reported_at timestamp with time zone not null,
  report_id text not null,
  is_recorded boolean default false not null,
  constraint merkle_jobs_pkey PRIMARY KEY (chain_id, vault_address, kind, job_id),
  constraint merkle_jobs_kind_check CHECK ((kind = ANY (ARRAY['generate'::text, 'publish'::text]))),
  constraint merkle_jobs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'success'::text, 'failed'::text])))
);
CREATE INDEX merkle_jobs_failed ON public.merkle_jobs USING btree (chain_id, vault_address, kind, reported_at, report_id) WHERE (status = 'failed'::text);
CREATE INDEX merkle_jobs_newest ON public.merkle_jobs USING btree (chain_id, vault_address, reported_at DESC, report_id DESC);

create table notification_channels (
  id uuid not null,
  provider text not null,
  name text not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  is_enabled boolean default true not null,
  disabled_reason text,
  limited_to_chain_id bigint,
  chat_endpoint_id uuid,
  constraint notification_channels_pkey PRIMARY KEY (id)
);
CREATE INDEX notification_channels_chat_endpoint ON public.notification_channels USING btree (chat_endpoint_id) WHERE (chat_endpoint_id IS NOT NULL);
CREATE INDEX notification_channels_created_by ON public.notification_channels USING btree (created_by);

create table open_streams (
  process uuid not null,
  account text not null,
  streams integer not null,
  seen_at timestamp with time zone not null,
  constraint open_streams_pkey PRIMARY KEY (process, account)
);
CREATE INDEX open_streams_account ON public.open_streams USING btree (account);

create table pps_points (
  chain_id bigint not null,
  block_number bigint not null,
  log_index integer not null,
  vault_address text not null,
  block_timestamp timestamp with time zone not null,
  pps numeric(78,0),
  stored_pps numeric(78,0),
  total_assets numeric(78,0),
  total_supply numeric(78,0),
  pps_e18 numeric(78,0),
  constraint pps_points_pkey PRIMARY KEY (chain_id, block_number, log_index, vault_address),
  constraint pps_points_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX pps_points_break ON public.pps_points USING btree (chain_id, vault_address, block_timestamp) WHERE (pps IS NULL);
CREATE INDEX pps_points_vault ON public.pps_points USING btree (chain_id, vault_address, block_timestamp, block_number, log_index);
CREATE INDEX pps_points_window ON public.pps_points USING btree (chain_id, vault_address, block_timestamp) INCLUDE (pps, total_assets, total_supply, block_number, log_index);

create table prepared_action_calls (
  action_id uuid not null,
  position integer not null,
  target text not null,
  value numeric(78,0) not null,
  data text not null,
  function text not null,
  arguments jsonb not null,
  constraint prepared_action_calls_pkey PRIMARY KEY (action_id, "position"),
  constraint prepared_action_calls_action_id_fkey FOREIGN KEY (action_id) REFERENCES prepared_actions(id) ON DELETE CASCADE
);
CREATE INDEX prepared_action_calls_target ON public.prepared_action_calls USING btree (target);

create table prepared_action_candidates (
  chain_id bigint not null,
  block_number bigint not null,
  transaction_hash text not null,
  look_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint prepared_action_candidates_pkey PRIMARY KEY (chain_id, block_number, transaction_hash),
  constraint prepared_action_candidates_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);

create table prepared_action_events (
  action_id uuid not null,
  position integer not null,
  emitter text not null,
  topics text[] not null,
  data text not null,
  moving_topics integer[] default '{}'::integer[] not null,
  moving_words integer[] default '{}'::integer[] not null,
  is_data_moving boolean default false not null,
  constraint prepared_action_events_pkey PRIMARY KEY (action_id, "position"),
  constraint prepared_action_events_action_id_fkey FOREIGN KEY (action_id) REFERENCES prepared_actions(id) ON DELETE CASCADE
);
CREATE INDEX prepared_action_events_topic ON public.prepared_action_events USING btree (emitter, (topics[1]));

create table prepared_action_executions (
  action_id uuid not null,
  chain_id bigint not null,
  block_number bigint not null,
  transaction_hash text not null,
  log_indexes integer[] not null,
  executed_at timestamp with time zone not null,
  constraint prepared_action_executions_pkey PRIMARY KEY (action_id),
  constraint prepared_action_executions_action_id_fkey FOREIGN KEY (action_id) REFERENCES prepared_actions(id) ON DELETE CASCADE,
  constraint prepared_action_executions_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX prepared_action_executions_block ON public.prepared_action_executions USING btree (chain_id, block_number);
CREATE INDEX prepared_action_executions_transaction ON public.prepared_action_executions USING btree (transaction_hash);

create table prepared_action_follows (
  action_id uuid not null,
  enrolled_at timestamp with time zone not null,
  replaced_at timestamp with time zone,
  constraint prepared_action_follows_pkey PRIMARY KEY (action_id),
  constraint prepared_action_follows_action_id_fkey FOREIGN KEY (action_id) REFERENCES prepared_actions(id) ON DELETE CASCADE
);

create table prepared_action_submissions (
  action_id uuid not null,
  position integer not null,
  transaction_hash text,
  safe_tx_hash text,
  submitted_at timestamp with time zone not null,
  failed_at timestamp with time zone,
  replaced_at timestamp with time zone,
  unrelated_at timestamp with time zone,
  block_number bigint,
  block_hash text,
  sender text,
  nonce numeric(78,0),
  look_at timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint prepared_action_submissions_pkey PRIMARY KEY (action_id, "position"),
  constraint prepared_action_submissions_action_id_safe_tx_hash_key UNIQUE (action_id, safe_tx_hash),
  constraint prepared_action_submissions_action_id_transaction_hash_key UNIQUE (action_id, transaction_hash),
  constraint prepared_action_submissions_action_id_fkey FOREIGN KEY (action_id) REFERENCES prepared_actions(id) ON DELETE CASCADE,
  constraint prepared_action_submissions_check CHECK ((num_nonnulls(transaction_hash, safe_tx_hash) = 1))
);
CREATE INDEX prepared_action_submissions_due ON public.prepared_action_submissions USING btree (look_at) WHERE ((transaction_hash IS NOT NULL) AND (num_nonnulls(failed_at, replaced_at, unrelated_at) = 0));
CREATE INDEX prepared_action_submissions_failed ON public.prepared_action_submissions USING btree (block_number) WHERE (failed_at IS NOT NULL);
CREATE INDEX prepared_action_submissions_transaction ON public.prepared_action_submissions USING btree (transaction_hash);

create table prepared_actions (
  id uuid not null,
  chain_id bigint not null,
  vault_address text not null,
  family text not null,
  action text not null,
  parameters jsonb not null,
  wallet text not null,
  account text not null,
  from_address text not null,
  from_kind text not null,
  from_version text,
  safe_nonce numeric(78,0),
  preconditions jsonb not null,
  simulation jsonb,
  simulation_unavailable_reason text,
  block_number bigint not null,
  block_hash text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint prepared_actions_pkey PRIMARY KEY (id),
  constraint prepared_actions_chain_id_vault_address_fkey FOREIGN KEY (chain_id, vault_address) REFERENCES vaults(chain_id, address) ON DELETE CASCADE,
  constraint prepared_actions_from_kind_check CHECK ((from_kind = ANY (ARRAY['eoa'::text, 'safe'::text, 'contract'::text])))
);
CREATE INDEX prepared_actions_of_account ON public.prepared_actions USING btree (chain_id, vault_address, account, created_at DESC, id);
CREATE INDEX prepared_actions_open ON public.prepared_actions USING btree (chain_id, expires_at);
CREATE INDEX prepared_actions_waiting ON public.prepared_actions USING btree (account, expires_at);

create table price_points (
  chain_id bigint not null,
  address text not null,
  priced_at timestamp with time zone not null,
  stands_until timestamp with time zone not null,
  price_usd_e18 numeric not null,
  source text not null,
  constraint price_points_pkey PRIMARY KEY (chain_id, address, priced_at),
  constraint price_points_chain_id_address_fkey FOREIGN KEY (chain_id, address) REFERENCES tokens(chain_id, address) ON DELETE CASCADE,
  constraint price_points_price_usd_e18_check CHECK ((price_usd_e18 >= (0)::numeric))
);

create table processes (
  id uuid not null,
  roles text[] not null,
  release text not null,
  host text not null,
  listens text[] not null,
  checkpoints text not null,
  seen_at timestamp with time zone not null,
  constraint processes_pkey PRIMARY KEY (id)
);

create table quota_windows (
  name text not null,
  key text not null,
  used integer not null,
  ends_at timestamp with time zone not null,
  constraint quota_windows_pkey PRIMARY KEY (name, key)
);
CREATE INDEX quota_windows_ends_at ON public.quota_windows USING btree (ends_at);

create table redeem_claimables (
  chain_id bigint not null,
  block_number bigint not null,
  log_index integer not null,
  vault_address text not null,
  controller text not null,
  claimable_shares numeric not null,
  claimable_assets numeric not null,
  constraint redeem_claimables_pkey PRIMARY KEY (chain_id, block_number, log_index),
  constraint redeem_claimables_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX redeem_claimables_controller ON public.redeem_claimables USING btree (chain_id, vault_address, controller, block_number, log_index);

create table redeem_flows (
  chain_id bigint not null,
  block_number bigint not null,
  log_index integer not null,
  vault_address text not null,
  controller text not null,
  kind text not null,
  shares numeric(78,0) not null,
  block_timestamp timestamp with time zone not null,
  requested_shares numeric not null,
  claimable_shares numeric not null,
  claimed_shares numeric not null,
  cancelled_shares numeric not null,
  cancel_claimed_shares numeric not null,
  pending_shares numeric not null,
  pending_since timestamp with time zone,
  vault_pending_shares numeric not null,
  vault_pending_count integer not null,
  request_id numeric(78,0),
  constraint redeem_flows_pkey PRIMARY KEY (chain_id, block_number, log_index),
  constraint redeem_flows_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE,
  constraint redeem_flows_kind_check CHECK ((kind = ANY (ARRAY['request'::text, 'claimable'::text, 'claim'::text, 'cancel'::text, 'cancel_claim'::text, 'reading'::text]))) NOT VALID
);
CREATE INDEX redeem_flows_controller ON public.redeem_flows USING btree (chain_id, vault_address, controller, block_number, log_index);
CREATE INDEX redeem_flows_vault ON public.redeem_flows USING btree (chain_id, vault_address, block_number, log_index);

create table redemption_executions (
  id uuid default gen_random_uuid() not null,
  chain_id bigint not null,
  vault_address text not null,
  execution_id text,
  tx_hash text,
  status text,
  controllers_count bigint,
  total_shares_fulfilled numeric(78,0),
  total_assets_out numeric(78,0),
  pps_at_fulfillment numeric(78,0),
  event_time timestamp with time zone,
  event_id text,
  tx_event_time timestamp with time zone,
  tx_event_id text,
  created_at timestamp with time zone not null,
  first_seen_at timestamp with time zone default clock_timestamp() not null,
  constraint redemption_executions_pkey PRIMARY KEY (id),
  constraint redemption_executions_chain_id_vault_address_execution_id_key UNIQUE (chain_id, vault_address, execution_id),
  constraint redemption_executions_chain_id_vault_address_tx_hash_key UNIQUE (chain_id, vault_address, tx_hash),
  constraint redemption_executions_check CHECK (((execution_id IS NOT NULL) OR (tx_hash IS NOT NULL))),
  constraint redemption_executions_check1 CHECK (((execution_id IS NULL) = (status IS NULL))),
  constraint redemption_executions_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'success'::text, 'failed'::text, 'skipped'::text])))
);
CREATE INDEX redemption_executions_time ON public.redemption_executions USING btree (created_at, id);
CREATE INDEX redemption_executions_vault ON public.redemption_executions USING btree (chain_id, vault_address, created_at, id);

create table redemption_fulfilments (
  chain_id bigint not null,
  block_number bigint not null,
  vault_address text not null,
  tx_hash text not null,
  controllers_count integer not null,
  total_shares_fulfilled numeric not null,
  total_assets_out numeric,
  pps_at_fulfillment numeric(78,0) not null,
  constraint redemption_fulfilments_pkey PRIMARY KEY (chain_id, block_number, vault_address, tx_hash),
  constraint redemption_fulfilments_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX redemption_fulfilments_tx ON public.redemption_fulfilments USING btree (chain_id, vault_address, tx_hash);

create table role_settings (
  is_only boolean default true not null,
  signers_role text not null,
  constraint role_settings_pkey PRIMARY KEY (is_only),
  constraint role_settings_is_only_check CHECK (is_only)
);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  compatible_from text,
  constraint schema_migrations_pkey PRIMARY KEY (version)
);

create table service_runs (
  service_id bigint not null,
  run_id text not null,
  status text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone not null,
  error text,
  constraint service_runs_pkey PRIMARY KEY (service_id, run_id),
  constraint service_runs_service_id_fkey FOREIGN KEY (service_id) REFERENCES services(id),
  constraint service_runs_status_check CHECK ((status = ANY (ARRAY['success'::text, 'failed'::text, 'skipped'::text])))
);
CREATE INDEX service_runs_failed ON public.service_runs USING btree (service_id, finished_at, run_id) WHERE (status = 'failed'::text);
CREATE INDEX service_runs_judged ON public.service_runs USING btree (service_id, finished_at, run_id) INCLUDE (status, started_at) WHERE (status <> 'skipped'::text);
CREATE INDEX service_runs_skipped ON public.service_runs USING btree (service_id, finished_at) WHERE (status = 'skipped'::text);

create table service_states (
  service_id bigint not null,
  reported_at timestamp with time zone not null,
  report_id text not null,
  source text not null,
  is_paused boolean not null,
  paused_by text,
  reason text,
  next_run timestamp with time zone,
  is_recorded boolean default false not null,
  constraint service_states_pkey PRIMARY KEY (service_id, reported_at, report_id, source),
  constraint service_states_service_id_fkey FOREIGN KEY (service_id) REFERENCES services(id)
);
CREATE INDEX service_states_paused ON public.service_states USING btree (service_id, is_paused, reported_at, report_id, source);
CREATE INDEX service_states_recorded ON public.service_states USING btree (service_id, reported_at, report_id, source) WHERE is_recorded;

create table services (
  id bigint generated always as identity not null,
  chain_id bigint not null,
  vault_address text not null,
  name text not null,
  settings jsonb default '{}'::jsonb not null,
  first_state_at timestamp with time zone,
  is_paused boolean default false not null,
  next_run timestamp with time zone,
  paused_at timestamp with time zone,
  paused_by text,
  paused_reason text,
  resumed_at timestamp with time zone,
  total_executions bigint default 0 not null,
  last_run timestamp with time zone,
  last_error text,
  recent_success integer default 0 not null,
  recent_failed integer default 0 not null,
  recent_seconds double precision default 0 not null,
  runs_from timestamp with time zone,
  states_from timestamp with time zone,
  constraint services_pkey PRIMARY KEY (id),
  constraint services_chain_id_vault_address_name_key UNIQUE (chain_id, vault_address, name),
  constraint services_chain_id_check CHECK ((chain_id >= 0))
);

create table session_keys (
  chain_id bigint not null,
  vault_address text not null,
  is_ready boolean not null,
  key_address text not null,
  expires_at timestamp with time zone not null,
  pending_rotation boolean not null,
  reason text,
  reported_at timestamp with time zone not null,
  report_id text not null,
  constraint session_keys_pkey PRIMARY KEY (chain_id, vault_address)
);

create table shard_states (
  chain_id bigint not null,
  vault_address text not null,
  body text not null,
  tick_interval double precision not null,
  reported_at timestamp with time zone not null,
  report_id text not null,
  constraint shard_states_pkey PRIMARY KEY (chain_id, vault_address)
);

create table share_supplies (
  chain_id bigint not null,
  block_number bigint not null,
  vault_address text not null,
  total_supply numeric not null,
  constraint share_supplies_pkey PRIMARY KEY (chain_id, block_number, vault_address),
  constraint share_supplies_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX share_supplies_vault ON public.share_supplies USING btree (chain_id, vault_address, block_number);

create table silences (
  id uuid not null,
  chain_id bigint not null,
  vault_address text not null,
  category text,
  reason text not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  ended_by text,
  constraint silences_pkey PRIMARY KEY (id)
);
CREATE INDEX silences_end ON public.silences USING btree (ends_at);
CREATE INDEX silences_vault ON public.silences USING btree (chain_id, vault_address, created_at, id);

create table sources (
  chain_id bigint not null,
  family text not null,
  address text not null,
  start_block bigint not null,
  next_block bigint,
  configured_at timestamp with time zone default now() not null,
  filling_from bigint,
  filling_since timestamp with time zone,
  constraint sources_pkey PRIMARY KEY (chain_id, family, address),
  constraint sources_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
);

create table stored_quotas (
  name text not null,
  key text not null,
  times timestamp with time zone[] not null,
  expires_at timestamp with time zone not null,
  constraint stored_quotas_pkey PRIMARY KEY (name, key)
);
CREATE INDEX stored_quotas_expires_at ON public.stored_quotas USING btree (expires_at);

create table system_findings (
  subject text not null,
  message text not null,
  details jsonb not null,
  found_at timestamp with time zone not null,
  constraint system_findings_pkey PRIMARY KEY (subject)
);

create table token_prices (
  chain_id bigint not null,
  address text not null,
  price_usd_e18 numeric,
  source text,
  priced_at timestamp with time zone,
  unavailable_reason text,
  checked_at timestamp with time zone not null,
  valid_until timestamp with time zone,
  constraint token_prices_pkey PRIMARY KEY (chain_id, address),
  constraint token_prices_chain_id_address_fkey FOREIGN KEY (chain_id, address) REFERENCES tokens(chain_id, address) ON DELETE CASCADE,
  constraint token_prices_check CHECK (((price_usd_e18 IS NULL) = (unavailable_reason IS NOT NULL)))
);

create table tokens (
  chain_id bigint not null,
  address text not null,
  symbol text,
  name text,
  decimals smallint,
  logo_uri text,
  updated_at timestamp with time zone default now() not null,
  priced_from_block bigint,
  constraint tokens_pkey PRIMARY KEY (chain_id, address),
  constraint tokens_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
);

create table tracked_changes (
  chain_id bigint not null,
  block_number bigint not null,
  log_index integer not null,
  nth smallint not null,
  vault_address text not null,
  list text not null,
  key text not null,
  value jsonb,
  constraint tracked_changes_pkey PRIMARY KEY (chain_id, block_number, log_index, nth),
  constraint tracked_changes_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX tracked_changes_vault ON public.tracked_changes USING btree (chain_id, vault_address);

create table vault_acceptances (
  wallet text not null,
  chain_id bigint not null,
  vault_address text not null,
  is_accepted boolean not null,
  changed_at timestamp with time zone default now() not null,
  constraint vault_acceptances_pkey PRIMARY KEY (wallet, chain_id, vault_address),
  constraint vault_acceptances_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
);
CREATE TRIGGER tell_of_roles AFTER INSERT OR DELETE OR UPDATE ON public.vault_acceptances FOR EACH ROW EXECUTE FUNCTION tell_of_roles();

create table vault_controllers (
  chain_id bigint not null,
  vault_address text not null,
  block_number bigint not null,
  roles jsonb not null,
  links jsonb not null,
  constraint vault_controllers_pkey PRIMARY KEY (chain_id, vault_address, block_number),
  constraint vault_controllers_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE,
  constraint vault_controllers_chain_id_vault_address_fkey FOREIGN KEY (chain_id, vault_address) REFERENCES vaults(chain_id, address) ON DELETE CASCADE
);
CREATE INDEX vault_controllers_block ON public.vault_controllers USING btree (chain_id, block_number);
CREATE TRIGGER tell_of_roles AFTER INSERT OR DELETE OR UPDATE ON public.vault_controllers FOR EACH ROW EXECUTE FUNCTION tell_of_roles();

create table vault_intervals (
  chain_id bigint not null,
  from_block bigint not null,
  from_log_index integer not null,
  vault_address text not null,
  kind text not null,
  subject text not null,
  data jsonb not null,
  since timestamp with time zone,
  to_block bigint,
  constraint vault_intervals_pkey PRIMARY KEY (chain_id, from_block, from_log_index),
  constraint vault_intervals_chain_id_from_block_fkey FOREIGN KEY (chain_id, from_block) REFERENCES blocks(chain_id, number) ON DELETE CASCADE,
  constraint vault_intervals_chain_id_to_block_fkey FOREIGN KEY (chain_id, to_block) REFERENCES blocks(chain_id, number) ON DELETE SET NULL (to_block),
  constraint vault_intervals_kind_check CHECK ((kind = ANY (ARRAY['pause'::text, 'yield_source'::text, 'pending_change'::text])))
);
CREATE INDEX vault_intervals_end ON public.vault_intervals USING btree (chain_id, to_block);
CREATE INDEX vault_intervals_vault ON public.vault_intervals USING btree (chain_id, vault_address, kind, subject, from_block);

create table vault_reports (
  chain_id bigint not null,
  vault_address text not null,
  kind text not null,
  data jsonb not null,
  reported_at timestamp with time zone not null,
  report_id text default ''::text not null,
  constraint vault_reports_pkey PRIMARY KEY (chain_id, vault_address, kind),
  constraint vault_reports_kind_check CHECK ((kind = ANY (ARRAY['pps'::text, 'emergency_exit'::text])))
);

create table vault_roles (
  id bigint generated always as identity not null,
  chain_id bigint not null,
  vault_address text not null,
  wallet text not null,
  role text not null,
  from_block bigint,
  from_log_index integer,
  to_block bigint,
  constraint vault_roles_pkey PRIMARY KEY (id),
  constraint vault_roles_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id),
  constraint vault_roles_chain_id_from_block_fkey FOREIGN KEY (chain_id, from_block) REFERENCES blocks(chain_id, number) ON DELETE CASCADE,
  constraint vault_roles_chain_id_to_block_fkey FOREIGN KEY (chain_id, to_block) REFERENCES blocks(chain_id, number) ON DELETE SET NULL (to_block),
  constraint vault_roles_check CHECK ((to_block >= from_block)),
  constraint vault_roles_role_check CHECK ((role = ANY (ARRAY['primary_manager'::text, 'secondary_manager'::text])))
);
CREATE INDEX vault_roles_from_block ON public.vault_roles USING btree (chain_id, from_block);
CREATE INDEX vault_roles_to_block ON public.vault_roles USING btree (chain_id, to_block) WHERE (to_block IS NOT NULL);
CREATE INDEX vault_roles_vault ON public.vault_roles USING btree (chain_id, vault_address, wallet);
CREATE INDEX vault_roles_wallet ON public.vault_roles USING btree (wallet) INCLUDE (chain_id, vault_address, role, from_block) WHERE (to_block IS NULL);
CREATE TRIGGER tell_of_roles AFTER INSERT OR DELETE OR UPDATE ON public.vault_roles FOR EACH ROW EXECUTE FUNCTION tell_of_roles();

create table vault_signers (
  id bigint generated always as identity not null,
  chain_id bigint not null,
  vault_address text not null,
  wallet text not null,
  via text not null,
  from_block bigint not null,
  to_block bigint,
  constraint vault_signers_pkey PRIMARY KEY (id),
  constraint vault_signers_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id),
  constraint vault_signers_chain_id_from_block_fkey FOREIGN KEY (chain_id, from_block) REFERENCES blocks(chain_id, number) ON DELETE CASCADE,
  constraint vault_signers_chain_id_to_block_fkey FOREIGN KEY (chain_id, to_block) REFERENCES blocks(chain_id, number) ON DELETE SET NULL (to_block),
  constraint vault_signers_check CHECK ((to_block >= from_block))
);
CREATE INDEX vault_signers_from_block ON public.vault_signers USING btree (chain_id, from_block);
CREATE INDEX vault_signers_to_block ON public.vault_signers USING btree (chain_id, to_block) WHERE (to_block IS NOT NULL);
CREATE INDEX vault_signers_vault ON public.vault_signers USING btree (chain_id, vault_address);
CREATE INDEX vault_signers_wallet ON public.vault_signers USING btree (wallet) WHERE (to_block IS NULL);
CREATE TRIGGER tell_of_roles AFTER INSERT OR DELETE OR UPDATE ON public.vault_signers FOR EACH ROW EXECUTE FUNCTION tell_of_roles();

create table vault_states (
  chain_id bigint not null,
  block_number bigint not null,
  vault_address text not null,
  pps numeric(78,0),
  pps_decimals smallint not null,
  total_assets numeric(78,0),
  total_supply numeric(78,0),
  escrowed_assets numeric(78,0),
  free_assets numeric(78,0),
  is_paused boolean,
  last_pps_update timestamp with time zone,
  pps_expiration_seconds bigint,
  max_staleness_seconds bigint,
  min_update_interval_seconds bigint,
  is_pps_stale_flag boolean,
  hwm_pps numeric(78,0),
  performance_fee_bps numeric(78,0),
  management_fee_bps numeric(78,0),
  fee_recipient text,
  primary_manager text,
  secondary_managers text[] default '{}'::text[] not null,
  has_upkeep boolean default false not null,
  upkeep_balance numeric(78,0),
  upkeep_required numeric(78,0),
  upkeep_token text,
  merkle jsonb,
  yield_sources jsonb default '[]'::jsonb not null,
  pending_changes jsonb default '[]'::jsonb not null,
  unread jsonb default '{}'::jsonb not null,
  as_of_block bigint,
  contract_roles jsonb default '[]'::jsonb not null,
  implementation text,
  allocations jsonb default '[]'::jsonb not null,
  liquidity jsonb,
  lost_assets numeric,
  fee_rates jsonb,
  nav jsonb,
  constraint vault_states_pkey PRIMARY KEY (chain_id, block_number, vault_address),
  constraint vault_states_chain_id_block_number_fkey FOREIGN KEY (chain_id, block_number) REFERENCES blocks(chain_id, number) ON DELETE CASCADE
);
CREATE INDEX vault_states_vault ON public.vault_states USING btree (chain_id, vault_address, block_number);

create table vaults (
  chain_id bigint not null,
  address text not null,
  family text not null,
  source_address text not null,
  strategy_address text,
  escrow_address text,
  asset_address text not null,
  name text,
  symbol text,
  share_decimals smallint not null,
  asset_decimals smallint not null,
  capabilities jsonb default '{}'::jsonb not null,
  created_block bigint,
  created_at timestamp with time zone,
  configured_at timestamp with time zone default now() not null,
  is_incomplete boolean default false not null,
  asset_symbol text,
  share_address text,
  described_managers text[],
  constraint vaults_pkey PRIMARY KEY (chain_id, address),
  constraint vaults_chain_id_created_block_fkey FOREIGN KEY (chain_id, created_block) REFERENCES blocks(chain_id, number) ON DELETE CASCADE,
  constraint vaults_chain_id_fkey FOREIGN KEY (chain_id) REFERENCES chains(chain_id)
);
CREATE INDEX vaults_created_block ON public.vaults USING btree (chain_id, created_block);
CREATE INDEX vaults_strategy ON public.vaults USING btree (chain_id, strategy_address);
CREATE TRIGGER tell_of_roles AFTER INSERT OR DELETE ON public.vaults FOR EACH ROW EXECUTE FUNCTION tell_of_roles();

create table webhooks (
  id uuid not null,
  url text not null,
  event_types text[],
  vaults text[],
  is_enabled boolean not null,
  disabled_reason text,
  disabled_at timestamp with time zone,
  description text not null,
  retry_schedule text not null,
  rate_limit integer,
  sealed_secret text not null,
  sealed_old_secrets text,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  limited_to_chain_id bigint,
  alert_categories text[],
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_disabled_reason_check CHECK ((disabled_reason = ANY (ARRAY['gone'::text, 'failing'::text]))),
  constraint webhooks_rate_limit_check CHECK ((rate_limit > 0)),
  constraint webhooks_retry_schedule_check CHECK ((retry_schedule = ANY (ARRAY['standard'::text, 'extended'::text])))
);
CREATE INDEX webhooks_created_by ON public.webhooks USING btree (created_by, created_at);

create view vault_operators as
 SELECT vault_roles.chain_id,
    vault_roles.vault_address,
    vault_roles.wallet,
    vault_roles.from_block
   FROM vault_roles
  WHERE (vault_roles.to_block IS NULL)
UNION ALL
 SELECT members.chain_id,
    members.vault_address,
    members.wallet,
    0 AS from_block
   FROM members
  WHERE (members.role = 'operator'::text)
UNION ALL
 SELECT vault_signers.chain_id,
    vault_signers.vault_address,
    vault_signers.wallet,
    vault_signers.from_block
   FROM vault_signers
  WHERE ((vault_signers.to_block IS NULL) AND (EXISTS ( SELECT
           FROM role_settings
          WHERE (role_settings.signers_role = 'operator'::text))));

CREATE OR REPLACE FUNCTION public.audit_appended()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  first_seq bigint;
  final_seq bigint;
  fresh_rows bigint;
  times timestamptz[];
  ids uuid[];
  seqs bigint[];
  newest record;
  tile bigint;
begin
  perform pg_advisory_xact_lock(8247604153321402);
  select min(seq), max(seq), count(*), array_agg(occurred_at), array_agg(id), array_agg(seq) into first_seq, final_seq, fresh_rows, times, ids, seqs from fresh;
  if fresh_rows = 0 then
    return null;
  end if;
  -- Each of the newest is one step after the next, so none is there twice: when as many of them as were inserted begin and end where
  -- what was inserted does, they are all that was, and nothing else stands there.
  newest := audit_newest(fresh_rows);
  if not newest.is_contiguous or newest.first_seq <> first_seq or newest.final_seq <> final_seq
    or first_seq <> newest.previous_seq + 1 or final_seq - first_seq + 1 <> fresh_rows
  then
    raise exception 'entries % to % do not continue the audit log', first_seq, final_seq
      using errcode = 'integrity_constraint_violation';
  end if;
  if not newest.is_later then
    raise exception 'recorded_at does not increase from entry % on', first_seq using errcode = 'integrity_constraint_violation';
  end if;
  if audit_is_recorded(times, ids, seqs) then
    raise exception 'one of the entries % to % was recorded before', first_seq, final_seq using errcode = 'unique_violation';
  end if;

  -- The tree so far: the last full tile of every level must be there.
  for depth in 0 .. 6 loop
    tile := (first_seq - 1 >> 8 * (depth + 1)) - 1;
    exit when tile < 0;
    if not exists (select from audit_tiles where level = depth and index = tile) then
      raise exception 'the audit tree cannot be read: tile % of level % is missing', tile, depth using errcode = 'data_corrupted';
    end if;
  end loop;

  if final_seq / 256 > (first_seq - 1) / 256 then
    for complete in (first_seq - 1) / 256 .. final_seq / 256 - 1 loop
      perform audit_store_tile(0::smallint, complete);
    end loop;
    perform audit_count((first_seq - 1) / 256 * 256, final_seq / 256 * 256);
  end if;
  perform pg_notify('vaultops_audit', final_seq::text);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_attach(part text, first_seq bigint, end_seq bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  leaf regclass;
begin
  execute format('alter table audit_entries attach partition %I for values from (%s) to (%s)', part, first_seq, end_seq);
  -- TRUNCATE needs a guard on each: only triggers for each row are passed on. What is passed on is not passed on as "always".
  for leaf in select relid from pg_partition_tree(part::regclass) loop
    if not exists (select from pg_trigger where tgrelid = leaf and tgname = 'audit_entries_keep_all') then
      execute format('create trigger audit_entries_keep_all before truncate on %s for each statement execute function audit_refuse()', leaf);
    end if;
    execute format('alter table %s enable always trigger audit_entries_keep_all', leaf);
    if exists (select from pg_trigger where tgrelid = leaf and tgname = 'audit_entries_keep') then
      execute format('alter table %s enable always trigger audit_entries_keep', leaf);
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_begin(OUT last_seq bigint, OUT last_recorded bigint, OUT now_us bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the audit log is written under read committed, so that the end of the log is seen after its lock is taken';
  end if;
  perform pg_advisory_xact_lock(8247604153321402);
  select seq, (extract(epoch from recorded_at) * 1000000)::bigint into last_seq, last_recorded
    from audit_entries order by seq desc limit 1;
  last_seq := coalesce(last_seq, 0);
  last_recorded := coalesce(last_recorded, 0);
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_count(after_seq bigint, to_seq bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  counted text[];
  promoted text[];
begin
  with touched as (
    insert into audit_actors as a (actor_wallet, n)
    select actor_wallet, count(*) from audit_entries where seq > after_seq and seq <= to_seq group by 1 order by 1
    on conflict (actor_wallet) do update set n = a.n + excluded.n
    returning actor_wallet, n, is_counted
  )
  select array_agg(actor_wallet) filter (where is_counted), array_agg(actor_wallet) filter (where not is_counted and n > 1024)
    into counted, promoted from touched;
  if promoted is not null then
    update audit_actors set is_counted = true where actor_wallet = any(promoted);
  end if;

  insert into audit_counts as c (actor_wallet, level, chain_id, vault_address, axis, bucket, action_type, n)
  select actor, depth, place.chain, place.vault, axis, bucket >> (depth - 13), action, sum(n)
  from (
    select actor, chain_id, vault_address, action, moved.axis, moved.bucket, sum(moved.n)::bigint as n
    from (
      select actor, chain_id, vault_address, action,
             floor(date_part('epoch', t))::bigint >> 13 as served, floor(date_part('epoch', o))::bigint >> 13 as happened, count(*) as n
      from (
        select e.chain_id, e.vault_address, e.action_type as action, e."timestamp" as t, e.occurred_at as o, who.actor
          from audit_entries e
          cross join lateral (select '' as actor union all select e.actor_wallet where e.actor_wallet = any(counted)) who
          where seq > after_seq and seq <= to_seq
        union all
        select chain_id, vault_address, action_type, "timestamp", occurred_at, actor_wallet
          from audit_entries where actor_wallet = any(promoted) and seq <= to_seq
      ) sources
      group by 1, 2, 3, 4, 5, 6
    ) buckets
    cross join lateral (values (0, served, n), (1, happened, n), (1, served, -n)) moved (axis, bucket, n)
    where moved.axis = 0 or served <> happened
    group by 1, 2, 3, 4, 5, 6
  ) finest
  cross join lateral (values (vault_address, chain_id, 16), ('*', chain_id, 13), ('*', -1::bigint, 13)) place (vault, chain, fine)
  cross join lateral (values (place.fine), (20), (63)) depths (depth)
  where actor = '' or place.vault <> '*'
  group by 1, 2, 3, 4, 5, 6, 7
  having sum(n) <> 0
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (actor_wallet, level, chain_id, vault_address, axis, bucket, action_type) do update set n = c.n + excluded.n;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_ensure_partitions()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
begin
  if (select max(to_seq) from audit_partitions) <= coalesce((select seq from audit_entries order by seq desc limit 1), 0) + 2000000 then
    perform audit_ensure_partitions(1000000);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_ensure_partitions(entries bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '300ms'
AS $function$
declare
  end_of_log bigint;
  part record;
  top bigint;
begin
  lock table audit_partitions in share row exclusive mode;
  select coalesce((select seq from audit_entries order by seq desc limit 1), 0) into end_of_log;
  if exists (select from audit_partitions where from_seq > end_of_log and to_seq - from_seq <> entries) then
    begin
      -- Nothing is appended meanwhile.
      lock table audit_entries in access exclusive mode;
      select coalesce((select seq from audit_entries order by seq desc limit 1), 0) into end_of_log;
      for part in select name from audit_partitions where from_seq > end_of_log order by from_seq desc loop
        execute format('alter table audit_entries detach partition %I', part.name);
        execute format('drop table %I', part.name);
        delete from audit_partitions where name = part.name;
      end loop;
    exception when lock_not_available then null;
    end;
  end if;
  select coalesce(max(to_seq), 1) into top from audit_partitions;
  while top <= end_of_log + 2 * entries loop
    perform audit_make_partition(top, top + entries);
    top := top + entries;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_is_recorded(times timestamp with time zone[], ids uuid[], seqs bigint[])
 RETURNS boolean
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
begin
  return exists (
    select from unnest(times, ids, seqs) fresh (time, id, seq)
      join audit_entries e on e.occurred_at = fresh.time and e.id = fresh.id and e.seq <> fresh.seq);
end $function$;

CREATE OR REPLACE FUNCTION public.audit_make_partition(first_seq bigint, end_seq bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  part constant text := 'audit_entries_from_' || first_seq;
begin
  execute format('create table %I (like audit_entries including constraints including indexes)', part);
  -- The guard against a second recording, within a partition; across them it is audit_appended().
  execute format('alter table %I add unique (occurred_at, id)', part);
  execute format('alter table %I add check (seq >= %s::bigint and seq < %s::bigint)', part, first_seq, end_seq);
  perform audit_attach(part, first_seq, end_seq);
  insert into audit_partitions (from_seq, to_seq, name) values (first_seq, end_seq, part);
end $function$;

CREATE OR REPLACE FUNCTION public.audit_make_room(last_seq bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  newest record;
begin
  lock table audit_partitions in share row exclusive mode;
  select from_seq, to_seq into newest from audit_partitions order by from_seq desc limit 1;
  if newest.to_seq <= last_seq then
    perform audit_make_partition(newest.to_seq, greatest(newest.to_seq + newest.to_seq - newest.from_seq, last_seq + 1));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_newest(length bigint, OUT first_seq bigint, OUT final_seq bigint, OUT previous_seq bigint, OUT is_contiguous boolean, OUT is_later boolean)
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
begin
  select min(seq) filter (where n <= length), max(seq), coalesce(min(seq) filter (where n > length), 0),
         coalesce(bool_and(seq = before_seq + 1), true), coalesce(bool_and(recorded_at > before_time), true)
    into first_seq, final_seq, previous_seq, is_contiguous, is_later
    from (
      select seq, row_number() over walk as n, recorded_at, lead(seq) over walk as before_seq, lead(recorded_at) over walk as before_time
        from (select seq, recorded_at from audit_entries order by seq desc limit length + 1) newest
        window walk as (order by seq desc)
    ) steps;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_read_committed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the audit log is written under read committed, so that the end of the log is seen after its lock is taken'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.audit_refuse()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'the audit log is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $function$;

CREATE OR REPLACE FUNCTION public.audit_store_tile(at_level smallint, at_index bigint)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
declare
  tile bytea;
  node bytea;
  parts bigint;
begin
  if at_level = 0 then
    select count(*), string_agg(sha256('\x00'::bytea || convert_to(body, 'UTF8')), ''::bytea order by seq) into parts, tile
      from audit_entries where seq > at_index * 256 and seq <= at_index * 256 + 256;
  else
    select count(*), string_agg(root, ''::bytea order by index) into parts, tile
      from audit_tiles where level = at_level - 1 and index between at_index * 256 and at_index * 256 + 255;
  end if;
  if parts <> 256 then
    raise exception 'the audit tree cannot be read: tile % of level % has % of 256 parts', at_index, at_level, parts
      using errcode = 'data_corrupted';
  end if;
  node := tile;
  while octet_length(node) > 32 loop
    select string_agg(sha256('\x01'::bytea || substr(node, i * 64 + 1, 64)), ''::bytea order by i) into node
      from generate_series(0, octet_length(node) / 64 - 1) i;
  end loop;
  insert into audit_tiles (level, index, hashes, root) values (at_level, at_index, tile, node);
  if at_index % 256 = 255 then
    perform audit_store_tile((at_level + 1)::smallint, at_index / 256);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.block_since(of_chain bigint, moment timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  low bigint;
  high bigint;
  middle bigint;
  seen record;
begin
  select min(number), max(number) into low, high from blocks where chain_id = of_chain;
  if high is null or (select block_timestamp < moment from blocks where chain_id = of_chain and number = high) then
    return null;
  end if;
  while low < high loop
    middle := low + (high - low) / 2;
    -- The newest block up to the middle: not every block is kept.
    select number, block_timestamp into seen from blocks
      where chain_id = of_chain and number <= middle order by number desc limit 1;
    if seen.block_timestamp < moment then
      select number into low from blocks where chain_id = of_chain and number > middle order by number limit 1;
    else
      high := seen.number;
    end if;
  end loop;
  return low;
end $function$;

CREATE OR REPLACE FUNCTION public.pps_flagged_at(of_chain bigint, of_vault text)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
AS $function$
  with newest as (
    select f.kind, f.block_number, f.log_index from facts f
    where f.chain_id = of_chain and f.vault_address = of_vault
    order by f.block_number desc, f.log_index desc limit 1000
  ), reset as (
    select block_number, log_index from newest where kind = 'pps_stale_reset' order by block_number desc, log_index desc limit 1
  )
  select min(b.block_timestamp)
  from newest n
  join blocks b on b.chain_id = of_chain and b.number = n.block_number
  where n.kind in ('pps_stale', 'vault_paused')
    and not exists (select from reset r where (r.block_number, r.log_index) >= (n.block_number, n.log_index))
$function$;

CREATE OR REPLACE FUNCTION public.service_window(service bigint, OUT success integer, OUT failed integer, OUT seconds double precision, OUT earliest timestamp with time zone, OUT last_failed_at timestamp with time zone, OUT last_error text)
 RETURNS record
 LANGUAGE sql
 STABLE STRICT
 SET enable_bitmapscan TO 'off'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
AS $function$
  select w.success, w.failed, w.seconds, w.earliest, f.finished_at, f.error
  from (
    select count(*) filter (where status = 'success')::integer as success, count(*) filter (where status = 'failed')::integer as failed,
      coalesce(sum(extract(epoch from finished_at - started_at)), 0)::double precision as seconds, min(finished_at) as earliest
    from (
      select r.status, r.started_at, r.finished_at from service_runs r
      where r.service_id = service and r.status <> 'skipped' order by r.finished_at desc, r.run_id desc limit 100
    ) recent
  ) w
  left join lateral (
    select r.finished_at, r.error from service_runs r where r.service_id = service and r.status = 'failed'
    order by r.finished_at desc, r.run_id desc limit 1
  ) f on true
$function$;

CREATE OR REPLACE FUNCTION public.tell_of_roles()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('vaultops_roles', '');
  return null;
end $function$;
