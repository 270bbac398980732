-- Data messages of objects that are delivered on request: stored as events, and routed when they are asked for.
create table held_messages (
  -- The order in which they are delivered.
  seq bigint generated always as identity primary key,
  installation_id uuid not null references installations on delete cascade,
  -- The provider's name, as the manifest spells it.
  object_name text not null,
  event_id uuid not null,
  destination_id uuid not null,
  size_bytes integer not null,
  operation_id uuid not null,
  create_time timestamptz not null default now()
);
create index held_messages_object on held_messages (installation_id, object_name, seq);

-- How many messages of an object are still to be delivered on request.
create table held_credits (
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  pages integer not null,
  primary key (installation_id, object_name)
);
create index held_credits_open on held_credits (installation_id) where pages > 0;
