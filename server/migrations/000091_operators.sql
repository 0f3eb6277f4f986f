-- compatible-from: 0.1.0
-- Operators: wallets that a primary manager lets do what the daily work needs, without the right to let others in.
alter table members drop constraint members_role_check;
alter table members add constraint members_role_check check (role in ('view_only', 'operator'));

-- What the configuration says of roles and statements must know: one row, written at the start of each process.
create table role_settings (
  is_only           boolean primary key default true check (is_only),
  -- auth.safe_signers
  signers_role      text not null
);

-- Who may keep webhooks and bindings of a vault at the head: its managers, operators, and the signers behind roles where the configuration
-- makes operators of them. from_block null: named by the configuration; 0: granted here. A wallet may be here several times for one vault.
create view vault_operators as
  select chain_id, vault_address, wallet, from_block from vault_roles where to_block is null
  union all
  select chain_id, vault_address, wallet, 0 from members where role = 'operator'
  union all
  select chain_id, vault_address, wallet, from_block from vault_signers
  where to_block is null and exists (select from role_settings where signers_role = 'operator');
