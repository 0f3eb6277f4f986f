-- What engines report: who may report, which reports came already, services with their runs and states, shards, session keys,
-- merkle jobs, actions.
--
-- Nothing here derives from a block: a reorganisation undoes none of it. A report names a vault by chain_id and vault_address; one
-- that concerns no vault has chain_id 0 and the zero address, as in the audit log. `reported_at` is the CloudEvents `time`,
-- `report_id` the `id` of the report that a row shows: of two with the same time the one with the greater id counts, bytes compared.

-- Tokens made by `vaultops ingest-token create`. The token itself is never stored.
create table ingest_tokens (
  id                text primary key,
  name              text not null,
  source            text not null,
  token_sha256      bytea not null check (octet_length(token_sha256) = 32),
  -- What it may report on; empty: everything. A token bound to either may not report on what concerns no vault.
  chains            bigint[] not null default '{}',
  vaults            text[] not null default '{}',
  created_at        timestamptz not null default now(),
  -- To the minute.
  last_used_at      timestamptz,
  revoked_at        timestamptz
);

-- Reports that were accepted. Forgotten after 30 days: what a report makes has a key of its own beside, so that one repeated later
-- still changes nothing.
create table engine_report_ids (
  source            text collate "C" not null,
  id                text collate "C" not null,
  received_at       timestamptz not null default now(),
  primary key (source, id)
);
create index engine_report_ids_received_at on engine_report_ids using brin (received_at);

-- A service of a vault (or of no vault in particular) that has reported. Totals and the present state are kept current by every
-- report, so that an answer reads one row per service, however many runs there were.
create table services (
  id                bigint generated always as identity primary key,
  chain_id          bigint not null check (chain_id >= 0),
  vault_address     text collate "C" not null,
  name              text collate "C" not null,
  -- {display_name, is_enabled, schedule_seconds: {value, at, id}}: each the newest report that named it
  settings          jsonb not null default '{}',
  -- Time of the earliest state reported: a service that never ran is late from then on.
  first_state_at    timestamptz,
  is_paused         boolean not null default false,
  next_run          timestamptz,
  -- Of the last pause; resumed_at is null while it lasts.
  paused_at         timestamptz,
  paused_by         text,
  paused_reason     text,
  resumed_at        timestamptz,
  total_executions  bigint not null default 0,
  last_run          timestamptz,
  last_error        text,
  -- Of the last 100 runs that succeeded or failed.
  recent_success    integer not null default 0,
  recent_failed     integer not null default 0,
  recent_seconds    double precision not null default 0,
  -- Runs that ended, and states reported, before these are not kept any more and are refused: one that was counted before it was
  -- forgotten must not be counted again (features/engine/prune.ts). null: nothing was forgotten yet.
  runs_from         timestamptz,
  states_from       timestamptz,
  unique (chain_id, vault_address, name)
) with (fillfactor = 70);

create table service_runs (
  service_id        bigint not null references services,
  run_id            text collate "C" not null,
  status            text not null check (status in ('success', 'failed', 'skipped')),
  started_at        timestamptz not null,
  finished_at       timestamptz not null,
  error             text,
  primary key (service_id, run_id)
);
-- The last 100 are read from the index alone.
create index service_runs_judged on service_runs (service_id, finished_at, run_id) include (status, started_at) where status <> 'skipped';
create index service_runs_failed on service_runs (service_id, finished_at, run_id) where status = 'failed';
create index service_runs_skipped on service_runs (service_id, finished_at) where status = 'skipped';

-- What a service is judged by: its last 100 runs that succeeded or failed, and the error of the last that failed. Read from the ends of
-- the indexes whatever the statistics say: on a table that was filled a moment ago the planner would rather sort all runs of the service.
create function service_window(service bigint, out success integer, out failed integer, out seconds double precision,
  out earliest timestamptz, out last_failed_at timestamptz, out last_error text)
language sql stable strict
set enable_bitmapscan = off set enable_seqscan = off set enable_sort = off
as $$
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
$$;

-- Every state reported, in its place in time. Reports of one service that follow each other with the same is_paused are one stretch;
-- a stretch that begins with a change has one entry in the audit log, and one of its rows says so.
create table service_states (
  service_id        bigint not null references services,
  reported_at       timestamptz not null,
  report_id         text collate "C" not null,
  source            text collate "C" not null,
  is_paused         boolean not null,
  paused_by         text,
  reason            text,
  next_run          timestamptz,
  is_recorded       boolean not null default false,
  primary key (service_id, reported_at, report_id, source)
);
create index service_states_paused on service_states (service_id, is_paused, reported_at, report_id, source);
create index service_states_recorded on service_states (service_id, reported_at, report_id, source) where is_recorded;

-- The newest state of the shard that runs a vault. `body` holds the reported data as the API serves it.
create table shard_states (
  chain_id          bigint not null,
  vault_address     text not null,
  body              text not null,
  tick_interval     double precision not null,
  reported_at       timestamptz not null,
  report_id         text collate "C" not null,
  primary key (chain_id, vault_address)
);

create table session_keys (
  chain_id          bigint not null,
  vault_address     text not null,
  is_ready          boolean not null,
  key_address       text not null,
  expires_at        timestamptz not null,
  pending_rotation  boolean not null,
  reason            text,
  reported_at       timestamptz not null,
  report_id         text collate "C" not null,
  primary key (chain_id, vault_address)
);

create table merkle_jobs (
  chain_id          bigint not null,
  vault_address     text not null,
  kind              text not null check (kind in ('generate', 'publish')),
  job_id            text collate "C" not null,
  status            text not null check (status in ('running', 'success', 'failed')),
  root              text,
  error             text,
  actor_wallet      text,
  -- Time of the earliest report.
  started_at        timestamptz not null,
  reported_at       timestamptz not null,
  report_id         text collate "C" not null,
  -- Its end stands in the audit log.
  is_recorded       boolean not null default false,
  primary key (chain_id, vault_address, kind, job_id)
);
create index merkle_jobs_newest on merkle_jobs (chain_id, vault_address, reported_at desc, report_id desc);

-- Managers' actions that leave no trace onchain; each has its entry in the audit log.
create table engine_actions (
  source            text collate "C" not null,
  report_id         text collate "C" not null,
  chain_id          bigint not null,
  vault_address     text not null,
  action_type       text not null,
  actor_wallet      text not null,
  reported_at       timestamptz not null,
  primary key (source, report_id)
);
create index engine_actions_vault on engine_actions (chain_id, vault_address, action_type, reported_at, report_id);

-- Which report a row of 000004 shows, for ties.
alter table vault_reports add column report_id text collate "C" not null default '';
