-- Compatible: the version before reads neither the table nor the column, and a process of it keeps a new shard from getting customers.

-- Databases that have the data tables of some customers, beside the first one, which has no row here (docs/decisions/0045).
create table shards (
  id uuid primary key,
  -- Name that `groups.shard` has.
  name text not null unique,
  url_sealed text not null,
  -- Replication slot in this database. The subscription in the shard has the same name, by which the two recognise each other.
  slot text not null unique,
  -- Share of new customers.
  weight integer not null check (weight >= 0),
  state text not null check (state in ('adding', 'opening', 'active', 'draining', 'removing', 'failed')),
  state_time timestamptz not null default now(),
  -- What the state waits for, or why it failed.
  detail text,
  create_time timestamptz not null default now()
);
create trigger changed after insert or delete or update on shards for each row execute function notify_change();

-- Shards that a process has opened; null for one of a version that knows none.
alter table processes add column shards text[];
