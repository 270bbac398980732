-- Data messages: events on their way to one fixed destination, without routes.
alter table events add column destination_id uuid;
-- Retention finds data messages without reading the events between them.
create index events_data on events (id) where destination_id is not null;

-- Both copied from the event, so that routing and counting read this small table only.
alter table unrouted_events
  add column destination_id uuid,
  add column size_bytes integer not null default 0;
create index unrouted_events_destination on unrouted_events (destination_id) where destination_id is not null;
