-- Webhook endpoints: where their owners want events to be posted. What goes out to them stands in `deliveries`.

create table webhooks (
  id                uuid primary key,
  url               text not null,
  -- Null: all, those added later included.
  event_types       text[],
  -- Vault ids. Null: every vault that the owner manages.
  vaults            text[] collate "C",
  is_enabled        boolean not null,
  -- Why the service disabled it: it answered 410, or did nothing but fail for five days. Null: its owner did, or it is enabled.
  disabled_reason   text check (disabled_reason in ('gone', 'failing')),
  disabled_at       timestamptz,
  description       text not null,
  retry_schedule    text not null check (retry_schedule in ('standard', 'extended')),
  -- Sends a second; null: no limit of its own.
  rate_limit        integer check (rate_limit > 0),
  sealed_secret     text not null,
  -- Secrets that were rotated out and still sign: JSON, [{secret, until}].
  sealed_old_secrets text,
  created_by        text collate "C" not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null
);
create index webhooks_created_by on webhooks (created_by, created_at);
