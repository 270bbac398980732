-- Compatible: the version before neither needs the index nor keeps it from being used.

-- The last failed attempt of each destination. During an outage most of what waits was never tried, and is not in it.
create index deliveries_last_failure on deliveries (destination_id, (attempts -> -1 ->> 'time')) where state in ('waiting', 'failed') and failures > 0;
