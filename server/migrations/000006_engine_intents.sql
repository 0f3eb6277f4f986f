-- Intents with their events and fills, and executed redemptions: what engines report, and what the chain says of the same.
--
-- The rule of 000001 holds for what is derived from blocks. What engines report stays, whatever the chain does. Reports of one
-- vault are written one transaction after another (the lock of the ingest endpoint), so counts kept here need no lock of their own.

-- An intent as the fold of its events (features/engine/intent-fold.ts). An id belongs to the vault that it was first reported for.
create table intents (
  intent_id         text collate "C" primary key,
  chain_id          bigint not null,
  vault_address     text collate "C" not null,
  execution_id      text,
  correlation_id    text,
  strategy_id       text collate "C",
  action            text collate "C",
  state             text collate "C" not null check (state in ('RECEIVED', 'ACKED', 'STAGED', 'PLANNED', 'EXECUTING', 'COMPLETED',
                      'ABORTED', 'EXPIRED', 'FAILED', 'CANCELED')),
  error_code        text collate "C",
  error_message     text,
  total_amount_in   numeric(78,0),
  total_amount_out  numeric(78,0),
  gas_used_total    numeric(78,0),
  fills_count       integer not null default 0,
  last_event_seq    bigint not null,
  created_at        timestamptz not null,
  acked_at          timestamptz,
  executing_at      timestamptz,
  completed_at      timestamptz,
  terminal_at       timestamptz
);
-- One index for each filter that may leave few of many; all in the order of the list. Intents of a period are counted, also by
-- kind, from the vault's index alone.
create index intents_time on intents (created_at, intent_id);
create index intents_vault on intents (chain_id, vault_address, created_at, intent_id) include (state, strategy_id, action);
create index intents_state on intents (chain_id, vault_address, state, created_at, intent_id);
create index intents_strategy on intents (chain_id, vault_address, strategy_id, created_at, intent_id);
create index intents_action on intents (chain_id, vault_address, action, created_at, intent_id);
create index intents_error on intents (chain_id, vault_address, error_code, created_at, intent_id) where error_code is not null;

-- One event for each place `seq` of an intent: a terminal one, else the one with the greater (event_time, event_id).
create table intent_events (
  intent_id         text collate "C" not null references intents,
  seq               bigint not null,
  state             text collate "C" not null,
  event_time        timestamptz not null,
  event_id          text collate "C" not null,
  execution_id      text,
  correlation_id    text,
  strategy_id       text,
  action            text,
  error_code        text,
  error_message     text,
  total_amount_in   numeric(78,0),
  total_amount_out  numeric(78,0),
  gas_used_total    numeric(78,0),
  tx_hash           text collate "C",
  primary key (intent_id, seq)
);
create index intent_events_tx on intent_events (tx_hash) where tx_hash is not null;

-- How many intents there are of each kind; '' stands for none. What the filters of a list leave is summed from here.
create table intent_counts (
  chain_id          bigint not null,
  vault_address     text collate "C" not null,
  strategy_id       text collate "C" not null,
  action            text collate "C" not null,
  state             text collate "C" not null,
  n                 bigint not null,
  primary key (chain_id, vault_address, strategy_id, action, state)
) with (fillfactor = 70);

-- Fills, which may come before the first event of their intent. `chain_id` is where the transaction is, which need not be the
-- vault's chain. Of two reports of a fill the one with the greater (event_time, event_id) stands.
create table intent_fills (
  vault_chain_id    bigint not null,
  vault_address     text collate "C" not null,
  intent_id         text collate "C" not null,
  fill_id           text collate "C" not null,
  chain_id          bigint not null,
  tx_hash           text collate "C" not null,
  token_in          text not null,
  token_out         text not null,
  amount_in         numeric(78,0) not null,
  amount_out        numeric(78,0) not null,
  gas_used          numeric(78,0),
  venue             text,
  fill_time         timestamptz not null,
  event_time        timestamptz not null,
  event_id          text collate "C" not null,
  -- what the chain knows of the transaction (features/engine/fill-tracker.ts)
  onchain           text not null default 'pending' check (onchain in ('pending', 'confirmed', 'missing', 'reorganised')),
  -- where it stands; null while it is in no block
  block_number      bigint,
  block_hash        text,
  is_reverted       boolean,
  was_seen          boolean not null default false,
  -- since when the node has said that it knows no such transaction
  unknown_since     timestamptz,
  -- when to ask the node next; null while nothing but a new block can change the answer
  check_at          timestamptz default now(),
  primary key (vault_chain_id, vault_address, intent_id, fill_id)
);
create index intent_fills_tx on intent_fills (tx_hash);
create index intent_fills_check on intent_fills (chain_id, check_at) where check_at is not null;
create index intent_fills_seen on intent_fills (chain_id, block_number) where onchain = 'pending' and block_number is not null;
create index intent_fills_confirmed on intent_fills (chain_id, block_number) where onchain = 'confirmed';

-- Executed redemptions. A row is what the execution is known by: its id never changes, whether it was reported first or seen first, and
-- through reorganisations. A row that is neither reported (execution_id) nor in a block (redemption_fulfilments) is not shown.
create table redemption_executions (
  id                     uuid primary key default gen_random_uuid(),
  chain_id               bigint not null,
  vault_address          text collate "C" not null,
  execution_id           text collate "C",
  tx_hash                text collate "C",
  -- as reported
  status                 text check (status in ('pending', 'success', 'failed', 'skipped')),
  controllers_count      bigint,
  total_shares_fulfilled numeric(78,0),
  total_assets_out       numeric(78,0),
  pps_at_fulfillment     numeric(78,0),
  -- of the report that stands, and of the one that its tx_hash is from
  event_time             timestamptz,
  event_id               text collate "C",
  tx_event_time          timestamptz,
  tx_event_id            text collate "C",
  -- as reported; of an execution that was only seen onchain, its block's time
  created_at             timestamptz not null,
  first_seen_at          timestamptz not null default clock_timestamp(),
  unique (chain_id, vault_address, execution_id),
  unique (chain_id, vault_address, tx_hash),
  check (execution_id is not null or tx_hash is not null),
  check ((execution_id is null) = (status is null))
);
create index redemption_executions_vault on redemption_executions (chain_id, vault_address, created_at, id);
create index redemption_executions_time on redemption_executions (created_at, id);

-- The onchain part of an execution: all that one transaction fulfilled for one vault. The totals are sums of any number of uint256
-- values, so they have no bound: a contract's log must never be one that a block cannot be stored for.
create table redemption_fulfilments (
  chain_id               bigint not null,
  block_number           bigint not null,
  vault_address          text collate "C" not null,
  tx_hash                text collate "C" not null,
  controllers_count      integer not null,
  total_shares_fulfilled numeric not null,
  -- null where the contract did not say
  total_assets_out       numeric,
  pps_at_fulfillment     numeric(78,0) not null,
  primary key (chain_id, block_number, vault_address, tx_hash),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index redemption_fulfilments_tx on redemption_fulfilments (chain_id, vault_address, tx_hash);

-- What a controller may claim after each step: fulfilments add to it, withdrawals take from it.
create table redeem_claimables (
  chain_id               bigint not null,
  block_number           bigint not null,
  log_index              integer not null,
  vault_address          text collate "C" not null,
  controller             text collate "C" not null,
  claimable_shares       numeric not null,
  claimable_assets       numeric not null,
  primary key (chain_id, block_number, log_index),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index redeem_claimables_controller on redeem_claimables (chain_id, vault_address, controller, block_number, log_index);
