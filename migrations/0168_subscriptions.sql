-- Objects whose changes installations subscribe to; the rows follow configuration and manifest.
create table subscriptions (
  id uuid primary key,
  installation_id uuid not null references installations on delete cascade,
  -- As in the manifest.
  object_name text not null,
  project_id uuid not null,
  provider text not null,
  -- The account and the object as the provider's events name them; null: not known yet.
  account_ref text,
  object_key text,
  source text not null check (source in ('webhook', 'journal', 'pubsub', 'polling')),
  state text not null default 'pending' check (state in ('pending', 'active', 'degraded', 'failed', 'disabled')),
  reason text,
  -- The error that was last reported as `subscribe.create.error`; null after a success.
  reported_error text,
  -- When events, the set-up or a reconciliation are due.
  due_time timestamptz default now(),
  -- After a failure: not before this time.
  retry_time timestamptz,
  attempts integer not null default 0,
  claimed_by integer,
  -- A reconciliation that is not over: {since, until, stage, checkpoint}
  reconciliation jsonb,
  received bigint not null default 0,
  delivered bigint not null default 0,
  filtered bigint not null default 0,
  duplicates bigint not null default 0,
  last_event_time timestamptz,
  create_time timestamptz not null default now(),
  unique (installation_id, object_name)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index subscriptions_due on subscriptions (due_time) where due_time is not null and claimed_by is null;
create index subscriptions_claimed on subscriptions (claimed_by) where claimed_by is not null;
create index subscriptions_of_account on subscriptions (project_id, provider, account_ref, object_key);

-- Events as they arrived. They are kept for some days, so that a person can see what became of each.
create table subscription_events (
  -- The same for every installation that gets the event.
  id uuid not null,
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  record_id text not null,
  provider_event_type text not null,
  occurred_time timestamptz not null,
  received_time timestamptz not null default now(),
  -- Hash of what is the same when the provider sends the event again.
  dedupe_key bytea not null,
  -- JSON text as the provider sent it.
  raw text not null,
  -- Null: waits.
  outcome text check (outcome in ('delivered', 'coalesced', 'filtered', 'expired')),
  -- Why it was filtered, or with which event it was coalesced.
  reason text,
  -- The event with which it was delivered.
  message_id uuid,
  end_time timestamptz,
  primary key (installation_id, id)
) with (fillfactor = 80, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.05);
create unique index subscription_events_once on subscription_events (installation_id, dedupe_key);
create index subscription_events_waiting on subscription_events (installation_id, object_name, id) where outcome is null;
create index subscription_events_of_record on subscription_events (installation_id, record_id, id);
create index subscription_events_age on subscription_events (received_time);

-- Installations whose rows of `subscriptions` may be out of date.
create table subscription_syncs (
  installation_id uuid primary key references installations on delete cascade,
  asked_time timestamptz not null default now()
);
create index on subscription_syncs (asked_time);
-- Installations of before the upgrade.
insert into subscription_syncs (installation_id) select id from installations;

-- Processes keep the secrets of provider apps in memory, to check signatures.
create trigger changed after insert or update or delete on provider_apps for each row execute function notify_change();
