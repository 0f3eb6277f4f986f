-- compatible-from: 0.1.0
-- Where each stream of the audit log to a SIEM stands. One process at a time sends; what it sends after is written under its own name.
create table log_streams (
  name              text primary key,
  -- The receiver has taken every entry up to here.
  taken_seq         bigint not null default 0 check (taken_seq >= 0),
  holder            uuid,
  claimed_until     timestamptz not null default '-infinity',
  -- Attempts without success since the last one, and until when none is made.
  failures          integer not null default 0,
  not_before        timestamptz not null default '-infinity',
  -- Why it does not go on, and since when.
  trouble           text,
  message           text,
  since             timestamptz,
  -- Entries that were too large for the receiver, and went without their content.
  omitted_count     bigint not null default 0,
  omitted_seq       bigint,
  omitted_at        timestamptz
);
