-- Compatible: the version before leaves the new table empty, and its acts cannot be undone.

-- What acts of agents changed, so that they can be undone: the fields as they were and as they were written.
create table agent_changes (
  operation_id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  -- What is known of a customer goes with it.
  group_id uuid not null references groups on delete cascade,
  type text not null check (type in ('create', 'update')),
  integration text not null,
  -- The provider's name.
  object_name text not null,
  -- Null for a create: its operation names the record.
  record_id text,
  -- Null for a create.
  before jsonb,
  after jsonb not null
);
create index on agent_changes (project_id, operation_id);
create index on agent_changes (group_id);
