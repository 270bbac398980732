-- Where no identity provider is set up, people sign in with an API key that was given to them for it.

-- The person whom the key signs in; a key without one opens its project and signs nobody in.
alter table api_keys add column builder_id uuid references builders on delete set null;

-- The first keys of organisations that are there already belong to the owners they were made for. A key with
-- another label may have been made for anything, so it gets no more rights than it had.
update api_keys set builder_id = builders.id
from builders, projects
where projects.id = api_keys.project_id
  and builders.idp_provider = 'busbar'
  and builders.idp_ref = 'bootstrap:' || projects.org_id
  and api_keys.label = 'bootstrap'
  and not exists (
    select 1 from api_keys older join projects of_older on of_older.id = older.project_id
    where of_older.org_id = projects.org_id and older.id < api_keys.id
  );

create table sessions (
  id uuid primary key,
  -- SHA-256 of the token.
  hash bytea not null unique,
  builder_id uuid not null references builders on delete cascade,
  -- The key that opened it: when that goes, so does this.
  api_key_id uuid not null references api_keys on delete cascade,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null
);
create index on sessions (api_key_id);
create index on sessions (builder_id);
create index on sessions (expire_time);
