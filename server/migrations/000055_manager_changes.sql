-- concurrently
-- Every kind of fact that changes who manages a vault, the removal of an old primary manager among them.
create index concurrently facts_manager_changes on facts (chain_id, block_number, log_index)
  where kind in ('vault_deployed', 'primary_manager_changed', 'old_primary_manager_removed', 'secondary_manager_added',
                 'secondary_manager_removed', 'ownership_transferred');

drop index concurrently if exists facts_managers;
