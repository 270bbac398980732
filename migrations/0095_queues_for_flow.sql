-- What the queue of writes costs when many pass through it.

-- A row of `writes` and one of `operations` changes a few times within a second and then never again: with room on its
-- page the new version stays beside the old one and most indexes need no entry for it.
alter table writes set (fillfactor = 40);
alter table operations set (fillfactor = 40);

-- Nobody looks writes up by their installation.
drop index writes_installation;

-- Tables that are nearly empty however much passes through: vacuumed by what has left, not by what is there.
alter table writes set (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
alter table write_keys set (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
alter table unrouted_events set (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
