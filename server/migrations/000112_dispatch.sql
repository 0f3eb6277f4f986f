-- compatible-from: 0.1.0
-- When an alert's bots were told of it; what fires already is told to none.
alter table alerts add column dispatched_at timestamptz;
update alerts set dispatched_at = started_at where resolved_at is null;
