-- A journal is a stream of events, too: one of a provider app, with the changes of all accounts that are connected by it. Its
-- `selected` have the account in front of the object's key.
alter table event_streams drop constraint event_streams_pkey;
alter table event_streams
  alter column connection_id drop not null,
  add column provider_app_id uuid references provider_apps on delete cascade;
alter table event_streams
  add column id uuid generated always as (coalesce(connection_id, provider_app_id)) stored primary key;
create unique index on event_streams (connection_id);
create unique index on event_streams (provider_app_id);

alter table subscriptions
  -- Of the source `journal`: the app whose journal is read, and what the journal must report.
  add column journal_app_id uuid references provider_apps on delete set null,
  add column journal_wish jsonb;
create index subscriptions_of_journal on subscriptions (journal_app_id) where journal_app_id is not null;
