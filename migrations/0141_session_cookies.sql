-- Sessions in a browser's cookie, of people who signed in with a key or at the issuer.
alter table sessions
  add column kind text not null default 'token' check (kind in ('token', 'cookie')),
  -- Of people who signed in at the issuer, with the address that it had verified; then there is no key.
  add column issuer text,
  add column email text,
  add column user_agent text,
  add column last_used_time timestamptz not null default now(),
  alter column api_key_id drop not null,
  add check ((api_key_id is null) <> (issuer is null));

-- What a browser that went to the issuer has to bring back. The cookie holds the secret.
create table sign_in_attempts (
  state_hash bytea primary key,
  browser_hash bytea not null,
  return_to text not null,
  expire_time timestamptz not null
);
create index on sign_in_attempts (expire_time);
