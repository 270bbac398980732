-- Compatible: the version before neither needs the index nor keeps it from being used.

-- What an attempt before may have left unfinished.
drop index if exists deliveries_last_failure;

-- Concurrently, because the table may have millions of rows, and their attempts are long. The last failed attempt of each destination:
-- during an outage most of what waits was never tried, and is not in it.
create index concurrently deliveries_last_failure on deliveries (destination_id, (attempts -> -1 ->> 'time')) where state in ('waiting', 'failed') and failures > 0;

-- Next transaction: it records that the index is there.
