-- When a vault's price was flagged as stale by its contract: the block of the first pause or flag since the flag was last taken back. Asked only
-- while the flag stands, so what is looked for is among the newest facts. null where no fact tells.
create function pps_flagged_at(of_chain bigint, of_vault text) returns timestamptz language sql stable as $$
  with newest as (
    select f.kind, f.block_number, f.log_index from facts f
    where f.chain_id = of_chain and f.vault_address = of_vault
    order by f.block_number desc, f.log_index desc limit 1000
  ), reset as (
    select block_number, log_index from newest where kind = 'pps_stale_reset' order by block_number desc, log_index desc limit 1
  )
  select min(b.block_timestamp)
  from newest n
  join blocks b on b.chain_id = of_chain and b.number = n.block_number
  where n.kind in ('pps_stale', 'vault_paused')
    and not exists (select from reset r where (r.block_number, r.log_index) >= (n.block_number, n.log_index))
$$;
