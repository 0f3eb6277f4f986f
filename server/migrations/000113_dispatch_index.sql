-- concurrently
-- compatible-from: 0.1.0
-- What bots may yet be told of: looked for with every evaluation.
create index concurrently alerts_undispatched on alerts (area) where resolved_at is null and dispatched_at is null and severity = 'critical';
