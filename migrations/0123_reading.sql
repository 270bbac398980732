-- Objects that installations read, with the settings in force: the rows follow configuration and manifest.
create table read_objects (
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  project_id uuid not null,
  -- The provider account whose records the cursor is about.
  account_ref text not null,
  -- The name in messages.
  message_name text not null,
  destination text not null,
  -- Cron expression; null: none, or the object is disabled.
  schedule text,
  next_tick timestamptz,
  -- A tick came while the object was being read.
  missed_tick boolean not null default false,
  -- Changes up to here have been read.
  cursor_time timestamptz not null,
  -- Without a backfill: records that last changed earlier are not wanted.
  floor_time timestamptz,
  -- Until when a run has looked back by the longer overlap.
  settled_time timestamptz,
  -- Deletions up to here have been read.
  deletions_time timestamptz not null,
  -- {by, note, error, time}
  pause jsonb,
  -- Scheduled runs in a row that failed for a permanent reason.
  failures integer not null default 0,
  failing_since timestamptz,
  primary key (installation_id, object_name)
) with (fillfactor = 70, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index read_objects_due on read_objects (next_tick) where next_tick is not null and pause is null;

-- Installations whose rows of `read_objects` may be out of date.
create table read_syncs (
  installation_id uuid primary key references installations on delete cascade,
  asked_time timestamptz not null default now()
);
create index on read_syncs (asked_time);

-- Reads that are not over, beside their operations.
create table read_runs (
  operation_id uuid primary key references operations on delete cascade,
  seq bigint generated always as identity,
  project_id uuid not null,
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  kind text not null check (kind in ('backfill', 'scheduled', 'triggered')),
  since_time timestamptz,
  until_time timestamptz,
  -- Looks back by the longer overlap.
  settles boolean not null default false,
  stage text not null default 'records' check (stage in ('records', 'deletions')),
  -- Of the connector; null: at the beginning of the stage.
  checkpoint jsonb,
  due_time timestamptz not null default now(),
  -- Failed attempts since the last page.
  attempts integer not null default 0,
  -- When the last page was committed, or the run was made.
  page_time timestamptz not null default now(),
  claimed_by integer
) with (fillfactor = 50, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create unique index read_runs_one on read_runs (installation_id, object_name, kind) where kind <> 'triggered';
create index read_runs_of_object on read_runs (installation_id, object_name, seq);
create index read_runs_due on read_runs (project_id, (kind = 'backfill'), due_time, seq) where claimed_by is null;
create index read_runs_claimed on read_runs (claimed_by) where claimed_by is not null;

-- However a run goes (its installation may be deleted), its operation ends.
create function end_operation_of_run() returns trigger language plpgsql as $$
begin
  update operations set status = 'failure', update_time = now(),
    result = '[' || old.object_name || '] Stopped: the installation was deleted'
  where id = old.operation_id and status = 'in_progress';
  return null;
end
$$;
create trigger ended after delete on read_runs for each row execute function end_operation_of_run();

-- What was delivered lately of each record, so that overlapping reads deliver only what changed.
create table read_fingerprints (
  installation_id uuid not null,
  object_name text not null,
  record_id text not null,
  change_time timestamptz not null,
  hash bytea not null,
  -- When it was committed.
  marked_time timestamptz not null default now(),
  primary key (installation_id, object_name, record_id),
  foreign key (installation_id, object_name) references read_objects on delete cascade
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index on read_fingerprints (installation_id, object_name, change_time);
