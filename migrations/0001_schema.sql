-- The schema of the first release. A later change is a migration of its own beside this file: CONTRIBUTING.md.

create sequence worker_ids as integer;

-- However a run goes (its installation may be deleted), its operation ends.
create function end_operation_of_run() returns trigger language plpgsql as $$
begin
  update operations set status = 'failure', update_time = now(),
    result = '[' || old.object_name || '] Stopped: the installation was deleted'
  where id = old.operation_id and status = 'in_progress';
  return null;
end
$$;

create function keep_removed_connections() returns trigger language plpgsql as $$
begin
  -- What goes with its project, group or person leaves nothing.
  insert into removed_connections (id, project_id, group_id, consumer_id)
  select old.id, old.project_id, old.group_id, old.consumer_id
  where exists (select from projects where id = old.project_id)
    and exists (select from groups where id = old.group_id)
    and exists (select from consumers where id = old.consumer_id)
  on conflict do nothing;
  return null;
end $$;

-- Nothing is kept of a project that is being deleted.
create function keep_removed_installations() returns trigger language plpgsql as $$
begin
  insert into removed_installations (id, project_id, integration_id, integration_name, group_id)
  select installations.id, installations.project_id, integrations.id, integrations.name, installations.group_id
  from installations join integrations on integrations.id = installations.integration_id
  where case tg_table_name when 'installations' then installations.id = old.id else integrations.id = old.id end
    and exists (select from projects where projects.id = old.project_id)
  on conflict do nothing;
  return old;
end $$;

create function note_state_time() returns trigger language plpgsql as $$
begin
  new.state_time := now();
  return new;
end $$;

create function notify_change() returns trigger language plpgsql as $$
declare
  changed record := case when tg_op = 'DELETE' then old else new end;
begin
  perform pg_notify('busbar_changes', json_build_object('table', tg_table_name, 'id', changed.id)::text);
  return null;
end
$$;

create function notify_gate() returns trigger language plpgsql as $$
begin
  perform pg_notify('busbar_changes', json_build_object('table', 'connection_gates', 'id', new.connection_id)::text);
  return null;
end
$$;

create function notify_parent_change() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  perform pg_notify('busbar_changes', json_build_object('table', tg_argv[0], 'id', changed ->> tg_argv[1])::text);
  return null;
end
$$;

create table builders (
  id uuid primary key,
  idp_provider text not null,
  idp_ref text not null,
  first_name text,
  last_name text,
  full_name text,
  primary_email text,
  create_time timestamptz not null default now(),
  unique (idp_provider, idp_ref)
);

-- No foreign keys: deliveries are made in bulk, and a destination may go while its deliveries wait. A sweep removes
-- what belongs to nothing any more.
create table deliveries (
  destination_id uuid not null,
  -- The message id that the receiver sees; one per event, whatever happens to the delivery.
  event_id uuid not null,
  state text not null check (state in ('waiting', 'sending', 'delivered', 'failed')),
  due_time timestamptz not null,
  -- While sending: the worker that has it; see jobs/worker-identity.ts.
  claimed_by integer,
  -- Failed attempts since it was made or resent: the place in the retry schedule.
  failures integer not null default 0,
  -- [{time, durationMs, status?, error?, answer?}], oldest first.
  attempts jsonb not null default '[]',
  primary key (destination_id, event_id)
);
create index deliveries_open on deliveries (destination_id, state, event_id) where state in ('waiting', 'failed');
create index deliveries_sending on deliveries (claimed_by) where state = 'sending';
create index deliveries_waiting on deliveries (destination_id, due_time) where state = 'waiting';

-- Deliveries on their first attempt: what one worker took on when it routed their events. Each becomes a row of
-- `deliveries` when there is something to say of it; then the batch goes. States: server/store/deliveries/deliveries.ts.
create table delivery_batches (
  id uuid primary key,
  worker_id integer not null,
  create_time timestamptz not null default now(),
  -- Pairs: the first destination gets the first event, and so on.
  destination_ids uuid[] not null,
  event_ids uuid[] not null
);

-- Events that routing sent nowhere, and what was missing. A row of its own costs less than an update of the event, and
-- only events without a delivery have one. No foreign key: retention removes the rows by age.
create table events_nowhere (
  project_id uuid not null,
  event_id uuid not null,
  missing text not null check (missing in ('topic', 'destination')),
  primary key (project_id, event_id)
);

create table organizations (
  id uuid primary key,
  label text not null,
  default_team_id uuid not null,
  create_time timestamptz not null default now(),
  update_time timestamptz
);

