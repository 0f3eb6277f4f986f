-- What the nodes would not tell, and what was stored without: an announced vault that could not be described, a transaction that no
-- node knows. Its chain went on after some minutes; the row says where, what is missing and why, and goes with its block.
create table chain_gaps (
  chain_id      bigint not null,
  block_number  bigint not null,
  -- What was not told, unique in its block: a vault's address, a transaction's hash, a log's index.
  subject       text not null,
  -- vault_description, managers, rejected_vault, transaction, user_operations
  lacks         text not null,
  reason        text not null,
  found_at      timestamptz not null default now(),
  primary key (chain_id, block_number, subject, lacks),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index chain_gaps_found on chain_gaps (found_at);

-- Known from its announcement alone: name, decimals and capabilities are yet to be read, and stand at what most vaults have.
alter table vaults add column is_incomplete boolean not null default false;
