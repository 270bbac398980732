-- Until when a key is valid, and who created it; keys of before do not say.
alter table api_keys
  add column expire_time timestamptz,
  add column created_by text;

-- Apart from the keys: a change of a key's row makes all processes forget the key.
create table api_key_uses (
  api_key_id uuid primary key references api_keys on delete cascade,
  last_used_time timestamptz not null
);
