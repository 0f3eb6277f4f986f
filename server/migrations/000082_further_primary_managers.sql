-- compatible-from: 0.1.0
-- Of families in which several roles manage as primary (owner and curator): what a reading told of the others.
alter table manager_readings add column further_primary text[] not null default '{}';
