-- compatible-from: 0.1.0
-- Partitions of the log by seq: each holds entries from one seq to another, so that whole ones can be archived. What was there before is the
-- first of them as it is, with its own partitions by year: nothing is rewritten, and nothing is read.

-- Which there are. Of an archived one the rows have lost their texts: they are in an archive, and the tree has their hashes.
create table audit_partitions (
  from_seq          bigint primary key check (from_seq > 0),
  -- The first that is not in it.
  to_seq            bigint not null unique,
  name              text not null unique,
  archived_at       timestamptz,
  check (to_seq > from_seq)
);

lock table audit_entries in access exclusive mode;
drop trigger audit_entries_appended on audit_entries;
drop trigger audit_entries_isolated on audit_entries;
drop trigger audit_entries_keep on audit_entries;

-- The names go to the new table's.
do $$
declare
  part record;
begin
  for part in select c.relname::text as name from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = 'audit_entries'::regclass loop
    execute format('alter index %I rename to %I', part.name, replace(part.name, 'audit_entries', 'audit_entries_first'));
  end loop;
end $$;
alter table audit_entries rename to audit_entries_first;

create table audit_entries (
  -- 1, 2, 3, … in the order of commits. The log is partitioned by it.
  seq               bigint not null constraint audit_entries_seq_check check (seq > 0),
  -- Of an onchain operation it is derived from chain, block hash, log index and action, so that one cannot be written twice.
  id                uuid not null,
  -- The place in time that the log is ordered by: recorded_at, or the block's time for history.
  "timestamp"       timestamptz not null,
  recorded_at       timestamptz not null,
  -- When it happened: the block's time, else recorded_at.
  occurred_at       timestamptz not null,
  action_type       text collate "C" not null,
  vault_address     text collate "C" not null,
  chain_id          bigint not null constraint audit_entries_chain_id_check check (chain_id >= 0),
  actor_wallet      text collate "C" not null,
  -- The entry as the API serves it, in RFC 8785 form: what is served is what was hashed. Of an archived one what else is looked up in it.
  body              text collate "C" not null,
  primary key (seq, occurred_at)
) partition by range (seq);
-- Who might do what may do it still: the previous release goes on beside this.
do $$
declare
  held record;
begin
  for held in select grantee, privilege_type from pg_class, aclexplode(relacl)
    where oid = 'audit_entries_first'::regclass and grantee <> relowner
  loop
    execute format('grant %s on audit_entries to %s', held.privilege_type,
      case when held.grantee = 0 then 'public' else held.grantee::regrole::text end);
  end loop;
end $$;
create index audit_entries_time on audit_entries ("timestamp", seq);
create index audit_entries_vault_time on audit_entries (vault_address, chain_id, "timestamp", seq);
create index audit_entries_vault_action_time on audit_entries (vault_address, chain_id, action_type, "timestamp", seq);
create index audit_entries_vault_block_time on audit_entries (vault_address, chain_id, occurred_at, seq);
create index audit_entries_vault_seq on audit_entries (vault_address, chain_id, seq);
create index audit_entries_actor_time on audit_entries (actor_wallet, "timestamp", seq);
create index audit_entries_action_time on audit_entries (action_type, "timestamp", seq);
create index audit_entries_actor_seq on audit_entries (actor_wallet, seq);
create index audit_entries_action_seq on audit_entries (action_type, seq);

