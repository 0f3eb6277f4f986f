-- Chains, blocks, vaults and facts: what the service has seen onchain.
--
-- The reorganisation rule of the whole schema: every row derived from a block references that block with
-- ON DELETE CASCADE (or ON DELETE SET NULL for the end of an interval), so undoing a reorganisation is one
-- DELETE FROM blocks. Addresses are stored EIP-55 checksummed, hashes in lowercase hex.

create table chains (
  chain_id          bigint primary key check (chain_id > 0),
  name              text not null,
  explorer_url      text,
  -- The moment the chain was first configured. Older blocks are history: their audit entries carry block time.
  configured_at     timestamptz not null default now(),
  -- The first block ever stored: a node that knows another hash for it serves another chain.
  anchor_number     bigint,
  anchor_hash       text,
  head_number       bigint,
  head_hash         text,
  head_timestamp    timestamptz,
  -- When the head last moved, by this service's clock: tells a halted chain from a slow one.
  head_seen_at      timestamptz,
  -- The node answers, but its head has stood still for much longer than the chain's blocks take.
  is_halted         boolean not null default false,
  -- Every block up to this one has its audit entries written.
  confirmed_number  bigint,
  -- Raised by one with each commit of the indexer; a writer that finds another number than it left has lost the lead.
  revision          bigint not null default 0
);

create table blocks (
  chain_id          bigint not null references chains,
  number            bigint not null check (number >= 0),
  hash              text not null,
  -- null for a block that was filled in from its logs alone, long after it was confirmed
  parent_hash       text,
  block_timestamp   timestamptz not null,
  -- No fact and no reading refers to it: needed for linking only, and pruned once it is deep.
  is_empty          boolean not null default false,
  primary key (chain_id, number)
);
create index blocks_empty on blocks (chain_id, number) where is_empty;

-- What is followed on a chain: an aggregator that announces vaults, or one configured vault.
-- next_block is the first block whose logs of this source have not been stored yet: the source is being filled in on its
-- own. It is null once the source has caught up and follows the head (its first missing block is then head_number + 1).
create table sources (
  chain_id          bigint not null references chains,
  family            text not null,
  address           text not null,
  start_block       bigint not null,
  next_block        bigint,
  configured_at     timestamptz not null default now(),
  primary key (chain_id, family, address)
);

create table vaults (
  chain_id          bigint not null references chains,
  address           text not null,
  family            text not null,
  source_address    text not null,
  strategy_address  text,
  escrow_address    text,
  asset_address     text not null,
  name              text,
  symbol            text,
  share_decimals    smallint not null,
  asset_decimals    smallint not null,
  -- ERC-165 findings: {"erc7540_deposit": bool, "erc7540_redeem": bool, "erc7575": bool}
  capabilities      jsonb not null default '{}',
  -- The block that announced the vault; null for a vault that the configuration names.
  created_block     bigint,
  created_at        timestamptz,
  configured_at     timestamptz not null default now(),
  primary key (chain_id, address),
  foreign key (chain_id, created_block) references blocks on delete cascade
);
create index vaults_created_block on vaults (chain_id, created_block);
create index vaults_strategy on vaults (chain_id, strategy_address);

-- One row per decoded log (see chain/facts.ts for the kinds and their data; quantities are decimal strings).
create table facts (
  chain_id          bigint not null,
  block_number      bigint not null,
  log_index         integer not null,
  kind              text not null,
  vault_address     text,
  tx_hash           text not null,
  tx_index          integer not null,
  -- Who acted, as decided: named by the event, else the manager's contract wallet, else the transaction's sender.
  actor_wallet      text not null,
  data              jsonb not null,
  primary key (chain_id, block_number, log_index),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index facts_vault on facts (chain_id, vault_address, block_number, log_index);
create index facts_tx on facts (chain_id, tx_hash);
-- Who managed what: read whole when the indexer starts, to tell the contract wallet through which a manager acted.
create index facts_managers on facts (chain_id, block_number, log_index)
  where kind in ('vault_deployed', 'primary_manager_changed', 'secondary_manager_added', 'secondary_manager_removed', 'ownership_transferred');