-- Who changed what, and who looked at secrets. No values: only the names of members.
create table audit_events (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  -- Without a reference: the event outlives the project.
  project_id uuid,
  operation_id text not null,
  actor_kind text not null check (actor_kind in ('person', 'apiKey', 'system')),
  actor_id text,
  actor_name text,
  target_kind text,
  target_id text,
  target_name text,
  changed text[] not null default '{}',
  request_id text not null,
  actor_group text
);
create index on audit_events (org_id, id desc);
create index on audit_events (project_id, id desc);

create table claimed_domains (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  -- ASCII, in lower case. One organisation has it.
  domain text not null unique check (domain = lower(domain)),
  create_time timestamptz not null default now()
);
create index on claimed_domains (org_id);

create table memberships (
  org_id uuid not null references organizations on delete cascade,
  builder_id uuid not null references builders on delete cascade,
  role text not null check (role in ('viewer', 'support', 'editor', 'owner')),
  create_time timestamptz not null default now(),
  primary key (org_id, builder_id)
);

-- The processes that run on this database, for `GET /v1/system`. Each renews its row; work never depends on it.
create table processes (
  id integer primary key,
  version text not null,
  roles text[] not null,
  start_time timestamptz not null,
  last_seen_time timestamptz not null default now()
);

-- The name is an address (`/projects/{projectIdOrName}`), hence unique everywhere and stored in lower case.
create table projects (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  name text not null unique check (name = lower(name)),
  app_name text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  -- Whether writes that inherit a mapping send mapped fields only.
  drop_unmapped_fields boolean not null default false,
  -- Projects that serve real customers: people are asked once more before they change something.
  production boolean not null default false
);
create trigger changed after delete or update on projects for each row execute function notify_change();

-- Only the SHA-256 of a key is kept: it can be recognised, not read.
create table api_keys (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  hash bytea not null unique,
  label text not null,
  scopes text[] not null,
  active boolean not null default true,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  -- What is shown of a key after its creation, for example `bb_AbCd…`.
  hint text not null default 'bb_…',
  -- The person whom the key signs in; a key without one opens its project and signs nobody in.
  builder_id uuid references builders on delete set null,
  expire_time timestamptz,
  created_by text,
  allowed_addresses text[] not null default '{}',
  requests_per_second double precision,
  burst integer
);
create index on api_keys (project_id);
create trigger changed after delete or update on api_keys for each row execute function notify_change();

-- Apart from the keys: a change of a key's row makes all processes forget the key.
create table api_key_uses (
  api_key_id uuid primary key references api_keys on delete cascade,
  last_used_time timestamptz not null
);

create table consumers (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  consumer_ref text not null,
  consumer_name text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, consumer_ref)
);
create trigger changed after update of consumer_name on consumers for each row
  when (old.consumer_name is distinct from new.consumer_name) execute function notify_change();

create table destinations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  type text not null,
  metadata jsonb not null,
  -- One sealed JSON text: what the builder entered and the keys that messages are signed with.
  secrets_sealed text not null,
  -- Counts changes, so that a process sees whether what it has in memory is current.
  version integer not null default 1,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- Nothing is sent while this is set.
  disabled_time timestamptz,
  disabled_reason text,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, name)
);
-- Who delivers looks again before it sends to a destination that was changed, disabled or deleted.
create trigger changed after delete or update on destinations for each row execute function notify_change();

create table events (
  -- UUIDv7, so the rows sort by time and old ones are found by id. It is the message id that receivers see.
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  type text not null,
  -- json, not jsonb: sent on as it was written, without being parsed.
  data json not null,
  create_time timestamptz not null default now(),
  -- Data messages: events on their way to one fixed destination, without routes.
  destination_id uuid,
  traceparent text
);
alter table events alter column data set storage external;
-- Retention reads the data messages of one destination, because their project may keep them for a shorter time.
create index events_data_of_destination on events (destination_id, id) where destination_id is not null;
-- Lists of events: newest first, by type. Data messages are not listed; they are found as deliveries.
create index events_listed on events (project_id, type, id) where destination_id is null;

create table groups (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  group_ref text not null,
  group_name text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  -- Up to this event, an erasure of the group that takes several requests has looked; null: none has begun.
  erased_until_event uuid,
  unique (project_id, group_ref)
);
create trigger changed after update of group_name on groups for each row
  when (old.group_name is distinct from new.group_name) execute function notify_change();

