-- compatible-from: 0.1.0
-- The log is to be partitioned by seq. What is there stays as it is, whole, as the first partition: up to a bound that lies at least a million
-- entries beyond its end, so that what is appended until the change of 000182 fits.
do $$
begin
  execute format('alter table audit_entries add constraint audit_entries_bound check (seq < %s::bigint) not valid',
    (coalesce((select seq from audit_entries order by seq desc limit 1), 0) / 1000000 + 2) * 1000000 + 1);
end $$;
