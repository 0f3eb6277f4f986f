-- Mail goes only to addresses whose owner agreed to it, and what costs somebody else is counted for all processes together.

-- Addresses to which channels of a wallet may send, or are to be asked whether they may.
create table mail_addresses (
  id                uuid primary key,
  -- Who made the channels: a wallet, or `{chain_id}:{wallet}` for a contract, which is one on its chain alone. An address that agreed to mail of one wallet gets none of another's.
  owner             text collate "C" not null,
  -- In lower case.
  address           text collate "C" not null,
  confirmed_at      timestamptz,
  -- SHA-256 of the token in the last mail that asked; a link is good once.
  token_hash        bytea unique,
  token_expires_at  timestamptz,
  unique (owner, address)
);

-- Whose channels had an address before it was asked for goes on sending to it.
insert into mail_addresses (id, owner, address, confirmed_at)
select gen_random_uuid(), t.owner, t.address, now()
from (
  select distinct concat(c.limited_to_chain_id || ':', c.created_by) as owner, lower(trim(address)) as address
  from notification_channels c
  join channel_configs g on g.channel_id = c.id and g.is_current
  cross join lateral string_to_table(g.config ->> 'to', ',') address
  where c.provider = 'email'
) t;

-- When something was done that is limited by number and time. Only this database's clock counts.
create table stored_quotas (
  name              text collate "C" not null,
  key               text collate "C" not null,
  times             timestamptz[] not null,
  -- When all of them have left the window.
  expires_at        timestamptz not null,
  primary key (name, key)
);
create index stored_quotas_expires_at on stored_quotas (expires_at);