create table idempotency_keys (
  project_id uuid not null references projects on delete cascade,
  key text not null,
  -- SHA-256 of method, path and body.
  request_hash bytea not null,
  -- The operation that the request was to become, known before it exists.
  operation_id uuid not null,
  claimed_by integer not null,
  -- The first answer, once there is one.
  status integer,
  body jsonb,
  create_time timestamptz not null default now(),
  -- The keys at the provider are those of the first request with the builder's key; null in rows of an earlier version.
  first_operation_id uuid,
  primary key (project_id, key)
);
create index on idempotency_keys (create_time);

create table integrations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  provider text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, name)
);
create trigger changed after delete or update on integrations for each row execute function notify_change();
create trigger kept before delete on integrations for each row execute function keep_removed_installations();

create table invites (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  -- In lower case.
  invited_email text not null,
  -- Expired ones are pending ones whose time has passed.
  status text not null default 'pending' check (status in ('pending', 'accepted', 'revoked')),
  create_time timestamptz not null default now(),
  update_time timestamptz,
  expire_time timestamptz not null default (now() + '7 days'::interval),
  -- An invitation made in a session ends with the API key that the session was opened with, while it is pending.
  api_key_id uuid references api_keys on delete set null,
  -- What the person becomes; operators invite owners.
  role text not null default 'editor' check (role in ('viewer', 'support', 'editor', 'owner'))
);
create unique index invites_one_pending on invites (org_id, invited_email) where status = 'pending';

create table jwt_keys (
  -- The `kid` in the header of the tokens.
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  label text not null,
  public_key_pem text not null,
  active boolean not null default true,
  create_time timestamptz not null default now(),
  update_time timestamptz not null default now()
);
create index on jwt_keys (project_id);
create trigger changed after delete or update on jwt_keys for each row execute function notify_change();

-- Manifests as they were sent, with their comments: one row per deployment, because a file declares several integrations.
create table manifest_sources (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  source text not null
);
create index on manifest_sources (project_id);

create table operations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  integration_id uuid not null,
  installation_id uuid not null,
  config_id uuid not null,
  action_type text not null,
  object_name text not null,
  status text not null check (status in ('in_progress', 'success', 'failure')),
  result text,
  metadata jsonb not null default '{}',
  create_time timestamptz not null default now(),
  update_time timestamptz,
  -- Synchronous writes are executed by the process that took the request; if it dies, somebody ends them.
  claimed_by integer,
  -- [{time, severity, msg, error?, details?}], oldest first.
  log jsonb not null default '[]',
  -- The request that began it: the id in the header X-Request-Id of its answer.
  request_id uuid
) with (fillfactor = 40);
create index operations_claimed on operations (claimed_by) where claimed_by is not null;
create index on operations (installation_id, id desc);
-- Operations of a whole project, newest first. No other column: the end of an operation must change no index (HOT).
create index on operations (project_id, id desc);

-- Providers that builders add to a project. Every process keeps all of them in memory.
create table own_providers (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  -- Begins with x-, which no built-in provider does.
  key text not null,
  -- As the builder sent it: connection data, and the description of the connector.
  document jsonb not null,
  -- Schemes and hosts that get credentials. They never change: a stored credential belongs to them.
  origins text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, key)
);
create trigger changed_parent after insert or delete or update on own_providers for each row
  execute function notify_parent_change('own_providers', 'project_id');

create table project_retention (
  project_id uuid not null references projects on delete cascade,
  kind text not null,
  days double precision not null,
  primary key (project_id, kind)
);

create table provider_apps (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  provider text not null,
  external_ref text,
  client_id text not null,
  client_secret_sealed text not null,
  scopes text[] not null default '{}',
  metadata jsonb not null default '{}',
  create_time timestamptz not null default now(),
  update_time timestamptz
);
create index on provider_apps (project_id, provider);
-- Processes keep the secrets of provider apps in memory, to check signatures.
create trigger changed after insert or delete or update on provider_apps for each row execute function notify_change();

create table connections (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  provider text not null,
  group_id uuid not null references groups on delete cascade,
  consumer_id uuid not null references consumers on delete cascade,
  provider_app_id uuid references provider_apps on delete set null,
  -- The true scheme, for example `custom`; the API shows what its enumeration can say.
  auth_scheme text not null,
  status text not null check (status in ('created', 'working', 'bad_credentials')),
  provider_workspace_ref text,
  provider_consumer_ref text,
  provider_metadata jsonb not null default '{}',
  -- One sealed JSON text holding all secrets of the connection.
  credentials_sealed text not null,
  -- Outside the seal, so that what is about to expire can be found.
  access_expire_time timestamptz,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  -- Since when the provider is known to have accepted these credentials; null until then.
  verified_time timestamptz,
  -- When they are tried next, while nothing is known of them.
  trial_time timestamptz,
  trials integer not null default 0,
  unique (project_id, group_id, provider)
);
create index on connections (group_id);
-- Lists of connections and installations, newest first, and all that one customer has.
create index on connections (project_id, id desc);
create index connections_trial_time on connections (trial_time) where trial_time is not null;
create trigger changed after delete or update on connections for each row execute function notify_change();
create trigger kept after delete on connections for each row execute function keep_removed_connections();
create trigger replaced after update of consumer_id on connections for each row
  when (old.consumer_id is distinct from new.consumer_id) execute function keep_removed_connections();

