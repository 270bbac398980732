-- The builder's customers: groups, the people who connect, their connections and installations.

create table groups (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  group_ref text not null,
  group_name text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, group_ref)
);

create table consumers (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  consumer_ref text not null,
  consumer_name text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, consumer_ref)
);

create table provider_apps (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  provider text not null,
  external_ref text,
  client_id text not null,
  client_secret_sealed text not null,
  scopes text[] not null default '{}',
  metadata jsonb not null default '{}',
  create_time timestamptz not null default now(),
  update_time timestamptz
);
create index on provider_apps (project_id, provider);

create table connections (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  provider text not null,
  group_id uuid not null references groups on delete cascade,
  consumer_id uuid not null references consumers on delete cascade,
  provider_app_id uuid references provider_apps on delete set null,
  -- The true scheme, for example `custom`; the API shows what its enumeration can say.
  auth_scheme text not null,
  status text not null check (status in ('created', 'working', 'bad_credentials')),
  provider_workspace_ref text,
  provider_consumer_ref text,
  provider_metadata jsonb not null default '{}',
  -- One sealed JSON text holding all secrets of the connection.
  credentials_sealed text not null,
  -- Outside the seal, so that what is about to expire can be found.
  access_expire_time timestamptz,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, group_id, provider)
);

create table installations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  integration_id uuid not null references integrations on delete cascade,
  group_id uuid not null references groups on delete cascade,
  connection_id uuid not null references connections,
  created_by text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (integration_id, group_id)
);
create index on installations (project_id);
create index on installations (connection_id);

-- Every configuration an installation has had; the newest is the one in force.
create table configs (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  installation_id uuid not null references installations on delete cascade,
  revision_id uuid not null references revisions on delete cascade,
  content json not null,
  created_by text not null,
  create_time timestamptz not null default now()
);
create index on configs (installation_id, id desc);
