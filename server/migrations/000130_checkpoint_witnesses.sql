-- compatible-from: 0.1.0
-- What others vouch for: the cosignatures of witnesses, how each witness stands, what one handed out that the log does not bear out, and
-- which keys sign no more.

-- One of each witness for a checkpoint, as the line that is served below it.
create table audit_cosignatures (
  size              bigint not null,
  -- The witness's key (C2SP vkey form).
  vkey              text not null,
  line              text not null,
  -- By the witness's own clock.
  cosigned_at       timestamptz not null,
  primary key (size, vkey)
);
create index audit_cosignatures_witness on audit_cosignatures (vkey, size);

-- One process at a time offers a witness a checkpoint. What stands between it and us has a kind, and since when.
create table checkpoint_witnesses (
  vkey              text primary key,
  claimed_until     timestamptz not null default '-infinity',
  trouble           text,
  message           text,
  -- A size that it named without a signature.
  told_size         bigint,
  since             timestamptz
);

-- Notes under keys of ours, kept by others, that this log does not begin with: evidence, and why nothing is signed.
create table audit_held_notes (
  note              text primary key,
  held_by           text not null,
  found_at          timestamptz not null default now()
);

-- A key that is replaced goes on signing beside the new one until here.
create table audit_key_retirements (
  vkey              text primary key,
  from_size         bigint not null check (from_size >= 0),
  retired_at        timestamptz not null default now()
);
insert into audit_key_retirements (vkey, from_size)
select vkey, next_size from (
  select vkey, lead(from_size) over (order by from_size, created_at) as next_size from audit_keys
) each_key where next_size is not null;

create trigger audit_cosignatures_keep before update or delete or truncate on audit_cosignatures for each statement execute function audit_refuse();
create trigger audit_held_notes_keep before update or delete or truncate on audit_held_notes for each statement execute function audit_refuse();
create trigger audit_key_retirements_keep before update or delete or truncate on audit_key_retirements for each statement execute function audit_refuse();
alter table audit_cosignatures enable always trigger audit_cosignatures_keep;
alter table audit_held_notes enable always trigger audit_held_notes_keep;
alter table audit_key_retirements enable always trigger audit_key_retirements_keep;
