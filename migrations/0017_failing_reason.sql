-- Compatible: the version before neither reads nor writes the column, so it may leave the reason of an earlier outage.

-- Why the first attempt since `failing_since` failed.
alter table destinations add column failing_reason text;
