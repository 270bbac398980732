-- Who there is: organisations, the people in them, projects and the keys that open projects.

create table organizations (
  id uuid primary key,
  label text not null,
  default_team_id uuid not null,
  create_time timestamptz not null default now(),
  update_time timestamptz
);

create table builders (
  id uuid primary key,
  idp_provider text not null,
  idp_ref text not null,
  first_name text,
  last_name text,
  full_name text,
  primary_email text,
  create_time timestamptz not null default now(),
  unique (idp_provider, idp_ref)
);

create table memberships (
  org_id uuid not null references organizations on delete cascade,
  builder_id uuid not null references builders on delete cascade,
  role text not null check (role in ('owner', 'editor')),
  create_time timestamptz not null default now(),
  primary key (org_id, builder_id)
);

-- The name is an address (`/projects/{projectIdOrName}`), hence unique everywhere and stored in lower case.
create table projects (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  name text not null unique check (name = lower(name)),
  app_name text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz
);

-- Only the SHA-256 of a key is kept: it can be recognised, not read.
create table api_keys (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  hash bytea not null unique,
  label text not null,
  scopes text[] not null,
  active boolean not null default true,
  create_time timestamptz not null default now(),
  update_time timestamptz
);
create index on api_keys (project_id);
