-- Compatible: the version before does not write the column; then the time is that of the last process of this version.

-- When a process with the role worker last announced itself: since then, nothing is read or delivered if there is none now.
alter table readiness add column worker_seen_time timestamptz;
