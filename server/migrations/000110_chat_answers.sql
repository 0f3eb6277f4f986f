-- compatible-from: 0.1.0
-- Answers from chat. Channels of one secret (a Slack app's signing secret, a Telegram bot's token) share the endpoint to which the provider sends
-- what its users press. Sealed are what proves that a request is the provider's, and the key of the buttons that the service makes.
create table chat_endpoints (
  id                uuid primary key,
  provider          text not null,
  -- SHA-256 of the provider and the secret, which has 128 random bits and more.
  fingerprint       text not null unique,
  sealed_secrets    text not null,
  created_at        timestamptz not null
);

-- null: nothing can be answered from the channel.
alter table notification_channels add column chat_endpoint_id uuid;
create index notification_channels_chat_endpoint on notification_channels (chat_endpoint_id) where chat_endpoint_id is not null;

-- Whose wallet a provider's user acts for in one channel, by one secret of it. It holds once the wallet has confirmed who pressed the button.
create table chat_links (
  id                uuid primary key,
  channel_id        uuid not null references notification_channels (id) on delete cascade,
  endpoint_id       uuid not null references chat_endpoints (id) on delete cascade,
  wallet            text not null,
  limited_to_chain_id bigint,
  created_at        timestamptz not null,
  expires_at        timestamptz not null,
  provider_user     text,
  provider_user_name text,
  pressed_at        timestamptz,
  confirmed_at      timestamptz
);
create index chat_links_wallet on chat_links (wallet);
create index chat_links_endpoint on chat_links (endpoint_id);
-- A user acts for one wallet in a channel.
create unique index chat_links_user on chat_links (channel_id, provider_user) where confirmed_at is not null;

-- What was done already, so that it is not done again: kept for a day.
create table chat_handled (
  endpoint_id       uuid not null references chat_endpoints (id) on delete cascade,
  key               text not null,
  handled_at        timestamptz not null,
  primary key (endpoint_id, key)
);
create index chat_handled_handled_at on chat_handled (handled_at);
