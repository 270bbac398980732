-- An invitation made in a session ends with the API key that the session was opened with, while it is pending.
alter table invites add column api_key_id uuid references api_keys on delete set null;
-- What the person becomes; operators invite owners.
alter table invites add column role text not null default 'editor' check (role in ('owner', 'editor'));
