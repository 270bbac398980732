-- Compatible: a new table; the version before goes on storing events before it answers. A process that stops leaves no push.
-- Requests with events, as a provider pushed them. They are answered when they are here, and removed by the transaction that
-- stores their events.
create table received_pushes (
  project_id uuid not null,
  -- Order of arrival, whatever the clocks of the processes say: a number is taken after earlier requests were answered.
  position bigint generated always as identity,
  provider text not null,
  -- The only installation that gets the events; null: every one of their accounts.
  installation_id uuid,
  received_time timestamptz not null default now(),
  size_bytes integer not null,
  body text not null,
  -- Failures to take it apart, and when the next attempt is due.
  attempts integer not null default 0,
  retry_time timestamptz,
  -- Why it was set aside after the last attempt; null: it waits.
  fault text,
  -- No other index and no foreign key: the provider waits for the insert.
  primary key (project_id, position)
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0,
  toast.autovacuum_vacuum_threshold = 2000, toast.autovacuum_vacuum_scale_factor = 0);
-- LZ4 is quicker, where the server has it. The default is not slower than no compression, and writes a tenth to the disk.
do $$
begin
  alter table received_pushes alter column body set compression lz4;
exception when feature_not_supported then
  null;
end
$$;
