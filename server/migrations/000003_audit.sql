-- The audit log: entries, the tree over them, the counts that totals are read from, checkpoints and public keys.
--
-- Guarantee: an entry is inserted once and never changed. The application's role may insert entries, checkpoints and keys
-- and read everything; tree and counts are written by the trigger below, as the owner, in the transaction of the entries.
-- Whoever inserts, the trigger refuses entries that do not continue the log: `seq` contiguous, `recorded_at` increasing.

create table audit_entries (
  -- 1, 2, 3, … in the order of commits.
  seq               bigint not null check (seq > 0),
  -- Of an onchain operation it is derived from chain, block hash, log index and action, so that one cannot be written twice.
  id                uuid not null,
  -- The place in time that the log is ordered by: recorded_at, or the block's time for history.
  "timestamp"       timestamptz not null,
  recorded_at       timestamptz not null,
  -- When it happened: the block's time, else recorded_at. The log is partitioned by it.
  occurred_at       timestamptz not null,
  action_type       text collate "C" not null,
  vault_address     text collate "C" not null,
  chain_id          bigint not null check (chain_id >= 0),
  actor_wallet      text collate "C" not null,
  -- The entry as the API serves it, in RFC 8785 form: what is served is what was hashed.
  body              text collate "C" not null,
  primary key (seq, occurred_at),
  -- The guard against a second recording, and the order by block time.
  unique (occurred_at, id)
) partition by range (occurred_at);

create index audit_entries_time on audit_entries ("timestamp", seq);
create index audit_entries_vault_time on audit_entries (vault_address, chain_id, "timestamp", seq);
create index audit_entries_vault_action_time on audit_entries (vault_address, chain_id, action_type, "timestamp", seq);
create index audit_entries_vault_block_time on audit_entries (vault_address, chain_id, occurred_at, seq);
create index audit_entries_vault_seq on audit_entries (vault_address, chain_id, seq);
create index audit_entries_actor_time on audit_entries (actor_wallet, "timestamp", seq);
create index audit_entries_action_time on audit_entries (action_type, "timestamp", seq);

-- Full tiles of the Merkle tree (RFC 9162 hashing, tiles of height 8): tile `index` of level 0 holds the hashes of the 256
-- leaves from 256 × index on, one of level n the roots of 256 tiles of level n − 1. What is not yet a full tile is
-- computed from the entries.
create table audit_tiles (
  level             smallint not null check (level >= 0),
  index             bigint not null check (index >= 0),
  hashes            bytea not null check (octet_length(hashes) = 8192),
  root              bytea not null check (octet_length(root) = 32),
  primary key (level, index)
);
-- Hashes do not compress.
alter table audit_tiles alter column hashes set storage external;

-- How many entries there are, by place, actor and action, per stretch of time. `bucket` = Unix seconds >> level, for levels 13 (2.3
-- hours; for one vault 16, 18 hours), 20 (12 days) and 63 (all of it). The place is one vault, a whole chain ('*'), or everything
-- ('*', −1); actor '' is anyone. A named actor is counted by vault only, and not at all while he has few entries: see audit_actors.
-- Entries are added here tile by tile: what is not yet in a full tile of the tree, at most 255 entries, is counted by reading it.
-- Axis 0 counts by `timestamp`; axis 1 holds what to add to it to count by `occurred_at`.
create table audit_counts (
  actor_wallet      text collate "C" not null,
  level             smallint not null,
  chain_id          bigint not null,
  vault_address     text collate "C" not null,
  axis              smallint not null,
  bucket            bigint not null,
  action_type       text collate "C" not null,
  n                 bigint not null,
  primary key (actor_wallet, level, chain_id, vault_address, axis, bucket, action_type)
) with (fillfactor = 70);

-- Entries per actor, full tiles alone. Up to 1,024 are counted by reading them; beyond, `is_counted`, the actor has rows in
-- audit_counts.
create table audit_actors (
  actor_wallet      text collate "C" primary key,
  n                 bigint not null,
  is_counted        boolean not null default false
) with (fillfactor = 70);

-- Signed checkpoints (C2SP tlog-checkpoint notes) of the tree at `size`.
create table audit_checkpoints (
  size              bigint primary key check (size >= 0),
  root              bytea not null check (octet_length(root) = 32),
  note              text not null,
  created_at        timestamptz not null default now()
);

-- Public keys (C2SP vkey form) that checkpoints are signed with, each from the tree size on at which it was first used.
create table audit_keys (
  vkey              text primary key,
  from_size         bigint not null check (from_size >= 0),
  created_at        timestamptz not null default now()
);

-- ---- append-only ------------------------------------------------------------------------------------------------

create function audit_refuse() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'insufficient_privilege';
end $$;

