-- concurrently
-- compatible-from: 0.1.0
-- Facts of governance that gave a role or took it away: since when somebody holds one is read from them.
create index concurrently facts_governance_roles on facts (chain_id, vault_address)
  where kind = 'governance' and data @? '$.effects[*].role';
