-- What the families of curated vaults are read to have besides, with every state; and what is remembered of a vault from its events, because
-- no view lists it: who holds a role, which ids have caps, which calls wait, which further contracts are followed. Each change stands with
-- its block and goes with it; the newest up to a block is what held there. A value of null: no longer.
alter table vault_states
  add column contract_roles jsonb not null default '[]',
  add column implementation text,
  add column allocations jsonb not null default '[]',
  add column liquidity jsonb,
  add column lost_assets numeric,
  add column fee_rates jsonb,
  add column nav jsonb;

create table tracked_changes (
  chain_id      bigint not null,
  block_number  bigint not null,
  log_index     integer not null,
  -- Of several changes of one log.
  nth           smallint not null,
  vault_address text not null,
  list          text not null,
  key           text not null,
  value         jsonb,
  primary key (chain_id, block_number, log_index, nth),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index tracked_changes_vault on tracked_changes (chain_id, vault_address);