-- Row triggers are passed on to partitions, statement triggers are not: TRUNCATE needs one on each (audit_add_partition).
create trigger audit_entries_keep before update or delete on audit_entries for each row execute function audit_refuse();
create trigger audit_entries_keep_all before truncate on audit_entries for each statement execute function audit_refuse();
create trigger audit_tiles_keep before update or delete or truncate on audit_tiles for each statement execute function audit_refuse();
create trigger audit_checkpoints_keep before update or delete or truncate on audit_checkpoints for each statement execute function audit_refuse();
create trigger audit_keys_keep before update or delete or truncate on audit_keys for each statement execute function audit_refuse();
create trigger audit_counts_keep before delete or truncate on audit_counts for each statement execute function audit_refuse();
create trigger audit_actors_keep before delete or truncate on audit_actors for each statement execute function audit_refuse();
-- Replication settings of a session do not switch them off.
alter table audit_entries enable always trigger audit_entries_keep;
alter table audit_entries enable always trigger audit_entries_keep_all;
alter table audit_tiles enable always trigger audit_tiles_keep;
alter table audit_checkpoints enable always trigger audit_checkpoints_keep;
alter table audit_keys enable always trigger audit_keys_keep;

-- ---- partitions -------------------------------------------------------------------------------------------------

-- One partition per year, one for all that is older than last year, one for what lies beyond the years made ahead.
create function audit_add_partition(name text, bounds text) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  execute format('create table %I partition of audit_entries %s', name, bounds);
  execute format('create trigger audit_entries_keep_all before truncate on %I for each statement execute function audit_refuse()', name);
  execute format('alter table %I enable always trigger audit_entries_keep_all', name);
  execute format('alter table %I enable always trigger audit_entries_keep', name);
end $$;
revoke execute on function audit_add_partition(text, text) from public;

-- Makes the partitions up to next year. The application calls it at start and daily; a year that was never made ahead is
-- kept in audit_entries_later, in which case it cannot be split off any more and stays there.
create function audit_ensure_partitions() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  this_year constant int := extract(year from now() at time zone 'UTC');
begin
  for y in this_year .. this_year + 1 loop
    if to_regclass('audit_entries_' || y) is null then
      begin
        perform audit_add_partition('audit_entries_' || y, format('for values from (%L) to (%L)',
          make_timestamptz(y, 1, 1, 0, 0, 0, 'UTC'), make_timestamptz(y + 1, 1, 1, 0, 0, 0, 'UTC')));
      exception
        when check_violation or duplicate_table then null;
      end;
    end if;
  end loop;
end $$;
revoke execute on function audit_ensure_partitions() from public;

do $$
declare
  last_year constant int := extract(year from now() at time zone 'UTC')::int - 1;
begin
  perform audit_add_partition('audit_entries_earlier',
    format('for values from (minvalue) to (%L)', make_timestamptz(last_year, 1, 1, 0, 0, 0, 'UTC')));
  perform audit_add_partition('audit_entries_' || last_year, format('for values from (%L) to (%L)',
    make_timestamptz(last_year, 1, 1, 0, 0, 0, 'UTC'), make_timestamptz(last_year + 1, 1, 1, 0, 0, 0, 'UTC')));
  perform audit_add_partition('audit_entries_later', 'default');
  perform audit_ensure_partitions();
end $$;

-- ---- appending --------------------------------------------------------------------------------------------------

-- Takes the log's lock until the end of the transaction and says where the log stands. Times in microseconds.
create function audit_begin(out last_seq bigint, out last_recorded bigint, out now_us bigint) language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the audit log is written under read committed, so that the end of the log is seen after its lock is taken';
  end if;
  perform pg_advisory_xact_lock(8247604153321402);
  select seq, (extract(epoch from recorded_at) * 1000000)::bigint into last_seq, last_recorded
    from audit_entries order by seq desc limit 1;
  last_seq := coalesce(last_seq, 0);
  last_recorded := coalesce(last_recorded, 0);
  now_us := (extract(epoch from clock_timestamp()) * 1000000)::bigint;
end $$;
revoke execute on function audit_begin() from public;

