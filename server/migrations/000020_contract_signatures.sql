-- A contract's signature counts on its chain alone, so what it makes reaches that chain's vaults alone. Null: a key's, or made before 0.2,
-- when what had signed was not kept.
alter table webhooks add column limited_to_chain_id bigint;
alter table notification_channels add column limited_to_chain_id bigint;
