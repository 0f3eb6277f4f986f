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
