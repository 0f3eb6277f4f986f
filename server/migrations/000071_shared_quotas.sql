-- What holds over all processes: requests of a window, and streams that are open.
create table quota_windows (
  name              text not null,
  key               text collate "C" not null,
  used              integer not null,
  ends_at           timestamptz not null,
  primary key (name, key)
) with (fillfactor = 50);
create index quota_windows_ends_at on quota_windows (ends_at);

-- The streams of the audit log that each process serves, by account. A process says every ten seconds that it still does.
create table open_streams (
  process           uuid not null,
  account           text collate "C" not null,
  streams           integer not null,
  seen_at           timestamptz not null,
  primary key (process, account)
) with (fillfactor = 50);
create index open_streams_account on open_streams (account);
