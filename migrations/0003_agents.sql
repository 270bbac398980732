-- Compatible: the version before writes no actors, and leaves the new table empty.

-- Who asked for an operation: {kind, id, name?, client?, onBehalfOf?}. Null: Busbar itself, or an earlier version.
alter table operations add column actor jsonb;

-- What agents may do in a project, as the builder sent it. Every tool call reads it, so that a pause stops all of them at once.
create table agent_policies (
  project_id uuid primary key references projects on delete cascade,
  policy jsonb not null,
  update_time timestamptz not null default now()
);
