-- Changes are found by reading, too: after a gap (reconciliation), and where nothing reports them (polling).
alter table subscriptions rename column reconciliation to walk;
alter table subscriptions
  -- A reconciliation that was requested and has not begun: since when, and why.
  add column reconcile_since timestamptz,
  add column reconcile_reason text,
  -- The last reconciliation that ended: {since, until, reason, found, error?, endTime}
  add column reconciled jsonb,
  -- Of polled subscriptions: changes and deletions are known until these times; when the next turn is due.
  add column polled_until timestamptz,
  add column deletions_until timestamptz,
  add column polls integer not null default 0,
  add column poll_time timestamptz;

alter table subscription_events
  -- Of events that were found by reading; null: the provider reported it.
  add column found_type text check (found_type in ('create', 'update', 'delete')),
  -- Fingerprint of the delivered record; all zero: it was gone.
  add column delivered_hash bytea;

-- Until when pushes were certainly accepted; one row.
create table push_watch (
  id integer primary key default 1 check (id = 1),
  alive_time timestamptz not null
);
