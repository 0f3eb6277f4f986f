-- compatible-from: 0.1.0
-- Actions that were prepared for somebody to sign elsewhere: calls, and what they are expected to do. Nothing in here could sign anything.
create table prepared_actions (
  id                uuid primary key,
  chain_id          bigint not null,
  vault_address     text not null,
  family            text not null,
  action            text not null,
  parameters        jsonb not null,
  -- Whose it is: the wallet, and the account under which it is served (a contract's is that of its chain alone).
  wallet            text not null,
  account           text not null,
  -- Who has to send the calls, and what stands there: eoa, safe or contract.
  from_address      text not null,
  from_kind         text not null check (from_kind in ('eoa', 'safe', 'contract')),
  from_version      text,
  safe_nonce        numeric(78, 0),
  preconditions     jsonb not null,
  -- As served; null where the node does not simulate, and then the reason.
  simulation        jsonb,
  simulation_unavailable_reason text,
  -- The block as of which all of it was found; it may be gone.
  block_number      bigint not null,
  block_hash        text not null,
  created_at        timestamptz not null,
  expires_at        timestamptz not null,
  foreign key (chain_id, vault_address) references vaults on delete cascade
);
create index prepared_actions_of_account on prepared_actions (chain_id, vault_address, account, created_at desc, id);
create index prepared_actions_open on prepared_actions (chain_id, expires_at);

-- What has to be called, in that order.
create table prepared_action_calls (
  action_id         uuid not null references prepared_actions on delete cascade,
  position          integer not null,
  target            text not null,
  value             numeric(78, 0) not null,
  -- Lower case.
  data              text not null,
  function          text not null,
  arguments         jsonb not null,
  primary key (action_id, position)
);
create index prepared_action_calls_target on prepared_action_calls (target);

-- The events of followed contracts that the simulation foretold for these calls, in order: lower case, but for the emitter (EIP-55).
create table prepared_action_events (
  action_id         uuid not null references prepared_actions on delete cascade,
  position          integer not null,
  emitter           text not null,
  topics            text[] not null,
  data              text not null,
  -- What differs when the calls are made later: numbers of topics, and of 32-byte words of the data, from 0.
  moving_topics     integer[] not null default '{}',
  moving_words      integer[] not null default '{}',
  -- Even the length differs: nothing can be said of the data.
  is_data_moving    boolean not null default false,
  primary key (action_id, position)
);
create index prepared_action_events_topic on prepared_action_events (emitter, (topics[1]));

-- What the one who signed elsewhere told of it: a transaction or a Safe transaction.
create table prepared_action_submissions (
  action_id         uuid not null references prepared_actions on delete cascade,
  position          integer not null,
  transaction_hash  text,
  safe_tx_hash      text,
  submitted_at      timestamptz not null,
  -- Where a receipt says so: it reverted; or another transaction took its nonce.
  failed_at         timestamptz,
  replaced_at       timestamptz,
  check (num_nonnulls(transaction_hash, safe_tx_hash) = 1),
  primary key (action_id, position),
  unique (action_id, transaction_hash),
  unique (action_id, safe_tx_hash)
);
create index prepared_action_submissions_transaction on prepared_action_submissions (transaction_hash);

-- The transaction that did it. Gone with its block in a reorganisation, and the action is where it was before.
create table prepared_action_executions (
  action_id         uuid not null references prepared_actions on delete cascade,
  chain_id          bigint not null,
  block_number      bigint not null,
  transaction_hash  text not null,
  -- Of the facts of the transaction that were foretold.
  log_indexes       integer[] not null,
  executed_at       timestamptz not null,
  primary key (action_id),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index prepared_action_executions_block on prepared_action_executions (chain_id, block_number);
