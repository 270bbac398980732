-- Operations of a whole project, newest first. No other column: the end of an operation must change no index (HOT).
create index on operations (project_id, id desc);
-- The request that began it: the id in the header X-Request-Id of its answer.
alter table operations add column request_id uuid;

-- The customer and the integration of a deleted installation, whose operations stay listed.
create table removed_installations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  integration_id uuid not null,
  integration_name text not null,
  group_id uuid not null references groups on delete cascade,
  remove_time timestamptz not null default now()
);
create index on removed_installations (project_id, group_id);
create index on removed_installations (remove_time);

-- Nothing is kept of a project that is being deleted.
create function keep_removed_installations() returns trigger language plpgsql as $$
begin
  insert into removed_installations (id, project_id, integration_id, integration_name, group_id)
  select installations.id, installations.project_id, integrations.id, integrations.name, installations.group_id
  from installations join integrations on integrations.id = installations.integration_id
  where case tg_table_name when 'installations' then installations.id = old.id else integrations.id = old.id end
    and exists (select from projects where projects.id = old.project_id)
  on conflict do nothing;
  return old;
end $$;
create trigger kept before delete on installations for each row execute function keep_removed_installations();
create trigger kept before delete on integrations for each row execute function keep_removed_installations();
