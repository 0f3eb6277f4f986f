-- When this installation could hear: what falls silent is judged by the time in which it would have been heard (features/alerts).
--
-- subject 'reports': reports could be taken in. 'chain:<id>': the chain was caught up to its lag. All times are the service's clock.

-- The newest moment at which it could. A process writes it every two seconds.
create table heartbeats (
  subject           text collate "C" primary key,
  last_at           timestamptz not null
) with (fillfactor = 50);

-- Between two heartbeats that lie too far apart: from the last before to the first after. '-infinity': since ever.
create table listening_gaps (
  subject           text collate "C" not null,
  from_at           timestamptz not null,
  to_at             timestamptz not null,
  primary key (subject, from_at)
);

-- Of databases from before: it listened until its last evaluation, so that what was late then stays late.
insert into heartbeats (subject, last_at)
select s.subject, l.evaluated_at
from alert_lease l
cross join (select 'reports' as subject union all select 'chain:' || chain_id from chains) s
where l.evaluated_at is not null;
