-- The processes that share this database: each notes itself every ten seconds, and counts as gone a minute after its last note.
create table processes (
  id                uuid primary key,
  roles             text[] not null,
  release           text not null,
  host              text not null,
  -- The addresses that it listens on, as the configuration names them: host and port.
  listens           text[] not null,
  -- Where it keeps checkpoints of the audit log outside the database: the same for processes that see the same ones.
  checkpoints       text not null,
  seen_at           timestamptz not null
) with (fillfactor = 50);
