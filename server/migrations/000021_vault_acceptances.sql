-- Which vaults a wallet has made its own. Where making a vault is free anybody can name anybody its manager: until the wallet accepts, or
-- has sent a transaction itself that left an entry, the vault stays out of what the wallet did not ask for vault by vault. No row: it has
-- said nothing. Not derived: a replay leaves it alone.
create table vault_acceptances (
  wallet            text not null,
  chain_id          bigint not null references chains,
  vault_address     text not null,
  is_accepted       boolean not null,
  changed_at        timestamptz not null default now(),
  primary key (wallet, chain_id, vault_address)
);

-- What a wallet holds at the upgrade it went on with.
insert into vault_acceptances (wallet, chain_id, vault_address, is_accepted)
  select wallet, chain_id, vault_address, true from vault_roles where to_block is null
  union
  select wallet, chain_id, vault_address, true from members;

create trigger tell_of_roles after insert or update or delete on vault_acceptances for each row execute function tell_of_roles();
