-- Asynchronous writes that are not finished yet. A queue: a row leaves it when its operation ends.

create sequence worker_ids as integer;

create table writes (
  operation_id uuid primary key references operations on delete cascade,
  -- Order of acceptance: updates of one record are applied in it.
  seq bigint generated always as identity,
  installation_id uuid not null,
  write_type text not null check (write_type in ('create', 'update')),
  -- How to send: batch form or not, all or none, headers, what to do when an answer is lost.
  terms jsonb not null,
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
  called boolean not null default false
);
create unique index writes_open_group on writes (open_group) where open_group is not null;
create index writes_due on writes (due_time) where claimed_by is null;
create index writes_claimed on writes (claimed_by) where claimed_by is not null;
create index writes_installation on writes (installation_id);

-- Which records an unfinished update touches.
create table write_keys (
  record_key text not null,
  seq bigint not null,
  operation_id uuid not null references writes on delete cascade,
  primary key (record_key, seq)
);
create index on write_keys (operation_id);

-- Synchronous writes are executed by the process that took the request; if it dies, somebody ends them.
alter table operations add column claimed_by integer;
create index operations_claimed on operations (claimed_by) where claimed_by is not null;

-- Connections whose provider said wait.
create table connection_gates (
  connection_id uuid primary key references connections on delete cascade,
  closed_until timestamptz not null,
  retryable boolean not null
);

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
  primary key (project_id, key)
);
create index on idempotency_keys (create_time);

create function notify_gate() returns trigger language plpgsql as $$
begin
  perform pg_notify('busbar_changes', json_build_object('table', 'connection_gates', 'id', new.connection_id)::text);
  return null;
end
$$;

create trigger changed after insert or update on connection_gates for each row execute function notify_gate();
