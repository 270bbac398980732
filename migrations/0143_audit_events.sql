-- Who changed what, and who looked at secrets. No values: only the names of members.
create table audit_events (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  -- Without a reference: the event outlives the project.
  project_id uuid,
  operation_id text not null,
  actor_kind text not null check (actor_kind in ('person', 'apiKey', 'system')),
  actor_id text,
  actor_name text,
  target_kind text,
  target_id text,
  target_name text,
  changed text[] not null default '{}',
  request_id text not null
);
create index on audit_events (org_id, id desc);
create index on audit_events (project_id, id desc);
