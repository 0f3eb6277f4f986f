-- concurrently
-- compatible-from: 0.1.0
-- Whether something that happened once was told before.
create index concurrently alerts_over on alerts (chain_id, vault_address, category, subject) where resolved_at is not null;
