-- Schema watch: integrations whose manifest asks for changes of fields, and when their installations are looked at next.
create table schema_watches (
  integration_id uuid primary key references integrations on delete cascade,
  schedule text not null,
  next_time timestamptz not null default now()
);
create index schema_watches_due on schema_watches (next_time);
insert into schema_watches (integration_id, schedule)
select integrations.id, coalesce(nullif(latest.content -> 'watchSchema' ->> 'schedule', ''), '0 */24 * * *')
from integrations cross join lateral (
  select content from revisions where integration_id = integrations.id order by seq desc limit 1
) as latest
where json_typeof(latest.content -> 'watchSchema') = 'object';

-- Installations to look at, one row each, from the tick of the schedule until the look has ended.
create table schema_looks (
  installation_id uuid primary key references installations on delete cascade,
  integration_id uuid not null references integrations on delete cascade,
  -- While a process looks, the time at which another one may take over.
  due_time timestamptz not null,
  attempts integer not null default 0
);
create index schema_looks_due on schema_looks (due_time);
create index schema_looks_integration on schema_looks (integration_id);

-- The fields of an object at the last look.
create table schema_baselines (
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  -- The customer's account; fields of another one are not compared.
  account text not null,
  -- json, not jsonb: read and written as a whole.
  fields json not null,
  version integer not null default 1,
  update_time timestamptz not null default now(),
  primary key (installation_id, object_name)
);
