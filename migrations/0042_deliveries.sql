-- One row per event and destination: what is to be sent, by whom, and what came of it.
-- States and transitions: server/store/deliveries.ts.

-- No foreign keys: deliveries are made in bulk, and a destination may go while its deliveries wait. A sweep removes
-- what belongs to nothing any more.
create table deliveries (
  destination_id uuid not null,
  -- The message id that the receiver sees; one per event, whatever happens to the delivery.
  event_id uuid not null,
  state text not null check (state in ('waiting', 'sending', 'delivered', 'failed')),
  due_time timestamptz not null,
  -- While sending: the worker that has it; see jobs/worker-identity.ts.
  claimed_by integer,
  -- Failed attempts since it was made or resent: the place in the retry schedule.
  failures integer not null default 0,
  -- [{time, durationMs, status?, error?, answer?}], oldest first.
  attempts jsonb not null default '[]',
  primary key (destination_id, event_id)
);
create index deliveries_waiting on deliveries (destination_id, due_time) where state = 'waiting';
create index deliveries_sending on deliveries (claimed_by) where state = 'sending';

-- When the next webhook of a project may leave: what keeps all processes together below the limit per second.
-- No foreign key: a project that goes must not fail the batch it is in.
create table webhook_paces (
  project_id uuid primary key,
  next_time timestamptz not null
);
