-- Deliveries on their first attempt: what one worker took on when it routed their events. Each becomes a row of
-- `deliveries` when there is something to say of it; then the batch goes. States: server/store/deliveries.ts.
create table delivery_batches (
  id uuid primary key,
  worker_id integer not null,
  create_time timestamptz not null default now(),
  -- Pairs: the first destination gets the first event, and so on.
  destination_ids uuid[] not null,
  event_ids uuid[] not null
);

-- What batches have and nothing has been said of yet.
create view first_deliveries as
  select pair.destination_id, pair.event_id, 'sending' as state, create_time as due_time, '[]'::jsonb as attempts
  from delivery_batches, unnest(destination_ids, event_ids) as pair (destination_id, event_id)
  where not exists (
    select from deliveries
    where deliveries.destination_id = pair.destination_id and deliveries.event_id = pair.event_id
  );

-- Every delivery, wherever it stands.
create view all_deliveries as
  select destination_id, event_id, state, due_time, attempts from deliveries
  union all
  select destination_id, event_id, state, due_time, attempts from first_deliveries;
