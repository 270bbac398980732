-- Where events go: event type → topic → destination, both steps as routes that a builder draws.

create table topics (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, name)
);

create table destinations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  type text not null,
  metadata jsonb not null,
  -- One sealed JSON text: what the builder entered and the keys that messages are signed with.
  secrets_sealed text not null,
  -- Counts changes, so that a process sees whether what it has in memory is current.
  version integer not null default 1,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- Nothing is sent while this is set.
  disabled_time timestamptz,
  disabled_reason text,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, name)
);

create table event_topic_routes (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  topic_id uuid not null references topics on delete cascade,
  event_type text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (topic_id, event_type)
);
create index on event_topic_routes (project_id, event_type);

create table topic_destination_routes (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  topic_id uuid not null references topics on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  create_time timestamptz not null default now(),
  unique (topic_id, destination_id)
);
create index on topic_destination_routes (destination_id);

-- Who delivers looks again before it sends to a destination that was changed, disabled or deleted.
create trigger changed after update or delete on destinations for each row execute function notify_change();
