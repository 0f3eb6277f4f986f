-- Notification channels, and what a request with an Idempotency-Key has made.

-- The note that a request was answered, kept 24 hours. The answer may hold a secret shown once, so it is sealed.
create table idempotency_keys (
  id                uuid primary key,
  wallet            text not null,
  route             text not null,
  key               text not null,
  sealed_answer     text,
  created_at        timestamptz not null,
  unique (wallet, route, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- Where alerts go. Alerts that have no vault go to those whose ids stand in the configuration.
create table notification_channels (
  id                uuid primary key,
  provider          text not null,
  name              text not null,
  created_by        text collate "C" not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  is_enabled        boolean not null default true,
  -- Why the service itself disabled it; null where somebody did, or nobody.
  disabled_reason   text
);
create index notification_channels_created_by on notification_channels (created_by);

-- A channel's configurations: the current one, and older ones for as long as an alert must be resolved under them.
create table channel_configs (
  id                uuid primary key,
  channel_id        uuid not null references notification_channels on delete cascade,
  is_current        boolean not null default true,
  -- The members that are not secret, and the secret ones as they are shown.
  config            jsonb not null,
  masks             jsonb not null,
  sealed_secrets    text not null,
  created_at        timestamptz not null
);
create unique index channel_configs_current on channel_configs (channel_id) where is_current;
create index channel_configs_channel on channel_configs (channel_id);

-- Which alerts of a vault go to which channel. It outlives the role of who made it, and then needs confirmation.
create table channel_bindings (
  channel_id        uuid not null references notification_channels on delete cascade,
  chain_id          bigint not null,
  vault_address     text collate "C" not null,
  categories        text[] not null,
  min_severity      text not null check (min_severity in ('critical', 'warning', 'info')),
  bound_by          text collate "C" not null,
  bound_at          timestamptz not null,
  primary key (chain_id, vault_address, channel_id)
);
create index channel_bindings_channel on channel_bindings (channel_id);

-- Alerts that were told to a channel, until they have been resolved there.
create table channel_alerts (
  alert_id          uuid not null,
  channel_id        uuid not null references notification_channels on delete cascade,
  told_at           timestamptz not null,
  -- When the channel took the firing, and under which configuration.
  accepted_at       timestamptz,
  config_id         uuid references channel_configs,
  primary key (alert_id, channel_id)
);
create index channel_alerts_channel on channel_alerts (channel_id);
create index channel_alerts_config on channel_alerts (config_id) where config_id is not null;

-- Notices of a batch that have gone out one by one while the batch's outcome is not stored yet, so that a worker that dies in the middle
-- leaves no more than one to be sent again.
create table channel_sent (
  delivery_id       uuid primary key references deliveries on delete cascade
);
