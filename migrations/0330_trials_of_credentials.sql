-- `verified_time`: since when the provider is known to have accepted these credentials; null until then. `trial_time`: when they are tried
-- next, while nothing is known of them. Compatible: the version before leaves both as they are.
alter table connections add column verified_time timestamptz;
alter table connections add column trial_time timestamptz;
alter table connections add column trials integer not null default 0;
update connections set verified_time = coalesce(update_time, create_time) where status = 'working';
create index connections_trial_time on connections (trial_time) where trial_time is not null;
