-- Compatible: the version before does not know the table, which is filled by triggers.
-- Connections that were deleted, or that another person has taken over: who had connected for a group is found when it is erased.
create table removed_connections (
  id uuid not null,
  project_id uuid not null references projects on delete cascade,
  group_id uuid not null references groups on delete cascade,
  consumer_id uuid not null references consumers on delete cascade,
  remove_time timestamptz not null default now(),
  primary key (id, consumer_id)
);
create index on removed_connections (group_id);
create index on removed_connections (consumer_id);
create index on removed_connections (project_id);

create function keep_removed_connections() returns trigger language plpgsql as $$
begin
  -- What goes with its project, group or person leaves nothing.
  insert into removed_connections (id, project_id, group_id, consumer_id)
  select old.id, old.project_id, old.group_id, old.consumer_id
  where exists (select from projects where id = old.project_id)
    and exists (select from groups where id = old.group_id)
    and exists (select from consumers where id = old.consumer_id)
  on conflict do nothing;
  return null;
end $$;

create trigger kept after delete on connections for each row execute function keep_removed_connections();
create trigger replaced after update of consumer_id on connections for each row
  when (old.consumer_id is distinct from new.consumer_id) execute function keep_removed_connections();
