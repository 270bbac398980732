-- What builders declare, and where uploads wait until they are deployed.

create table integrations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  provider text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, name)
);

-- The newest revision of an integration is its latest.
create table revisions (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  integration_id uuid not null references integrations on delete cascade,
  spec_version text not null,
  -- json, not jsonb: the order of members is the builder's.
  content json not null,
  create_time timestamptz not null default now()
);
create index on revisions (integration_id, id desc);

create table uploads (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  -- Base64 of the MD5 that was announced; the bytes must match it.
  md5 text,
  content bytea,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null
);
create index on uploads (expire_time);
