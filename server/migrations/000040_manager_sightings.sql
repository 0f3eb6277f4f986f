-- Where the configuration follows only vaults of listed managers (`sources[].managers`): who was seen to manage a vault that is not
-- followed, one row for each manager and block that tells of it. From these a vault is found again when a listed manager comes to it,
-- or when its manager is listed later. A reorganisation takes them away with their blocks.
create table manager_sightings (
  chain_id          bigint not null,
  source_address    text not null,
  strategy_address  text not null,
  manager_address   text not null,
  block_number      bigint not null,
  -- The block announced the vault; its other rows tell of changes.
  is_announcement   boolean not null,
  -- The configuration listed the manager when the block was read.
  is_listed         boolean not null,
  primary key (chain_id, strategy_address, manager_address, block_number),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index manager_sightings_manager on manager_sightings (chain_id, source_address, manager_address);
create index manager_sightings_block on manager_sightings (chain_id, block_number);
