-- Lists of events: newest first, by type. Data messages are not listed; they are found as deliveries.
create index events_listed on events (project_id, type, id) where destination_id is null;

-- Events that routing sent nowhere, and what was missing. A row of its own costs less than an update of the event, and
-- only events without a delivery have one. No foreign key: retention removes the rows by age.
create table events_nowhere (
  project_id uuid not null,
  event_id uuid not null,
  missing text not null check (missing in ('topic', 'destination')),
  primary key (project_id, event_id)
);

-- Deliveries that wait or have failed are few among very many: lists and counts of them read this index only.
drop index deliveries_failed;
create index deliveries_open on deliveries (destination_id, state, event_id) where state in ('waiting', 'failed');
