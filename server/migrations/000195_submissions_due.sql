-- concurrently
-- compatible-from: 0.1.0
-- What is looked after, and what reverted in a block that may be undone: both are asked for every two seconds.
create index concurrently prepared_action_submissions_due on prepared_action_submissions (look_at) where transaction_hash is not null and num_nonnulls(failed_at, replaced_at, unrelated_at) = 0;
create index concurrently prepared_action_submissions_failed on prepared_action_submissions (block_number) where failed_at is not null;
