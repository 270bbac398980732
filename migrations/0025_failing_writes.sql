-- Compatible: the version before neither reads nor writes the table; writes that end in its processes are not counted.

-- Writes of one kind that fail at the provider, or end without anybody knowing how, again and again: a row until the next success.
create table failing_writes (
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  write_type text not null check (write_type in ('create', 'update', 'upsert', 'delete')),
  -- Operations in a row. Those that were refused for what they contain are not among them.
  failures integer not null,
  -- When the first of them ended, and the last.
  since timestamptz not null,
  last_time timestamptz not null,
  -- The last of them, whose result says why.
  operation_id uuid not null,
  primary key (installation_id, object_name, write_type)
);