-- Puts a table in as a partition. Its rows must be proven to be within the bounds by a constraint of its own, or they are all read.
create function audit_attach(part text, first_seq bigint, end_seq bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  leaf regclass;
begin
  execute format('alter table audit_entries attach partition %I for values from (%s) to (%s)', part, first_seq, end_seq);
  -- TRUNCATE needs a guard on each: only triggers for each row are passed on. What is passed on is not passed on as "always".
  for leaf in select relid from pg_partition_tree(part::regclass) loop
    if not exists (select from pg_trigger where tgrelid = leaf and tgname = 'audit_entries_keep_all') then
      execute format('create trigger audit_entries_keep_all before truncate on %s for each statement execute function audit_refuse()', leaf);
    end if;
    execute format('alter table %s enable always trigger audit_entries_keep_all', leaf);
    if exists (select from pg_trigger where tgrelid = leaf and tgname = 'audit_entries_keep') then
      execute format('alter table %s enable always trigger audit_entries_keep', leaf);
    end if;
  end loop;
end $$;
revoke execute on function audit_attach(text, bigint, bigint) from public;

-- Makes a partition of entries from one seq to before another, which keeps others from nothing.
create function audit_make_partition(first_seq bigint, end_seq bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  part constant text := 'audit_entries_from_' || first_seq;
begin
  execute format('create table %I (like audit_entries including constraints including indexes)', part);
  -- The guard against a second recording, within a partition; across them it is audit_appended().
  execute format('alter table %I add unique (occurred_at, id)', part);
  execute format('alter table %I add check (seq >= %s::bigint and seq < %s::bigint)', part, first_seq, end_seq);
  perform audit_attach(part, first_seq, end_seq);
  insert into audit_partitions (from_seq, to_seq, name) values (first_seq, end_seq, part);
end $$;
revoke execute on function audit_make_partition(bigint, bigint) from public;

-- Has room for entries up to a seq, for a writer of many: as wide as the newest partition, or as wide as it takes.
create function audit_make_room(last_seq bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  newest record;
begin
  lock table audit_partitions in share row exclusive mode;
  select from_seq, to_seq into newest from audit_partitions order by from_seq desc limit 1;
  if newest.to_seq <= last_seq then
    perform audit_make_partition(newest.to_seq, greatest(newest.to_seq + newest.to_seq - newest.from_seq, last_seq + 1));
  end if;
end $$;
revoke execute on function audit_make_room(bigint) from public;

-- Makes partitions ahead, so wide: two after the one that is filled. Empty ones of another width make way, where no one is in the way.
create function audit_ensure_partitions(entries bigint) returns void
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '300ms' as $$
declare
  end_of_log bigint;
  part record;
  top bigint;
begin
  lock table audit_partitions in share row exclusive mode;
  select coalesce((select seq from audit_entries order by seq desc limit 1), 0) into end_of_log;
  if exists (select from audit_partitions where from_seq > end_of_log and to_seq - from_seq <> entries) then
    begin
      -- Nothing is appended meanwhile.
      lock table audit_entries in access exclusive mode;
      select coalesce((select seq from audit_entries order by seq desc limit 1), 0) into end_of_log;
      for part in select name from audit_partitions where from_seq > end_of_log order by from_seq desc loop
        execute format('alter table audit_entries detach partition %I', part.name);
        execute format('drop table %I', part.name);
        delete from audit_partitions where name = part.name;
      end loop;
    exception when lock_not_available then null;
    end;
  end if;
  select coalesce(max(to_seq), 1) into top from audit_partitions;
  while top <= end_of_log + 2 * entries loop
    perform audit_make_partition(top, top + entries);
    top := top + entries;
  end loop;
end $$;
revoke execute on function audit_ensure_partitions(bigint) from public;

-- As releases before call it.
create or replace function audit_ensure_partitions() returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if (select max(to_seq) from audit_partitions) <= coalesce((select seq from audit_entries order by seq desc limit 1), 0) + 2000000 then
    perform audit_ensure_partitions(1000000);
  end if;
end $$;
drop function audit_add_partition(text, text);

-- Whether one of these entries was written before, under another seq: a look into each partition. Whatever their number is, its index is the way.
create function audit_is_recorded(times timestamptz[], ids uuid[], seqs bigint[]) returns boolean
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  return exists (
    select from unnest(times, ids, seqs) fresh (time, id, seq)
      join audit_entries e on e.occurred_at = fresh.time and e.id = fresh.id and e.seq <> fresh.seq);
end $$;
revoke execute on function audit_is_recorded(timestamptz[], uuid[], bigint[]) from public;

-- Refuses entries that do not continue the log, or that were written before; adds full tiles of them to the tree and the counts.
create or replace function audit_appended() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  first_seq bigint;
  final_seq bigint;
  fresh_rows bigint;
  times timestamptz[];
  ids uuid[];
  seqs bigint[];
  newest record;
  tile bigint;
begin
  perform pg_advisory_xact_lock(8247604153321402);
  select min(seq), max(seq), count(*), array_agg(occurred_at), array_agg(id), array_agg(seq) into first_seq, final_seq, fresh_rows, times, ids, seqs from fresh;
  if fresh_rows = 0 then
    return null;
  end if;
  -- Each of the newest is one step after the next, so none is there twice: when as many of them as were inserted begin and end where
  -- what was inserted does, they are all that was, and nothing else stands there.
  newest := audit_newest(fresh_rows);
  if not newest.is_contiguous or newest.first_seq <> first_seq or newest.final_seq <> final_seq
    or first_seq <> newest.previous_seq + 1 or final_seq - first_seq + 1 <> fresh_rows
  then
    raise exception 'entries % to % do not continue the audit log', first_seq, final_seq
      using errcode = 'integrity_constraint_violation';
  end if;
  if not newest.is_later then
    raise exception 'recorded_at does not increase from entry % on', first_seq using errcode = 'integrity_constraint_violation';
  end if;
  if audit_is_recorded(times, ids, seqs) then
    raise exception 'one of the entries % to % was recorded before', first_seq, final_seq using errcode = 'unique_violation';
  end if;

  -- The tree so far: the last full tile of every level must be there.
  for depth in 0 .. 6 loop
    tile := (first_seq - 1 >> 8 * (depth + 1)) - 1;
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

-- The past, if there is one: its own guards went with the names, and come back with those of the whole.
do $$
declare
  bound bigint;
begin
  if exists (select from audit_entries_first) then
    select (regexp_match(pg_get_constraintdef(oid), '(\d{7,})'))[1]::bigint into strict bound
      from pg_constraint where conrelid = 'audit_entries_first'::regclass and conname = 'audit_entries_bound';
    execute format('alter table audit_entries attach partition audit_entries_first for values from (minvalue) to (%s)', bound);
    insert into audit_partitions (from_seq, to_seq, name) values (1, bound, 'audit_entries_first');
  else
    drop table audit_entries_first;
  end if;
end $$;

create trigger audit_entries_isolated before insert on audit_entries for each statement execute function audit_read_committed();
create trigger audit_entries_appended after insert on audit_entries
  referencing new table as fresh for each statement execute function audit_appended();
create trigger audit_entries_keep before update or delete on audit_entries for each row execute function audit_refuse();
create trigger audit_entries_keep_all before truncate on audit_entries for each statement execute function audit_refuse();
do $$
declare
  leaf regclass;
begin
  for leaf in select relid from pg_partition_tree('audit_entries') loop
    execute format('alter table %s enable always trigger audit_entries_keep', leaf);
    execute format('alter table %s enable always trigger audit_entries_keep_all', leaf);
  end loop;
end $$;
select audit_ensure_partitions(1000000);
