-- Who follows each chain: of the processes on one database one leads per chain, by a lease that it renews.

-- Only this database's clock counts, so the processes' own clocks may differ. `token` is raised each time the lease is taken; taking
-- it raises chains.revision in the same transaction, so that whatever an earlier leader still tries to write is refused.
create table chain_leases (
  chain_id          bigint primary key references chains,
  token             bigint not null default 0,
  -- null: free
  holder            uuid,
  -- host and process id, for people
  holder_name       text,
  -- The holder's connection. When the server knows that it is gone, the lease is free before its time.
  session_pid       integer,
  session_start     timestamptz,
  acquired_at       timestamptz,
  renewed_at        timestamptz,
  expires_at        timestamptz,
  check ((holder is null) = (expires_at is null))
);

-- What reading a vault's contracts told of its managers beyond what facts had told: kept, because nodes forget their past state and
-- vault_states are pruned, so that roles can be derived anew. One row for each reading that changed a role.
create table manager_readings (
  chain_id          bigint not null,
  block_number      bigint not null,
  vault_address     text not null,
  primary_manager   text not null,
  secondary_managers text[] not null,
  primary key (chain_id, block_number, vault_address),
  foreign key (chain_id, block_number) references blocks on delete cascade
);

-- Of databases from before: after a block in which a reading must have changed something, the open roles are what it told.
insert into manager_readings (chain_id, block_number, vault_address, primary_manager, secondary_managers)
select b.chain_id, b.block_number, b.vault_address, max(r.wallet) filter (where r.role = 'primary_manager'),
       coalesce(array_agg(r.wallet order by r.id) filter (where r.role = 'secondary_manager'), '{}')
from (
  select chain_id, from_block as block_number, vault_address from vault_roles
   where from_block is not null and from_log_index is null
  union
  select r.chain_id, r.to_block, r.vault_address from vault_roles r
   where r.to_block is not null and r.from_block is not null
     and not exists (
       select from facts f where f.chain_id = r.chain_id and f.block_number = r.to_block and f.vault_address = r.vault_address
         and f.kind in ('old_primary_manager_removed', 'secondary_manager_removed', 'ownership_transferred'))
) b
join vault_roles r on r.chain_id = b.chain_id and r.vault_address = b.vault_address and r.from_block <= b.block_number
  and (r.to_block is null or r.to_block > b.block_number)
group by b.chain_id, b.block_number, b.vault_address
having max(r.wallet) filter (where r.role = 'primary_manager') is not null;
