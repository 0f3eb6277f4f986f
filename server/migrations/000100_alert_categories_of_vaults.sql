-- compatible-from: 0.1.0
-- Alerts about a vault's own risk: since when they are watched for, and who asked for all categories, those added later included.

-- What happened before its category was watched for wakes nobody.
create table alert_watches (
  category text primary key,
  since    timestamptz not null default now()
);
insert into alert_watches (category)
  values ('price'), ('losses'), ('liquidity'), ('flows'), ('tvl'), ('governance'), ('allocation');

-- Whoever bound a channel before chose among the categories that there were.
alter table channel_bindings add column is_all_categories boolean not null default false;

-- null: all, those added later included. Endpoints that there are keep those that there were when they were made. Few rows.
alter table webhooks add column alert_categories text[];
update webhooks set alert_categories = array['upkeep', 'pps_staleness', 'keeper_run', 'session_key', 'emergency_pause', 'emergency_exit',
  'merkle', 'execution', 'system'];

-- The first block of a chain that is not older than a moment; null where there is none. Times of blocks never fall, so halves are taken.
create function block_since(of_chain bigint, moment timestamptz) returns bigint
language plpgsql stable as $$
declare
  low bigint;
  high bigint;
  middle bigint;
  seen record;
begin
  select min(number), max(number) into low, high from blocks where chain_id = of_chain;
  if high is null or (select block_timestamp < moment from blocks where chain_id = of_chain and number = high) then
    return null;
  end if;
  while low < high loop
    middle := low + (high - low) / 2;
    -- The newest block up to the middle: not every block is kept.
    select number, block_timestamp into seen from blocks
      where chain_id = of_chain and number <= middle order by number desc limit 1;
    if seen.block_timestamp < moment then
      select number into low from blocks where chain_id = of_chain and number > middle order by number limit 1;
    else
      high := seen.number;
    end if;
  end loop;
  return low;
end $$;
