-- Vault state, price history, redemption queues and tokens: what the vault feature projects from facts and readings.
--
-- The rule of 000001 holds: what is derived from a block references it with ON DELETE CASCADE, the end of an interval with
-- ON DELETE SET NULL (to_block), so that undoing a reorganisation needs no code here. Each foreign key has its index, or the
-- cascade would scan the table. Quantities are whole numbers in raw units; null means not known, never zero.

-- A vault's state as its contracts answered at a block. The newest row is the state at the head. Rows behind the newest
-- confirmed one of a vault are pruned after a day.
create table vault_states (
  chain_id                    bigint not null,
  block_number                bigint not null,
  vault_address               text not null,
  pps                         numeric(78,0),
  pps_decimals                smallint not null,
  total_assets                numeric(78,0),
  total_supply                numeric(78,0),
  escrowed_assets             numeric(78,0),
  free_assets                 numeric(78,0),
  is_paused                   boolean,
  last_pps_update             timestamptz,
  pps_expiration_seconds      bigint,
  max_staleness_seconds       bigint,
  min_update_interval_seconds bigint,
  is_pps_stale_flag           boolean,
  hwm_pps                     numeric(78,0),
  performance_fee_bps         numeric(78,0),
  management_fee_bps          numeric(78,0),
  fee_recipient               text,
  primary_manager             text,
  secondary_managers          text[] not null default '{}',
  has_upkeep                  boolean not null default false,
  upkeep_balance              numeric(78,0),
  upkeep_required             numeric(78,0),
  upkeep_token                text,
  -- {root, proposed_root, effective_at, is_vetoed}, null where the family knows no hook roots
  merkle                      jsonb,
  -- [{address, oracle, allocation_assets}]
  yield_sources               jsonb not null default '[]',
  -- [{kind, current, proposed, proposer, effective_at}], as far as views tell
  pending_changes             jsonb not null default '[]',
  primary key (chain_id, block_number, vault_address),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index vault_states_vault on vault_states (chain_id, vault_address, block_number);

-- The price per share through time: one row for each onchain update of a vault with a stored price and for each mint or burn
-- that begins or ends its supply, one for each sample of an ERC-4626 vault. pps is null where the vault had no supply: there a
-- history ends and another begins.
create table pps_points (
  chain_id        bigint not null,
  block_number    bigint not null,
  -- of the update's log; 0 for a sample, which stands for the end of its block and is the only point in it
  log_index       integer not null,
  vault_address   text not null,
  block_timestamp timestamptz not null,
  pps             numeric(78,0),
  -- what the contract stores, with or without supply; null for a sample
  stored_pps      numeric(78,0),
  total_assets    numeric(78,0),
  total_supply    numeric(78,0),
  primary key (chain_id, block_number, log_index, vault_address),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index pps_points_vault on pps_points (chain_id, vault_address, block_timestamp, block_number, log_index);
create index pps_points_break on pps_points (chain_id, vault_address, block_timestamp) where pps is null;

-- Shares in existence after the last mint or burn of a block, summed from the vault's first one on. Kept for vaults whose
-- whole life is followed; a point between two readings takes its supply from here.
create table share_supplies (
  chain_id        bigint not null,
  block_number    bigint not null,
  vault_address   text not null,
  -- unbounded: a sum of what events announce, which may be more (or less) than any contract could hold
  total_supply    numeric not null,
  primary key (chain_id, block_number, vault_address),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index share_supplies_vault on share_supplies (chain_id, vault_address, block_number);

-- Every step of the redemption queue. The totals of the controller and of the vault after the step are carried along, so
-- that the queue is read from its newest rows, however long its history.
create table redeem_flows (
  chain_id              bigint not null,
  block_number          bigint not null,
  log_index             integer not null,
  vault_address         text not null,
  controller            text not null,
  kind                  text not null check (kind in ('request', 'claimable', 'claim', 'cancel', 'cancel_claim')),
  shares                numeric(78,0) not null,
  block_timestamp       timestamptz not null,
  requested_shares      numeric not null,
  claimable_shares      numeric not null,
  claimed_shares        numeric not null,
  cancelled_shares      numeric not null,
  cancel_claimed_shares numeric not null,
  -- of the controller, after the step
  pending_shares        numeric not null,
  -- since when the controller has had something pending; null when nothing is
  pending_since         timestamptz,
  -- of the vault, after the step
  vault_pending_shares  numeric not null,
  vault_pending_count   integer not null,
  primary key (chain_id, block_number, log_index),
  foreign key (chain_id, block_number) references blocks on delete cascade
);
create index redeem_flows_vault on redeem_flows (chain_id, vault_address, block_number, log_index);
create index redeem_flows_controller on redeem_flows (chain_id, vault_address, controller, block_number, log_index);

-- What holds from one block to another. One log begins one interval at most.
--   pause           subject 'vault'           data {"by": "<address>" | null}
--   yield_source    subject the source        data {"oracle": "<address>"}
--   pending_change  subject the kind          data {"proposed": …, "proposer": "<address>" | null, "effective_at": "<RFC 3339>" | null}
create table vault_intervals (
  chain_id        bigint not null,
  from_block      bigint not null,
  from_log_index  integer not null,
  vault_address   text not null,
  kind            text not null check (kind in ('pause', 'yield_source', 'pending_change')),
  subject         text not null,
  data            jsonb not null,
  -- The time of the block, or of an earlier interval that this one continues; null where that was never seen.
  since           timestamptz,
  to_block        bigint,
  primary key (chain_id, from_block, from_log_index),
  foreign key (chain_id, from_block) references blocks on delete cascade,
  foreign key (chain_id, to_block) references blocks on delete set null (to_block)
);
create index vault_intervals_vault on vault_intervals (chain_id, vault_address, kind, subject, from_block);
create index vault_intervals_end on vault_intervals (chain_id, to_block);

-- What the engine reports about a vault, its newest word on each matter. Without a row there was no report.
--   pps            {"value": "<raw>", "at": "<RFC 3339>"}
--   emergency_exit {"is_armed": bool, "since": "<RFC 3339>" | null, "by": "<address>" | null}
create table vault_reports (
  chain_id        bigint not null,
  vault_address   text not null,
  kind            text not null check (kind in ('pps', 'emergency_exit')),
  data            jsonb not null,
  reported_at     timestamptz not null,
  primary key (chain_id, vault_address, kind)
);

-- Tokens that a vault holds or pays with. Metadata comes from the chain, logos and missing names from Token Lists.
create table tokens (
  chain_id        bigint not null references chains,
  address         text not null,
  symbol          text,
  name            text,
  decimals        smallint,
  logo_uri        text,
  updated_at      timestamptz not null default now(),
  -- Past prices have been looked for from this block on; null before the first look.
  priced_from_block bigint,
  primary key (chain_id, address)
);

-- The newest answer of the price sources for a token: a price, or why there is none. price_usd_e18 is dollars per whole
-- token × 10^18.
create table token_prices (
  chain_id           bigint not null,
  address            text not null,
  price_usd_e18      numeric,
  source             text,
  -- when the price was right, by its source
  priced_at          timestamptz,
  unavailable_reason text,
  checked_at         timestamptz not null,
  -- From then on the price must have been checked again to be used; null for one that never ages.
  valid_until        timestamptz,
  primary key (chain_id, address),
  foreign key (chain_id, address) references tokens on delete cascade,
  check ((price_usd_e18 is null) = (unavailable_reason is not null))
);

-- Prices through time: the dollar values of history. Of what is checked now a point every ten minutes at most; of the past the
-- rounds of a feed. A price is that of the time from priced_at until the next point, but not past stands_until.
create table price_points (
  chain_id        bigint not null,
  address         text not null,
  priced_at       timestamptz not null,
  stands_until    timestamptz not null,
  price_usd_e18   numeric not null check (price_usd_e18 >= 0),
  source          text not null,
  primary key (chain_id, address, priced_at),
  foreign key (chain_id, address) references tokens on delete cascade
);
