-- concurrently
-- compatible-from: 0.1.0
-- What governance did lately, of all vaults of a chain: alerts look at it with every block.
create index concurrently facts_governance_time on facts (chain_id, block_number, log_index)
  where kind in ('governance', 'primary_manager_proposed', 'primary_manager_change_cancelled', 'primary_manager_changed',
    'secondary_manager_added', 'secondary_manager_removed', 'fee_config_proposed', 'fee_config_updated', 'fee_recipient_changed',
    'role_granted', 'role_revoked', 'ownership_transfer_started', 'ownership_transferred', 'pps_expiration_proposed',
    'pps_expiration_updated', 'pps_expiration_proposal_cancelled', 'min_update_interval_proposed', 'min_update_interval_changed',
    'min_update_interval_cancelled', 'hooks_root_proposed', 'hooks_root_updated');
