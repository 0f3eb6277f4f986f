-- compatible-from: 0.1.0
-- What a vault's primary manager has bots handed with critical alerts, apart from who last changed the thresholds.
alter table alert_rules add column dispatch jsonb;
alter table alert_rules add column dispatch_updated_by text;
alter table alert_rules add column dispatch_updated_at timestamptz;

-- Alerts whose calls are being prepared, until bots are told of them.
create table alert_dispatches (
  alert_id          uuid primary key,
  chain_id          bigint not null,
  vault_address     text collate "C" not null,
  -- The event's data but for the calls.
  data              json not null,
  found_at          timestamptz not null,
  -- Told without calls from then on.
  due_at            timestamptz not null,
  -- When a worker began to prepare its calls.
  claimed_at        timestamptz
);
create index alert_dispatches_due on alert_dispatches (due_at);
