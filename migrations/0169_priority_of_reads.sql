-- The queue of reads in the order in which it is read: an index on a boolean expression gives no order where it is false.
drop index read_runs_due;
create index read_runs_due on read_runs (project_id, (case when kind = 'backfill' then 1 else 0 end), due_time, seq)
  where claimed_by is null;
