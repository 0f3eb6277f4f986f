-- concurrently
-- compatible-from: 0.1.0
-- The prices of a vault and what its shares stand for within a window, read from the index alone: alerts look at them with every block.
create index concurrently pps_points_window on pps_points (chain_id, vault_address, block_timestamp) include (pps, total_assets, total_supply, block_number, log_index);
