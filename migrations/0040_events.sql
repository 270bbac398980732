-- The outbox: what happened, written in the transaction of what it tells, and sent on from here.

create table events (
  -- UUIDv7, so the rows sort by time and old ones are found by id. It is the message id that receivers see.
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  type text not null,
  -- json, not jsonb: sent on as it was written, without being parsed.
  data json not null,
  create_time timestamptz not null default now(),
  -- When its deliveries were made.
  routed_time timestamptz
);
create index events_unrouted on events (id) where routed_time is null;