create table connection_doubts (
  connection_id uuid primary key references connections on delete cascade,
  -- Tells the credentials in doubt from those that come after them.
  mark text not null,
  -- The first refusal since which nothing got in.
  since timestamptz not null
);
create trigger changed_parent after insert or delete on connection_doubts for each row
  execute function notify_parent_change('connection_doubts', 'connection_id');

-- Connections whose provider said wait.
create table connection_gates (
  connection_id uuid primary key references connections on delete cascade,
  closed_until timestamptz not null,
  retryable boolean not null
);
-- Every claim asks which gates are closed now: a few, of all connections that were ever told to wait.
create index on connection_gates (closed_until);
create trigger changed after insert or update on connection_gates for each row execute function notify_gate();

create table consents (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'finishing', 'succeeded', 'failed')),
  provider text not null,
  provider_app_id uuid references provider_apps on delete cascade,
  -- The connection to give new credentials; after a success, the connection made.
  connection_id uuid references connections on delete cascade,
  group_ref text not null,
  group_name text,
  consumer_ref text not null,
  consumer_name text,
  provider_workspace_ref text,
  provider_metadata jsonb not null,
  -- Digest of the token in the address that the API returned.
  begin_hash bytea not null unique,
  -- Digest of the cookie of the browser that continued; only that one can end the consent.
  browser_hash bytea,
  state_hash bytea unique,
  redirect_uri text,
  code_verifier_sealed text,
  -- Why it failed: a code, what the customer was told, and what the builder should know.
  reason text,
  message text,
  detail text,
  open_time timestamptz,
  leave_time timestamptz,
  end_time timestamptz,
  expire_time timestamptz not null,
  create_time timestamptz not null default now()
);
create index on consents (connection_id);
create index on consents (project_id, id);
create index on consents (provider_app_id);

create table custom_auth_sessions (
  id uuid primary key,
  -- SHA-256 of the `sessionId` that the caller holds.
  hash bytea not null unique,
  project_id uuid not null references projects on delete cascade,
  provider text not null,
  provider_app_id uuid references provider_apps on delete cascade,
  group_ref text not null,
  group_name text,
  consumer_ref text not null,
  consumer_name text,
  provider_metadata jsonb not null,
  -- Where in the catalog's list of steps the customer is: the redirect they are sent with.
  step integer not null,
  -- JSON: what was entered and brought, with passwords and tokens, and the `state` that must come back.
  progress_sealed text not null,
  expire_time timestamptz not null,
  -- Digest of the token in the address that the API returned.
  begin_hash bytea not null unique,
  -- The first session of the customer's way: its cookie serves the following ones.
  flow_id uuid not null,
  -- Digest of the cookie of the browser that continued.
  browser_hash bytea,
  leave_time timestamptz,
  -- Of the page that asked, where a browser sent it: only that page gets what the provider sends.
  origin text
);
create index on custom_auth_sessions (browser_hash);
create index on custom_auth_sessions (expire_time);

-- Streams of events that Busbar opens at providers: one for a connection, held by one process at a time.
create table event_streams (
  connection_id uuid references connections on delete cascade,
  project_id uuid not null,
  provider text not null,
  -- The name of what was created at the provider for this stream.
  ref text not null,
  topic text not null,
  -- The account as the provider's streaming API names it.
  account_ref text not null,
  -- Keys of the objects that were selected at the provider.
  selected text[] not null default '{}',
  -- Where to resume, opaque; null: the provider has named no position yet.
  position bytea,
  -- When the stream was opened for the first time: earlier events are none of the subscription. Null: not opened yet.
  start_time timestamptz,
  -- When the provider sent something last: everything before it is stored.
  heard_time timestamptz,
  state text not null default 'closed' check (state in ('closed', 'open', 'failed')),
  -- Why it is not open.
  reason text,
  retry_time timestamptz,
  attempts integer not null default 0,
  claimed_by integer,
  create_time timestamptz not null default now(),
  provider_app_id uuid references provider_apps on delete cascade,
  id uuid primary key generated always as (COALESCE(connection_id, provider_app_id)) stored
) with (fillfactor = 50, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index event_streams_claimed on event_streams (claimed_by);
create unique index on event_streams (connection_id);
create unique index on event_streams (provider_app_id);

create table installations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  integration_id uuid not null references integrations on delete cascade,
  group_id uuid not null references groups on delete cascade,
  connection_id uuid not null references connections,
  created_by text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (integration_id, group_id)
);
create index on installations (connection_id);
create index on installations (group_id);
create index on installations (project_id, id desc);
create trigger changed after insert or delete or update on installations for each row execute function notify_change();
create trigger kept before delete on installations for each row execute function keep_removed_installations();

