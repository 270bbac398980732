-- API keys can be told apart without being known, and customers' tokens are checked with keys that builders register.

-- What is shown of a key after its creation, for example `bb_AbCd…`. Keys from before this have none.
alter table api_keys add column hint text not null default 'bb_…';

create table jwt_keys (
  -- The `kid` in the header of the tokens.
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  label text not null,
  public_key_pem text not null,
  active boolean not null default true,
  create_time timestamptz not null default now(),
  update_time timestamptz not null default now()
);
create index on jwt_keys (project_id);

create trigger changed after update or delete on jwt_keys for each row execute function notify_change();
