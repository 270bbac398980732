-- Compatible: the version before neither needs the index nor keeps it from being used.

-- What an attempt before may have left unfinished.
drop index if exists writes_tried;

-- Concurrently, because writes are accepted all the time. Writes that have failed before, those under way included, oldest first: they
-- make an installation unhealthy when they wait for long.
create index concurrently writes_tried on writes (installation_id, operation_id) where attempts > 0;

-- Next transaction: it records that the index is there.
