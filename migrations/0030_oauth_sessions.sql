-- Customers who are at a provider's consent page: what to do when they come back. Gone after one use or ten minutes.

create table oauth_sessions (
  id uuid primary key,
  -- SHA-256 of the `state` that travels through the browser.
  state_hash bytea not null unique,
  project_id uuid not null references projects on delete cascade,
  provider text not null,
  provider_app_id uuid not null references provider_apps on delete cascade,
  -- Present when an existing connection is renewed.
  connection_id uuid references connections on delete cascade,
  group_ref text not null,
  group_name text,
  consumer_ref text not null,
  consumer_name text,
  provider_workspace_ref text,
  provider_metadata jsonb not null,
  redirect_uri text not null,
  -- Absent where the provider does not take PKCE.
  code_verifier_sealed text,
  expire_time timestamptz not null
);
create index on oauth_sessions (expire_time);
