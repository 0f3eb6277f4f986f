-- Alerts: what is wrong, with which vault, since when, and who was told. Made by the monitors (features/alerts), which judge the tables
-- of chain and engine; nothing here derives from a block, so that an alert that a reorganisation takes back can still be told of.
--
-- chain_id 0 and the zero address: concerns no vault. All times but those of the lease are the service's clock.

create table alerts (
  id                uuid primary key,
  chain_id          bigint not null check (chain_id >= 0),
  vault_address     text collate "C" not null,
  category          text not null check (category in ('upkeep', 'pps_staleness', 'keeper_run', 'session_key', 'emergency_pause',
                      'emergency_exit', 'merkle', 'execution', 'system')),
  -- What within the category: a service's name, a strategy, a chain.
  subject           text collate "C" not null,
  -- Which evaluation judges it: 'chain:<id>', 'engine' or 'system'.
  area              text collate "C" not null,
  severity          text not null check (severity in ('critical', 'warning', 'info')),
  status            text not null generated always as
                      (case when resolved_at is not null then 'resolved' when acknowledged_at is not null then 'acknowledged' else 'firing' end) stored,
  vault_name        text,
  title             text not null,
  message           text not null,
  next_step         text not null,
  details           jsonb not null,
  transaction_url   text,
  -- Of all that is shown, to tell a change.
  content_hash      text not null,
  -- What is wrong, a word each; one that is added may be an event of its own.
  conditions        text[] not null,
  is_unconfirmed    boolean not null,
  -- The block that it stands on: if that is gone, the alert is withdrawn and not resolved.
  block_number      bigint,
  block_hash        text,
  started_at        timestamptz not null,
  last_seen_at      timestamptz not null,
  resolved_at       timestamptz,
  is_withdrawn      boolean not null default false,
  acknowledged_at   timestamptz,
  acknowledged_by   text,
  -- Held open although it comes and goes; since when nothing was seen of it.
  is_flapping       boolean not null default false,
  quiet_since       timestamptz,
  -- The last notice, its severity and what it was; null: nobody was told.
  notified_at       timestamptz,
  notified_severity text,
  last_notice       text check (last_notice in ('opened', 'severity_raised', 'reminder'))
) with (fillfactor = 80);
create unique index alerts_open on alerts (chain_id, vault_address, category, subject) where resolved_at is null;
create index alerts_open_area on alerts (area) where resolved_at is null;
create index alerts_closed on alerts (area, resolved_at) where resolved_at is not null;
create index alerts_vault on alerts (chain_id, vault_address, started_at, id);
create index alerts_time on alerts (started_at, id);

-- Thresholds that a vault has of its own, by category and name; what is not named is the configuration's.
create table alert_rules (
  chain_id          bigint not null,
  vault_address     text collate "C" not null,
  rules             jsonb not null,
  updated_by        text not null,
  updated_at        timestamptz not null,
  primary key (chain_id, vault_address)
);

create table silences (
  id                uuid primary key,
  chain_id          bigint not null,
  vault_address     text collate "C" not null,
  -- null: all
  category          text,
  reason            text not null,
  created_by        text not null,
  created_at        timestamptz not null,
  -- Brought forward when the silence is ended early.
  ends_at           timestamptz not null,
  ended_by          text
);
create index silences_end on silences (ends_at);
create index silences_vault on silences (chain_id, vault_address, created_at, id);

-- Which worker judges: one at a time, whose every evaluation takes this row first. By the database's clock.
create table alert_lease (
  is_it             boolean primary key default true check (is_it),
  holder            uuid,
  expires_at        timestamptz not null default '-infinity',
  -- The service's time of the newest evaluation: no later one goes back behind it, whatever the clocks of two machines say.
  evaluated_at      timestamptz
);
insert into alert_lease default values;

-- Reorganisations that reached below confirmed blocks.
create table deep_reorganisations (
  id                bigint generated always as identity primary key,
  chain_id          bigint not null,
  -- The newest block that both branches have; entries of the audit log that were undone.
  ancestor_number   bigint not null,
  reverted_count    bigint not null,
  happened_at       timestamptz not null default now()
);
create index deep_reorganisations_time on deep_reorganisations (happened_at);

-- What parts of the service have found out about themselves and the tables do not show.
create table system_findings (
  subject           text primary key,
  message           text not null,
  details           jsonb not null,
  found_at          timestamptz not null
);

-- What the monitors look for.
create index intents_failed on intents (terminal_at) include (chain_id, vault_address, strategy_id, intent_id, error_code)
  where state in ('FAILED', 'ABORTED');
create index merkle_jobs_failed on merkle_jobs (chain_id, vault_address, kind, reported_at, report_id) where status = 'failed';
create index facts_vetoes on facts (chain_id, vault_address, block_number, log_index) where kind = 'hooks_root_veto_changed';
