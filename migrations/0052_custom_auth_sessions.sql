-- Customers in the middle of a provider's own way to connect: what they have done so far. Each answer opens the next
-- session, so a row serves once, ten minutes at most.

create table custom_auth_sessions (
  id uuid primary key,
  -- SHA-256 of the `sessionId` that the caller holds.
  hash bytea not null unique,
  project_id uuid not null references projects on delete cascade,
  provider text not null,
  provider_app_id uuid references provider_apps on delete cascade,
  group_ref text not null,
  group_name text,
  consumer_ref text not null,
  consumer_name text,
  provider_metadata jsonb not null,
  -- Where in the catalog's list of steps the customer is: the redirect they are sent with.
  step integer not null,
  -- JSON: what was entered and brought, with passwords and tokens, and the `state` that must come back.
  progress_sealed text not null,
  expire_time timestamptz not null
);
create index on custom_auth_sessions (expire_time);
