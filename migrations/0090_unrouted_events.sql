-- Events whose deliveries have not been made yet, in a queue of their own: marking the event itself would write its
-- whole row, data included, once more.
create table unrouted_events (
  event_id uuid primary key
);
insert into unrouted_events select id from events where routed_time is null;
drop index events_unrouted;
alter table events drop column routed_time;
