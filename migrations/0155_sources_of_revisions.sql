-- Manifests as they were sent, with their comments: one row per deployment, because a file declares several integrations.
create table manifest_sources (
  id uuid primary key,
  project_id uuid not null references projects (id) on delete cascade,
  source text not null
);
create index on manifest_sources (project_id);
-- `system` for revisions that were deployed before the author was stored.
alter table revisions
  add column created_by text not null default 'system',
  add column source_id uuid references manifest_sources (id) on delete set null;
create index on revisions (source_id) where source_id is not null;
