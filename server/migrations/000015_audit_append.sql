-- Checks an append by one walk back from the log's end, over what was inserted and the entry before it. A count of all entries from a
-- place on, as before, the planner believes to be a third of the log, and plans anew for every append.

-- What the newest `length` entries of the log are: the first and the last, the one before them (0: none), and whether in all of these each
-- is one step, and later, than the one before. Whatever `length` is, the index of the log's end is the way, planned once.
create function audit_newest(length bigint, out first_seq bigint, out final_seq bigint, out previous_seq bigint,
  out is_contiguous boolean, out is_later boolean)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
begin
  select min(seq) filter (where n <= length), max(seq), coalesce(min(seq) filter (where n > length), 0),
         coalesce(bool_and(seq = before_seq + 1), true), coalesce(bool_and(recorded_at > before_time), true)
    into first_seq, final_seq, previous_seq, is_contiguous, is_later
    from (
      select seq, row_number() over walk as n, recorded_at, lead(seq) over walk as before_seq, lead(recorded_at) over walk as before_time
        from (select seq, recorded_at from audit_entries order by seq desc limit length + 1) newest
        window walk as (order by seq desc)
    ) steps;
end $$;
revoke execute on function audit_newest(bigint) from public;

-- Refuses entries that do not continue the log; adds full tiles of them to the tree and the counts.
create or replace function audit_appended() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  first_seq bigint;
  final_seq bigint;
  fresh_rows bigint;
  newest record;
  tile bigint;
begin
  perform pg_advisory_xact_lock(8247604153321402);
  select min(seq), max(seq), count(*) into first_seq, final_seq, fresh_rows from fresh;
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
