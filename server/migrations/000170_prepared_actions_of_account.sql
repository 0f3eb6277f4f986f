-- concurrently
-- compatible-from: 0.1.0
-- How many of an account wait.
create index concurrently prepared_actions_waiting on prepared_actions (account, expires_at);
