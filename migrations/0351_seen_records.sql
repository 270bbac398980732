-- Compatible: a new table; the version before reads on without it, and what it reads is not in the trace of a record.
-- Which records a data message contains, and which of a page were left out, in 16 bytes a record: `server/ground/pack-seen.ts`
-- explains them. A message's row is removed with the message.
create table seen_records (
  -- Of a message: its id.
  id uuid primary key,
  installation_id uuid not null references installations (id) on delete cascade,
  object_name text not null,
  -- Null: a message with changes.
  operation_id uuid,
  is_message boolean not null,
  entries bytea not null
);
-- They are not compressible, and searched as a whole.
alter table seen_records alter column entries set storage external;
create index seen_records_of_installation on seen_records (installation_id, id);
