-- What the set-up of a subscription found out.
alter table subscriptions
  -- What a person should know although it is active.
  add column warnings text[] not null default '{}',
  -- The source is one that stands in for another, which could not be set up: when that is tried again.
  add column source_retry_time timestamptz;
