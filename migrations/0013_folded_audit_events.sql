-- Compatible: the version before writes rows without a key, each on its own.

-- A looping agent is refused for the same reason a thousand times: one row an hour, with their number and the time of the last.
alter table audit_events add column fold_key text;
alter table audit_events add column count integer not null default 1;
alter table audit_events add column last_time timestamptz;
create unique index on audit_events (fold_key) where fold_key is not null;
