-- The spine: what happened, once, written in the transaction that made it true. Fan-out hands every event to those who subscribe
-- (webhooks, channels) and marks it; from then on it is kept for 30 days for whoever asks what went out.

create table events (
  seq               bigint generated always as identity primary key,
  id                uuid not null,
  type              text collate "C" not null,
  -- chain_id 0 and the zero address: concerns no vault.
  chain_id          bigint not null check (chain_id >= 0),
  vault_address     text collate "C" not null,
  -- When it happened: a block's time, or the clock's.
  at                timestamptz not null,
  -- JSON, as text: its bytes are what was emitted.
  data              text not null,
  created_at        timestamptz not null default now(),
  fanned_out_at     timestamptz,
  -- How often handing it out has failed by a fault of its own; at 10 it is left alone, so that it stops no other.
  failures          integer not null default 0
) with (fillfactor = 90);
create index events_waiting on events (seq) where fanned_out_at is null and failures < 10;
create index events_created_at on events using brin (created_at);
