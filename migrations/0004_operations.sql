-- What was done for whom: operations and the steps of each. They outlive the installation they were done for.

create table operations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  integration_id uuid not null,
  installation_id uuid not null,
  config_id uuid not null,
  action_type text not null,
  object_name text not null,
  status text not null check (status in ('in_progress', 'success', 'failure')),
  result text,
  metadata jsonb not null default '{}',
  create_time timestamptz not null default now(),
  update_time timestamptz
);
create index on operations (installation_id, id desc);

create table operation_logs (
  id uuid primary key,
  operation_id uuid not null references operations on delete cascade,
  severity text not null,
  message jsonb not null,
  create_time timestamptz not null default now()
);
create index on operation_logs (operation_id, id);
