-- Compatible: a new table and a wider check; the version before counts the messages that it makes itself, and shows the new word as it is.
-- Messages with changes that no receiver has accepted yet, and how many events each reports. The first acceptance removes the
-- row and counts its events; a row whose message is gone tells that it was given up.
create table undelivered_changes (
  message_id uuid primary key,
  installation_id uuid not null references installations (id) on delete cascade,
  object_name text not null,
  events integer not null
);
create index undelivered_changes_of_installation on undelivered_changes (installation_id);

alter table subscription_events drop constraint subscription_events_outcome_check;
alter table subscription_events add constraint subscription_events_outcome_check
  check (outcome in ('delivered', 'coalesced', 'filtered', 'repeated', 'expired')) not valid;
