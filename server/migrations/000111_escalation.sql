-- compatible-from: 0.1.0
-- Escalation: a channel that a vault's alerts go to only where nobody has taken them for so long; null: at once.
alter table channel_bindings add column escalate_after_seconds integer
  constraint channel_bindings_escalate_after_seconds_check check (escalate_after_seconds between 60 and 604800);

-- Which channels wait for an alert to be taken, and since when. Told: it was not, and the channel has heard of it since.
create table channel_escalations (
  alert_id          uuid not null,
  channel_id        uuid not null references notification_channels (id) on delete cascade,
  since             timestamptz not null,
  told_at           timestamptz,
  primary key (alert_id, channel_id)
);
create index channel_escalations_channel on channel_escalations (channel_id);
create index channel_escalations_waiting on channel_escalations (since) where told_at is null;
