-- Requests that were refused although their credential and project were valid. The id is the request id.
create table refused_requests (
  id uuid primary key,
  project_id uuid not null references projects (id) on delete cascade,
  method text not null,
  path text not null,
  operation_id text,
  status integer not null,
  slug text not null,
  detail text not null,
  api_key_id uuid,
  builder_id uuid
);
create index on refused_requests (project_id, id desc);
