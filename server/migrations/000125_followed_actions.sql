-- compatible-from: 0.1.0
-- Prepared actions followed to their end.

-- Transactions in which a followed contract of a vault with an open action did something, written with their block: looked into, and gone.
create table prepared_action_candidates (
  chain_id          bigint not null,
  block_number      bigint not null,
  transaction_hash  text not null,
  -- A node that does not tell it is asked again.
  look_at           timestamptz not null default '-infinity',
  primary key (chain_id, block_number, transaction_hash),
  foreign key (chain_id, block_number) references blocks on delete cascade
);

-- What of an action was looked for in blocks that were stored before it, and what came of its Safe's nonce.
create table prepared_action_follows (
  action_id         uuid primary key references prepared_actions on delete cascade,
  enrolled_at       timestamptz not null,
  -- Another transaction of the Safe took the nonce for which it was prepared.
  replaced_at       timestamptz
);

-- A submission that turned out to be another thing than the action.
alter table prepared_action_submissions add column unrelated_at timestamptz;
-- The block in which it reverted.
alter table prepared_action_submissions add column block_number bigint;
alter table prepared_action_submissions add column block_hash text;
-- Who sent it with which nonce, once a node has told.
alter table prepared_action_submissions add column sender text;
alter table prepared_action_submissions add column nonce numeric(78, 0);
alter table prepared_action_submissions add column look_at timestamptz not null default '-infinity';
create index prepared_action_executions_transaction on prepared_action_executions (transaction_hash);
