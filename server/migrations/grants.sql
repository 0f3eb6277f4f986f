-- Every privilege of the application's role, granted anew after each migration. What is not named here is denied.
-- :app_role is replaced with the quoted name of the role by platform/migrate.ts.

grant usage on schema public to :app_role;
grant select on schema_migrations to :app_role;

-- chain
grant select, insert, update on chains, sources, chain_leases to :app_role;
grant select, insert, update, delete on blocks, vaults to :app_role;
-- Those of a vault that moves to its family are decoded anew. To deny it their removal would guard nothing: whoever undoes blocks takes their
-- facts with them. What they were told as stands in the audit log, which this role cannot alter.
grant select, insert, delete on facts, manager_readings to :app_role;
grant select, insert, delete on tracked_changes to :app_role;
-- A fact of which the nodes did not tell everything is completed when one does.
grant update (vault_address, actor_wallet, tx_from, data) on facts to :app_role;
grant select, insert, update on chain_gaps to :app_role;
grant select, insert, update on manager_sightings to :app_role;
grant select, insert, update on controller_states, vault_controllers, vault_signers to :app_role;

-- vaults
grant select, insert, delete on vault_states to :app_role;
-- What is derived from facts may be made anew from them.
grant select, insert, delete on pps_points, share_supplies, redeem_flows to :app_role;
grant select, insert, update, delete on vault_intervals to :app_role;
grant select, insert, update on vault_reports, tokens, token_prices to :app_role;
grant select, insert, delete on price_points to :app_role;
grant execute on function pps_flagged_at(bigint, text) to :app_role;

-- auth
grant select, insert, update, delete on vault_roles, members, challenges to :app_role;
grant select, insert, update on vault_acceptances, role_settings to :app_role;
grant select on vault_operators to :app_role;

-- audit: entries are inserted and read, never changed; tree and counts are written by the trigger, as their owner
grant select, insert on audit_entries, audit_checkpoints, audit_keys, audit_key_retirements, audit_cosignatures, audit_held_notes to :app_role;
grant select, insert, update on checkpoint_witnesses, log_streams to :app_role;
grant select on audit_tiles, audit_counts, audit_actors, audit_partitions to :app_role;
grant execute on function audit_begin(), audit_ensure_partitions(), audit_ensure_partitions(bigint), audit_make_room(bigint) to :app_role;

-- engine: reports
grant select, insert, update on ingest_tokens, services, shard_states, session_keys, merkle_jobs to :app_role;
grant select, insert, update, delete on service_states to :app_role;
grant select, insert, delete on engine_report_ids, service_runs to :app_role;
grant select, insert on engine_actions to :app_role;
grant execute on function service_window(bigint) to :app_role;

-- engine: intents and redemptions
grant select, insert, update on intents, intent_events, intent_counts, intent_fills to :app_role;
grant select, insert, update, delete on redemption_executions to :app_role;
grant select, insert, delete on redemption_fulfilments, redeem_claimables to :app_role;

-- channels
grant select, insert, update, delete on idempotency_keys, notification_channels, channel_configs, channel_bindings, channel_alerts, channel_sent, chat_endpoints, chat_links, chat_handled, channel_escalations to :app_role;
grant select, insert, update, delete on mail_addresses, stored_quotas to :app_role;

-- events and deliveries
grant select, insert, update, delete on events, deliveries, delivery_targets to :app_role;
grant select, insert, delete on delivery_attempts to :app_role;

-- alerts
grant select on alert_watches to :app_role;
grant execute on function block_since(bigint, timestamptz) to :app_role;
grant select, insert, update on alerts, alert_rules, silences, alert_lease to :app_role;
grant delete on alerts, silences, deep_reorganisations to :app_role;
grant select, insert, update, delete on alert_dispatches to :app_role;
grant select, insert on deep_reorganisations to :app_role;
grant select, insert, update, delete on system_findings to :app_role;
grant select, insert, update on heartbeats to :app_role;
grant select, insert, delete on listening_gaps to :app_role;

-- webhooks
grant select, insert, update, delete on webhooks to :app_role;

-- service
grant select, insert, update, delete on processes to :app_role;

-- what holds over all processes
grant select, insert, update, delete on quota_windows, open_streams to :app_role;

-- actions
grant select, insert, delete on prepared_actions, prepared_action_calls, prepared_action_events to :app_role;
grant select, insert, update, delete on prepared_action_submissions, prepared_action_executions,
  prepared_action_candidates, prepared_action_follows to :app_role;
