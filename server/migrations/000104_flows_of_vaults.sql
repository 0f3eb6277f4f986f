-- concurrently
-- compatible-from: 0.1.0
-- Deposits, withdrawals and made shares of all vaults of a chain lately: alerts look at them with every block.
create index concurrently facts_flows_time on facts (chain_id, block_number, tx_index)
  where kind in ('deposit', 'withdraw', 'shares_minted');
