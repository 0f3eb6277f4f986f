-- Who may do what: managers' roles as the chain has them, view_only grants made here, and sign-in challenges.

-- A manager's role over a stretch of blocks. An open end (to_block null) is the state at the head.
-- from_block null: named by the configuration, always confirmed. Undoing a reorganisation needs nothing more than
-- deleting blocks: a role gained in one goes with it, a role lost in one is open again.
create table vault_roles (
  id                bigint generated always as identity primary key,
  chain_id          bigint not null references chains,
  vault_address     text not null,
  wallet            text not null,
  role              text not null check (role in ('primary_manager', 'secondary_manager')),
  from_block        bigint,
  -- The log that gave the role; null for one that a reading of the contract brought to light.
  from_log_index    integer,
  to_block          bigint,
  check (to_block >= from_block),
  foreign key (chain_id, from_block) references blocks on delete cascade,
  foreign key (chain_id, to_block) references blocks on delete set null (to_block)
);
create index vault_roles_wallet on vault_roles (wallet) include (chain_id, vault_address, role, from_block) where to_block is null;
create index vault_roles_vault on vault_roles (chain_id, vault_address, wallet);
create index vault_roles_from_block on vault_roles (chain_id, from_block);
create index vault_roles_to_block on vault_roles (chain_id, to_block) where to_block is not null;

-- view_only grants, made and taken by a vault's managers. Not tied to the vault's row: a grant is recorded in the audit log,
-- so it must not vanish silently when a deep reorganisation takes the vault away and brings it back.
create table members (
  chain_id          bigint not null references chains,
  vault_address     text not null,
  wallet            text not null,
  role              text not null default 'view_only' check (role = 'view_only'),
  granted_by        text not null,
  granted_at        timestamptz not null default now(),
  primary key (chain_id, vault_address, wallet)
);
create index members_wallet on members (wallet);

-- Open sign-in challenges of the embedded identity provider. Spending one deletes it, so it serves once.
create table challenges (
  id                uuid primary key,
  wallet            text not null,
  chain_id          bigint not null,
  nonce             text not null,
  issued_at         timestamptz not null,
  expires_at        timestamptz not null,
  -- How often it was presented; bounded, so that one challenge cannot be used to guess or to load a chain's node.
  attempts          integer not null default 0
);
create index challenges_expires_at on challenges (expires_at);