-- How many messages of an object are still to be delivered on request.
create table held_credits (
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  pages integer not null,
  primary key (installation_id, object_name)
);
create index held_credits_open on held_credits (installation_id) where pages > 0;

-- Data messages of objects that are delivered on request: stored as events, and routed when they are asked for.
create table held_messages (
  -- The order in which they are delivered.
  seq bigint primary key generated always as identity,
  installation_id uuid not null references installations on delete cascade,
  -- The provider's name, as the manifest spells it.
  object_name text not null,
  event_id uuid not null,
  destination_id uuid not null,
  size_bytes integer not null,
  operation_id uuid not null,
  create_time timestamptz not null default now()
);
create index held_messages_object on held_messages (installation_id, object_name, seq);

create table proxy_usage (
  id bigint primary key generated always as identity,
  -- When the call began.
  time timestamptz not null,
  -- No foreign keys: a line outlives what it tells of, and a batch must not fail because an installation is gone.
  project_id uuid not null,
  installation_id uuid not null,
  method text not null,
  -- Without the query, which may hold secrets.
  path text not null,
  -- What the caller got; 499 when it left before there was an answer.
  status integer not null,
  duration_ms integer not null,
  bytes_up bigint not null,
  bytes_down bigint not null,
  api_key_id uuid,
  request_id text not null default '',
  by_busbar boolean not null default false
);
create index on proxy_usage (installation_id, id desc);
create index on proxy_usage (project_id, "time" desc, id desc);

-- Until when pushes were certainly accepted; one row.
create table push_watch (
  id integer primary key default 1 check (id = 1),
  alive_time timestamptz not null
);

