-- compatible-from: 0.1.0
-- When an entry was written that says what was told of it later, so that none is written twice.
alter table chain_gaps add column told_at timestamptz;
