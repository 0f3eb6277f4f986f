-- Refuses appends under an isolation level that does not see what was committed while they waited for the log's lock: by such a snapshot an
-- entry continues a log that has grown meanwhile, and takes a seq that is taken. audit_begin() refused this to whoever asks it, which who
-- inserts need not.
create function audit_read_committed() returns trigger language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'the audit log is written under read committed, so that the end of the log is seen after its lock is taken'
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger audit_entries_isolated before insert on audit_entries for each statement execute function audit_read_committed();
