-- For those who walk by seq through what one actor, or one kind of action, has left.
create index audit_entries_actor_seq on audit_entries (actor_wallet, seq);
create index audit_entries_action_seq on audit_entries (action_type, seq);