-- Objects that installations read, with the settings in force: the rows follow configuration and manifest.
create table read_objects (
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  project_id uuid not null,
  -- The provider account whose records the cursor is about.
  account_ref text not null,
  -- The name in messages.
  message_name text not null,
  destination text not null,
  -- Cron expression; null: none, or the object is disabled.
  schedule text,
  next_tick timestamptz,
  -- A tick came while the object was being read.
  missed_tick boolean not null default false,
  -- Changes up to here have been read.
  cursor_time timestamptz not null,
  -- Without a backfill: records that last changed earlier are not wanted.
  floor_time timestamptz,
  -- Until when a run has looked back by the longer overlap.
  settled_time timestamptz,
  -- Deletions up to here have been read.
  deletions_time timestamptz not null,
  -- {by, note, error, time}
  pause jsonb,
  -- Scheduled runs in a row that failed for a permanent reason.
  failures integer not null default 0,
  failing_since timestamptz,
  -- The operation of an object's backfill, also after its end: so its progress is found without a search.
  backfill_id uuid,
  -- A disabled object keeps its half-read backfill for the time when it is enabled again.
  disabled boolean not null default false,
  failure jsonb,
  missing_fields jsonb,
  primary key (installation_id, object_name)
) with (fillfactor = 70, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index read_objects_due on read_objects (next_tick) where (next_tick is not null) and (pause is null);

-- What was delivered lately of each record, so that overlapping reads deliver only what changed.
create table read_fingerprints (
  installation_id uuid not null,
  object_name text not null,
  record_id text not null,
  change_time timestamptz not null,
  hash bytea not null,
  -- When it was committed.
  marked_time timestamptz not null default now(),
  primary key (installation_id, object_name, record_id),
  foreign key (installation_id, object_name) references read_objects(installation_id, object_name) on delete cascade
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index on read_fingerprints (installation_id, object_name, change_time);

-- Reads that are not over, beside their operations.
create table read_runs (
  operation_id uuid primary key references operations on delete cascade,
  seq bigint generated always as identity,
  project_id uuid not null,
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  kind text not null check (kind in ('backfill', 'scheduled', 'triggered')),
  since_time timestamptz,
  until_time timestamptz,
  -- Looks back by the longer overlap.
  settles boolean not null default false,
  stage text not null default 'records' check (stage in ('records', 'deletions')),
  -- Of the connector; null: at the beginning of the stage.
  checkpoint jsonb,
  due_time timestamptz not null default now(),
  -- Failed attempts since the last page.
  attempts integer not null default 0,
  -- When the last page was committed, or the run was made.
  page_time timestamptz not null default now(),
  claimed_by integer
) with (fillfactor = 50, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index read_runs_claimed on read_runs (claimed_by) where claimed_by is not null;
create index read_runs_due on read_runs (project_id, (
case
    when (kind = 'backfill') then 1
    else 0
end), due_time, seq) where claimed_by is null;
create index read_runs_of_object on read_runs (installation_id, object_name, seq);
create unique index read_runs_one on read_runs (installation_id, object_name, kind) where kind <> 'triggered';
create trigger ended after delete on read_runs for each row execute function end_operation_of_run();

-- Installations whose rows of `read_objects` may be out of date.
create table read_syncs (
  installation_id uuid primary key references installations on delete cascade,
  asked_time timestamptz not null default now()
);
create index on read_syncs (asked_time);

-- One row that /readyz writes: a disk that is full refuses writes and answers everything else.
create table readiness (
  id boolean primary key default true check (id),
  checked_time timestamptz not null default now()
);

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
  primary key (project_id, "position")
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);

-- Requests that were refused although their credential and project were valid. The id is the request id.
create table refused_requests (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  method text not null,
  path text not null,
  operation_id text,
  status integer not null,
  slug text not null,
  detail text not null,
  api_key_id uuid,
  builder_id uuid,
  group_ref text
);
create index on refused_requests (project_id, id desc);

create table removed_connections (
  id uuid not null,
  project_id uuid not null references projects on delete cascade,
  group_id uuid not null references groups on delete cascade,
  consumer_id uuid not null references consumers on delete cascade,
  remove_time timestamptz not null default now(),
  primary key (id, consumer_id)
);
create index on removed_connections (consumer_id);
create index on removed_connections (group_id);
create index on removed_connections (project_id);

-- The customer and the integration of a deleted installation, whose operations stay listed.
create table removed_installations (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  integration_id uuid not null,
  integration_name text not null,
  group_id uuid not null references groups on delete cascade,
  remove_time timestamptz not null default now()
);
create index on removed_installations (project_id, group_id);
create index on removed_installations (remove_time);

-- The newest revision of an integration is its latest.
create table revisions (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  integration_id uuid not null references integrations on delete cascade,
  spec_version text not null,
  -- json, not jsonb: the order of members is the builder's.
  content json not null,
  create_time timestamptz not null default now(),
  -- Which revision or configuration is the newest must not depend on the clocks of the machines that wrote them.
  seq bigint generated always as identity,
  created_by text not null default 'system',
  source_id uuid references manifest_sources on delete set null,
  -- Objects that a deployment leaves out run on, unless it was destructive.
  destructive boolean not null default false
);
create index on revisions (integration_id, seq desc);
create index on revisions (source_id) where source_id is not null;
create trigger changed after insert or delete or update on revisions for each row execute function notify_change();
create trigger changed_parent after insert or delete or update on revisions for each row
  execute function notify_parent_change('integrations', 'integration_id');

-- Every configuration an installation has had; the newest is the one in force.
create table configs (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  installation_id uuid not null references installations on delete cascade,
  revision_id uuid not null references revisions on delete cascade,
  content json not null,
  created_by text not null,
  create_time timestamptz not null default now(),
  seq bigint generated always as identity
);
create index on configs (installation_id, seq desc);
create trigger changed after insert or delete on configs for each row execute function notify_change();
create trigger changed_parent after insert or delete on configs for each row
  execute function notify_parent_change('installations', 'installation_id');

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

-- Schema watch: integrations whose manifest asks for changes of fields, and when their installations are looked at next.
create table schema_watches (
  integration_id uuid primary key references integrations on delete cascade,
  schedule text not null,
  next_time timestamptz not null default now()
);
create index schema_watches_due on schema_watches (next_time);

create table seen_records (
  -- Of a message: its id.
  id uuid primary key,
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  -- Null: a message with changes.
  operation_id uuid,
  is_message boolean not null,
  entries bytea not null
);
alter table seen_records alter column entries set storage external;
create index seen_records_of_installation on seen_records (installation_id, id);

create table sessions (
  id uuid primary key,
  -- SHA-256 of the token.
  hash bytea not null unique,
  builder_id uuid not null references builders on delete cascade,
  -- The key that opened it: when that goes, so does this.
  api_key_id uuid references api_keys on delete cascade,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null,
  kind text not null default 'token' check (kind in ('token', 'cookie')),
  -- Of people who signed in at the issuer, with the address that it had verified; then there is no key.
  issuer text,
  email text,
  user_agent text,
  last_used_time timestamptz not null default now(),
  check ((api_key_id is null) <> (issuer is null))
);
create index on sessions (api_key_id);
create index on sessions (builder_id);
create index on sessions (expire_time);

-- What a browser that went to the issuer has to bring back. The cookie holds the secret.
create table sign_in_attempts (
  state_hash bytea primary key,
  browser_hash bytea not null,
  return_to text not null,
  expire_time timestamptz not null
);
create index on sign_in_attempts (expire_time);

create unlogged table sign_in_failures (
  -- An IPv4 address, or the 64 bits that an IPv6 subscriber has.
  network cidr primary key,
  failures integer not null,
  until timestamptz not null
);
create index on sign_in_failures (until);

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
  outcome text check (outcome in ('delivered', 'coalesced', 'filtered', 'repeated', 'expired')),
  -- Why it was filtered, or with which event it was coalesced.
  reason text,
  -- The event with which it was delivered.
  message_id uuid,
  end_time timestamptz,
  -- Of events that were found by reading; null: the provider reported it.
  found_type text check (found_type in ('create', 'update', 'delete')),
  -- Fingerprint of the delivered record; all zero: it was gone.
  delivered_hash bytea,
  primary key (installation_id, id)
) with (fillfactor = 80, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.05);
create index subscription_events_age on subscription_events (received_time);
create index subscription_events_of_record on subscription_events (installation_id, record_id, id);
create unique index subscription_events_once on subscription_events (installation_id, dedupe_key);
create index subscription_events_waiting on subscription_events (installation_id, object_name, id) where outcome is null;

-- Installations whose rows of `subscriptions` may be out of date.
create table subscription_syncs (
  installation_id uuid primary key references installations on delete cascade,
  asked_time timestamptz not null default now()
);
create index on subscription_syncs (asked_time);

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
  walk jsonb,
  received bigint not null default 0,
  delivered bigint not null default 0,
  filtered bigint not null default 0,
  duplicates bigint not null default 0,
  last_event_time timestamptz,
  create_time timestamptz not null default now(),
  -- A reconciliation that was requested and has not begun: since when, and why.
  reconcile_since timestamptz,
  reconcile_reason text,
  -- The last reconciliation that ended: {since, until, reason, found, error?, endTime}
  reconciled jsonb,
  -- Of polled subscriptions: changes and deletions are known until these times; when the next turn is due.
  polled_until timestamptz,
  deletions_until timestamptz,
  polls integer not null default 0,
  poll_time timestamptz,
  -- What a person should know although it is active.
  warnings text[] not null default '{}',
  -- The source is one that stands in for another, which could not be set up: when that is tried again.
  source_retry_time timestamptz,
  -- Of the source `journal`: the app whose journal is read, and what the journal must report.
  journal_app_id uuid references provider_apps on delete set null,
  journal_wish jsonb,
  claim_number integer not null default 0,
  destination text,
  state_time timestamptz not null default now(),
  unique (installation_id, object_name)
) with (fillfactor = 50, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index subscriptions_claimed on subscriptions (claimed_by) where claimed_by is not null;
create index subscriptions_due on subscriptions (due_time) where (due_time is not null) and (claimed_by is null);
create index subscriptions_of_account on subscriptions (project_id, provider, account_ref, object_key);
create index subscriptions_of_journal on subscriptions (journal_app_id) where journal_app_id is not null;
create trigger state_changed before update of state on subscriptions for each row
  when (old.state is distinct from new.state) execute function note_state_time();

create table token_refreshes (
  connection_id uuid not null,
  project_id uuid not null,
  -- Absent while there is nothing to renew: no refresh token, or the customer must connect again.
  due_time timestamptz,
  failures integer not null default 0,
  -- SHA-256 of a refresh token that was sent and whose answer was never stored. Some providers revoke everything
  -- when they see a refresh token twice, so it must not be sent again.
  sent_hash bytea,
  -- Tokens that cannot be renewed because the project has no provider app for them: tried again as soon as it has one.
  lacks_app boolean not null default false,
  -- Identifies one claim; a refresh that has lost its lease changes nothing with it.
  claim_id uuid,
  -- The process that refreshes (see worker_ids).
  claimed_by integer,
  -- Others may take the lease over afterwards.
  claimed_until timestamptz,
  constraint token_renewals_pkey primary key (connection_id),
  constraint token_renewals_connection_id_fkey foreign key (connection_id) references connections on delete cascade
);
create index token_renewals_due_time_idx on token_refreshes (due_time) where due_time is not null;

create table topics (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (project_id, name)
);

create table event_topic_routes (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  topic_id uuid not null references topics on delete cascade,
  event_type text not null,
  create_time timestamptz not null default now(),
  update_time timestamptz,
  unique (topic_id, event_type)
);
create index on event_topic_routes (project_id, event_type);

create table topic_destination_routes (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  topic_id uuid not null references topics on delete cascade,
  destination_id uuid not null references destinations on delete cascade,
  create_time timestamptz not null default now(),
  unique (topic_id, destination_id)
);
create index on topic_destination_routes (destination_id);

create table undelivered_changes (
  message_id uuid primary key,
  installation_id uuid not null references installations on delete cascade,
  object_name text not null,
  events integer not null
);
create index undelivered_changes_of_installation on undelivered_changes (installation_id);

-- Events whose deliveries have not been made yet, in a queue of their own: marking the event itself would write its
-- whole row, data included, once more.
create table unrouted_events (
  event_id uuid primary key,
  destination_id uuid,
  size_bytes integer not null default 0
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index unrouted_events_destination on unrouted_events (destination_id) where destination_id is not null;

create table uploads (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  -- Base64 of the MD5 that was announced; the bytes must match it.
  md5 text,
  content bytea,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null
);
create index on uploads (expire_time);

-- When the next webhook of a project may leave: what keeps all processes together below the limit per second.
-- No foreign key: a project that goes must not fail the batch it is in.
create table webhook_paces (
  project_id uuid primary key,
  next_time timestamptz not null
);

create table writes (
  operation_id uuid primary key references operations on delete cascade,
  -- Order of acceptance: updates of one record are applied in it.
  seq bigint generated always as identity,
  installation_id uuid not null,
  write_type text not null check (write_type in ('create', 'update', 'upsert')),
  -- How to send: batch form or not, all or none, headers, what to do when an answer is lost.
  send_options jsonb not null,
  -- The planned records in order, each with its outcome once it has one.
  records jsonb not null,
  -- Auto batching: present while the group takes more records.
  open_group text,
  due_time timestamptz not null,
  -- Retries end here.
  deadline timestamptz not null,
  attempts integer not null default 0,
  -- Worker that is executing it; see jobs/worker-identity.ts.
  claimed_by integer,
  -- A create was about to be sent by the worker that has it: if that worker is gone, nobody knows whether it was.
  may_have_been_sent boolean not null default false,
  -- Auto batching: how large the records of the group are, which one request to the provider has to carry.
  group_bytes integer not null default 0,
  -- A create that may have been carried out can be sent again until then, because the provider knows its key.
  repeatable_until timestamptz
) with (fillfactor = 40, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
-- Claims take turns among installations: the next installation with waiting writes is one step along this index, however
-- many writes the one before has.
create index writes_by_installation on writes (installation_id, due_time, seq) where claimed_by is null;
create index writes_claimed on writes (claimed_by) where claimed_by is not null;
-- Claims walk the queue in this order.
create index writes_in_order on writes (due_time, seq) where claimed_by is null;
create unique index writes_open_group on writes (open_group) where open_group is not null;

-- Which records an unfinished update touches.
create table write_keys (
  record_key text not null,
  seq bigint not null,
  operation_id uuid not null references writes(operation_id) on delete cascade,
  primary key (record_key, seq)
) with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0);
create index on write_keys (operation_id);

create view first_deliveries as
 SELECT pair.destination_id,
    pair.event_id,
    'sending'::text AS state,
    delivery_batches.create_time AS due_time,
    '[]'::jsonb AS attempts
   FROM delivery_batches,
    LATERAL UNNEST(delivery_batches.destination_ids, delivery_batches.event_ids) pair(destination_id, event_id)
  WHERE (NOT (EXISTS ( SELECT
           FROM deliveries
          WHERE ((deliveries.destination_id = pair.destination_id) AND (deliveries.event_id = pair.event_id)))));

create view all_deliveries as
 SELECT deliveries.destination_id,
    deliveries.event_id,
    deliveries.state,
    deliveries.due_time,
    deliveries.attempts
   FROM deliveries
UNION ALL
 SELECT first_deliveries.destination_id,
    first_deliveries.event_id,
    first_deliveries.state,
    first_deliveries.due_time,
    first_deliveries.attempts
   FROM first_deliveries;

insert into readiness default values;
