-- Providers that builders add to a project. Every process keeps all of them in memory.
create table own_providers (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  -- Begins with x-, which no built-in provider does.
  key text not null,
  -- As the builder sent it: connection data, and the description of the connector.
  document jsonb not null,
  -- Schemes and hosts that get credentials. They never change: a stored credential belongs to them.
  origins text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, key)
);

create trigger changed_parent after insert or update or delete on own_providers
for each row execute function notify_parent_change('own_providers', 'project_id');
