-- compatible-from: 0.1.0
-- Who stands behind the roles of vaults: Safes, timelocks, proxy admins and plain accounts, as they were read from the chain.

-- Who an account is, from a block on: what its views answer, and of a timelock what its own events say. The newest row of an account is how
-- it stands, so that undoing blocks brings back what was before.
create table controller_states (
  chain_id          bigint not null references chains,
  address           text not null,
  block_number      bigint not null,
  state             jsonb not null,
  primary key (chain_id, address, block_number),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index controller_states_block on controller_states (chain_id, block_number);

-- Who stands behind a vault's roles, from a block on: [{address, level, roles}]. The newest row of a vault is how it stands.
create table vault_controllers (
  chain_id          bigint not null,
  vault_address     text not null,
  block_number      bigint not null,
  roles             jsonb not null,
  links             jsonb not null,
  primary key (chain_id, vault_address, block_number),
  foreign key (chain_id, vault_address) references vaults on delete cascade,
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index vault_controllers_block on vault_controllers (chain_id, block_number);

-- Who stands behind a role by a Safe or a timelock (`via`), over a stretch of blocks. An open end is the state at the head.
create table vault_signers (
  id                bigint generated always as identity primary key,
  chain_id          bigint not null references chains,
  vault_address     text not null,
  wallet            text not null,
  via               text not null,
  from_block        bigint not null,
  to_block          bigint,
  check (to_block >= from_block),
  foreign key (chain_id, from_block) references blocks on delete cascade,
  foreign key (chain_id, to_block) references blocks on delete set null (to_block)
);
create index vault_signers_wallet on vault_signers (wallet) where to_block is null;
create index vault_signers_vault on vault_signers (chain_id, vault_address);
create index vault_signers_from_block on vault_signers (chain_id, from_block);
create index vault_signers_to_block on vault_signers (chain_id, to_block) where to_block is not null;
create trigger tell_of_roles after insert or update or delete on vault_signers for each row execute function tell_of_roles();
