-- One line per proxied call, written in batches, read by operators, and thrown away when old.

create table proxy_usage (
  id bigint generated always as identity primary key,
  -- When the call began.
  time timestamptz not null,
  -- No foreign keys: a line outlives what it tells of, and a batch must not fail because an installation is gone.
  project_id uuid not null,
  installation_id uuid not null,
  method text not null,
  -- Without the query, which may hold secrets.
  path text not null,
  -- What the caller got; 499 when it left before there was an answer.
  status integer not null,
  duration_ms integer not null,
  bytes_up bigint not null,
  bytes_down bigint not null
);
create index on proxy_usage (project_id, id desc);
create index on proxy_usage (installation_id, id desc);
-- Lines arrive nearly in the order of their time, so a small index finds the old ones.
create index on proxy_usage using brin (time);
