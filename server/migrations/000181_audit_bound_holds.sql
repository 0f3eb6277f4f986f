-- compatible-from: 0.1.0
-- Reads the log once, while others write: with it proven the change after this one reads nothing.
alter table audit_entries validate constraint audit_entries_bound;
