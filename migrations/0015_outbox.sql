-- Compatible: the version before neither reads nor writes the table, and goes on storing events itself.

-- What a change of control tables is to cause in data tables, which may be in another database. The row is committed with the change,
-- carried over at once, and removed. No reference to projects: removing one would wait for the row, and carrying it over for the project.
create table outbox (
  -- Order of the changes: a number is taken while the changed row is locked.
  position bigint generated always as identity primary key,
  project_id uuid not null,
  kind text not null,
  content json not null,
  create_time timestamptz not null default now(),
  -- Of one that cannot be carried over: when to try again, so that it does not hold up the others.
  retry_time timestamptz
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
