-- A consent stays after its end, so that failures can be listed and tried again; the state exists only while the customer is
-- at the provider's page. Consents that are open during the migration have to be begun again.
drop table oauth_sessions;
create table consents (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'finishing', 'succeeded', 'failed')),
  provider text not null,
  provider_app_id uuid not null references provider_apps on delete cascade,
  -- The connection to give new credentials; after a success, the connection made.
  connection_id uuid references connections on delete cascade,
  group_ref text not null,
  group_name text,
  consumer_ref text not null,
  consumer_name text,
  provider_workspace_ref text,
  provider_metadata jsonb not null,
  -- Digest of the token in the address that the API returned.
  begin_hash bytea not null unique,
  -- Digest of the cookie of the browser that continued; only that one can end the consent.
  browser_hash bytea,
  state_hash bytea unique,
  redirect_uri text,
  code_verifier_sealed text,
  -- Why it failed: a code, what the customer was told, and what the builder should know.
  reason text,
  message text,
  detail text,
  open_time timestamptz,
  leave_time timestamptz,
  end_time timestamptz,
  expire_time timestamptz not null,
  create_time timestamptz not null default now()
);
create index on consents (project_id, id);
create index on consents (provider_app_id);
create index on consents (connection_id);
