-- The outbox: what is to be sent to whom, and what became of each attempt. One machine for alert channels and webhooks.
--
-- A delivery is open while it is pending or failed (= will be retried). Whoever sends it holds a lease on it, and only the holder
-- of the lease stores an outcome. All times are the service's clock, not the database's.

create table deliveries (
  id                uuid primary key,
  seq               bigint generated always as identity,
  queue             text not null check (queue in ('channel', 'webhook')),
  -- The channel or webhook endpoint.
  target_id         uuid not null,
  -- What makes it this delivery and no other: one that is enqueued again is not sent again.
  key               text collate "C" not null,
  event_id          uuid,
  event_type        text collate "C" not null,
  chain_id          bigint not null,
  vault_address     text collate "C" not null,
  -- The bytes to be sent, or what they are made from; they never change.
  body              text not null,
  status            text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'dead', 'canceled')),
  -- Attempts begun.
  attempts_count    integer not null default 0,
  due_at            timestamptz not null,
  lease_id          uuid,
  leased_until      timestamptz,
  -- Sends asked for by hand, each one attempt; `status_before` is what the status was before the first of them.
  replays_left      integer not null default 0,
  status_before     text,
  created_at        timestamptz not null,
  finished_at       timestamptz,
  unique (target_id, key)
) with (fillfactor = 80);
-- What is to be sent next, by target. A lease is taken without touching them. Ordered queues go by seq, others by time due.
create index deliveries_open_channel on deliveries (target_id, seq) where queue = 'channel' and status in ('pending', 'failed');
create index deliveries_open_webhook on deliveries (target_id, due_at, seq) where queue = 'webhook' and status in ('pending', 'failed');
create index deliveries_of_target on deliveries (target_id, seq);
create index deliveries_dead on deliveries (target_id, finished_at) where status = 'dead';
create index deliveries_created_at on deliveries using brin (created_at);

-- Attempts that have ended. One whose worker died is written by whoever takes the delivery up again.
create table delivery_attempts (
  delivery_id       uuid not null,
  number            integer not null,
  at                timestamptz not null,
  status_code       integer,
  error             text,
  duration_ms       integer,
  response_excerpt  text,
  primary key (delivery_id, number)
);

-- Where a target departs from the ordinary; most have no row.
create table delivery_targets (
  target_id         uuid primary key,
  -- Nothing is sent before (429, a rate).
  not_before        timestamptz,
  -- The first failure since something was last delivered; null: the last attempt went well.
  failing_since     timestamptz,
  -- When something was delivered after failures.
  recovered_at      timestamptz,
  max_concurrency   integer check (max_concurrency > 0),
  max_per_second    integer check (max_per_second > 0)
) with (fillfactor = 70);