-- Stores a full tile and, when it is the last of its parent, the parent.
create function audit_store_tile(at_level smallint, at_index bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  tile bytea;
  node bytea;
  parts bigint;
begin
  if at_level = 0 then
    select count(*), string_agg(sha256('\x00'::bytea || convert_to(body, 'UTF8')), ''::bytea order by seq) into parts, tile
      from audit_entries where seq > at_index * 256 and seq <= at_index * 256 + 256;
  else
    select count(*), string_agg(root, ''::bytea order by index) into parts, tile
      from audit_tiles where level = at_level - 1 and index between at_index * 256 and at_index * 256 + 255;
  end if;
  if parts <> 256 then
    raise exception 'the audit tree cannot be read: tile % of level % has % of 256 parts', at_index, at_level, parts
      using errcode = 'data_corrupted';
  end if;
  node := tile;
  while octet_length(node) > 32 loop
    select string_agg(sha256('\x01'::bytea || substr(node, i * 64 + 1, 64)), ''::bytea order by i) into node
      from generate_series(0, octet_length(node) / 64 - 1) i;
  end loop;
  insert into audit_tiles (level, index, hashes, root) values (at_level, at_index, tile, node);
  if at_index % 256 = 255 then
    perform audit_store_tile((at_level + 1)::smallint, at_index / 256);
  end if;
end $$;
revoke execute on function audit_store_tile(smallint, bigint) from public;

-- Adds the entries after `after_seq` up to `to_seq` to the counts.
create function audit_count(after_seq bigint, to_seq bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  counted text[];
  promoted text[];
begin
  with touched as (
    insert into audit_actors as a (actor_wallet, n)
    select actor_wallet, count(*) from audit_entries where seq > after_seq and seq <= to_seq group by 1 order by 1
    on conflict (actor_wallet) do update set n = a.n + excluded.n
    returning actor_wallet, n, is_counted
  )
  select array_agg(actor_wallet) filter (where is_counted), array_agg(actor_wallet) filter (where not is_counted and n > 1024)
    into counted, promoted from touched;
  if promoted is not null then
    update audit_actors set is_counted = true where actor_wallet = any(promoted);
  end if;

  insert into audit_counts as c (actor_wallet, level, chain_id, vault_address, axis, bucket, action_type, n)
  select actor, depth, place.chain, place.vault, axis, bucket >> (depth - 13), action, sum(n)
  from (
    select actor, chain_id, vault_address, action, moved.axis, moved.bucket, sum(moved.n)::bigint as n
    from (
      select actor, chain_id, vault_address, action,
             floor(date_part('epoch', t))::bigint >> 13 as served, floor(date_part('epoch', o))::bigint >> 13 as happened, count(*) as n
      from (
        select e.chain_id, e.vault_address, e.action_type as action, e."timestamp" as t, e.occurred_at as o, who.actor
          from audit_entries e
          cross join lateral (select '' as actor union all select e.actor_wallet where e.actor_wallet = any(counted)) who
          where seq > after_seq and seq <= to_seq
        union all
        select chain_id, vault_address, action_type, "timestamp", occurred_at, actor_wallet
          from audit_entries where actor_wallet = any(promoted) and seq <= to_seq
      ) sources
      group by 1, 2, 3, 4, 5, 6
    ) buckets
    cross join lateral (values (0, served, n), (1, happened, n), (1, served, -n)) moved (axis, bucket, n)
    where moved.axis = 0 or served <> happened
    group by 1, 2, 3, 4, 5, 6
  ) finest
  cross join lateral (values (vault_address, chain_id, 16), ('*', chain_id, 13), ('*', -1::bigint, 13)) place (vault, chain, fine)
  cross join lateral (values (place.fine), (20), (63)) depths (depth)
  where actor = '' or place.vault <> '*'
  group by 1, 2, 3, 4, 5, 6, 7
  having sum(n) <> 0
  order by 1, 2, 3, 4, 5, 6, 7
  on conflict (actor_wallet, level, chain_id, vault_address, axis, bucket, action_type) do update set n = c.n + excluded.n;
end $$;
revoke execute on function audit_count(bigint, bigint) from public;

-- Refuses entries that do not continue the log; adds full tiles of them to the tree and the counts.
create function audit_appended() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  first_seq bigint;
  final_seq bigint;
  fresh_rows bigint;
  previous_seq bigint;
  previous_time timestamptz;
  is_sound boolean;
  tile bigint;
begin
  perform pg_advisory_xact_lock(8247604153321402);
  select min(seq), max(seq), count(*) into first_seq, final_seq, fresh_rows from fresh;
  if fresh_rows = 0 then
    return null;
  end if;
  select seq, recorded_at into previous_seq, previous_time from audit_entries where seq < first_seq order by seq desc limit 1;
  select count(*) = fresh_rows into is_sound from audit_entries where seq >= first_seq;
  if first_seq <> coalesce(previous_seq, 0) + 1 or final_seq - first_seq + 1 <> fresh_rows or not is_sound then
    raise exception 'entries % to % do not continue the audit log, which ends at %', first_seq, final_seq, coalesce(previous_seq, 0)
      using errcode = 'integrity_constraint_violation';
  end if;
  select bool_and(recorded_at > before) into is_sound
    from (select recorded_at, lag(recorded_at, 1, coalesce(previous_time, '-infinity')) over (order by seq) as before from fresh) steps;
  if not is_sound then
    raise exception 'recorded_at does not increase from entry % on', first_seq using errcode = 'integrity_constraint_violation';
  end if;

  -- The tree so far: the last full tile of every level must be there.
  for depth in 0 .. 6 loop
    tile := (first_seq - 1) / (256 ^ (depth + 1))::bigint - 1;
    exit when tile < 0;
    if not exists (select from audit_tiles where level = depth and index = tile) then
      raise exception 'the audit tree cannot be read: tile % of level % is missing', tile, depth using errcode = 'data_corrupted';
    end if;
  end loop;

  if final_seq / 256 > (first_seq - 1) / 256 then
    for complete in (first_seq - 1) / 256 .. final_seq / 256 - 1 loop
      perform audit_store_tile(0::smallint, complete);
    end loop;
    perform audit_count((first_seq - 1) / 256 * 256, final_seq / 256 * 256);
  end if;
  perform pg_notify('vaultops_audit', final_seq::text);
  return null;
end $$;
revoke execute on function audit_appended() from public;

create trigger audit_entries_appended after insert on audit_entries
  referencing new table as fresh for each statement execute function audit_appended();
