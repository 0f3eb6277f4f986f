-- What could not be read is not a state: a node that answers a view with an error of its own says nothing of the contract.
--
-- A row of vault_states holds, for such a field, the last value that was read, and names the field in `unread` with the time (RFC 3339)
-- of the block at which that value was read: {"upkeep": "2026-11-28T09:15:00.000000Z"}. Fields are those of a reading in snake case: pps,
-- total_assets, total_supply, escrowed_assets, free_assets, is_paused, last_pps_update, pps_expiration_seconds, max_staleness_seconds,
-- min_update_interval_seconds, is_pps_stale_flag, hwm_pps, fees, managers, upkeep, merkle, yield_sources, pending_changes.
-- Whoever judges by a field must first ask whether the newest row names it (`unread ? 'upkeep'`): then it is unknown, neither well nor ill.
alter table vault_states add column unread jsonb not null default '{}';
-- The block at which the row's values were read, where nothing at all could be read at the row's own; else null.
alter table vault_states add column as_of_block bigint;
