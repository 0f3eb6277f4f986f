-- Since when a source's past is filled in without a break, and from which block: how fast it goes.
alter table sources add column filling_from bigint, add column filling_since timestamptz;
