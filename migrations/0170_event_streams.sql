-- Streams of events that Busbar opens at providers: one for a connection, held by one process at a time.
create table event_streams (
  connection_id uuid primary key references connections on delete cascade,
  project_id uuid not null,
  provider text not null,
  -- The name of what was created at the provider for this stream.
  ref text not null,
  topic text not null,
  -- The account as the provider's streaming API names it.
  account_ref text not null,
  -- Keys of the objects that were selected at the provider.
  selected text[] not null default '{}',
  -- Where to resume, opaque; null: the provider has named no position yet.
  position bytea,
  -- When the stream was opened for the first time: earlier events are none of the subscription. Null: not opened yet.
  start_time timestamptz,
  -- When the provider sent something last: everything before it is stored.
  heard_time timestamptz,
  state text not null default 'closed' check (state in ('closed', 'open', 'failed')),
  -- Why it is not open.
  reason text,
  retry_time timestamptz,
  attempts integer not null default 0,
  claimed_by integer,
  create_time timestamptz not null default now()
) with (fillfactor = 50, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index event_streams_claimed on event_streams (claimed_by);
