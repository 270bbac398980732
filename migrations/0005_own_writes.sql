-- Compatible: the version before remembers no writes, so that changes by them are delivered.

-- What Busbar wrote, by which changes that only show it are recognised. Kept for as long as subscriptions' events.
create table own_writes (
  connection_id uuid not null references connections on delete cascade,
  -- The object and the record as the connector names them, in one spelling each.
  object_key text not null,
  record_id text not null,
  operation_id uuid not null,
  type text not null check (type in ('create', 'update', 'delete')),
  -- By the provider's clock: the write happened after `since` and not after `until`.
  since timestamptz not null,
  until timestamptz not null,
  -- Which change of the record it was, as the provider answered. Null: it told none.
  change_time timestamptz,
  -- Hash of each value that was written or derived by the create, by the field's name in lower case.
  fields jsonb not null,
  create_time timestamptz not null default now(),
  primary key (connection_id, object_key, record_id, operation_id, type)
);
create index on own_writes (create_time);

-- Whether changes that only show what Busbar wrote are left out, unless an object says otherwise. Null: they are delivered.
alter table destinations add column own_writes text check (own_writes in ('include', 'exclude'));
