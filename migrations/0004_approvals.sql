-- Compatible: the version before leaves the new tables empty.

-- Acts of agents that a person or the builder's server decides on. States: server/agents/approvals/request-approval.ts.
create table approvals (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  -- The customer; null for an act on the project itself. What is known of a customer goes with it.
  group_id uuid references groups on delete cascade,
  status text not null
    check (status in ('pending', 'approved', 'rejected', 'expired', 'executed', 'stale', 'failed')),
  tool text not null,
  integration text,
  installation_id uuid,
  object_name text,
  record_id text,
  -- What the agent sent.
  arguments jsonb not null,
  arguments_hash text not null,
  -- What will be carried out, whole: nothing of it is asked of the agent again.
  act jsonb not null,
  before jsonb,
  after jsonb,
  actor jsonb not null,
  -- Whoever may not decide, as `key:<id>`, `person:<id>` and so on.
  askers text[] not null,
  -- Names the act among those of its customer: the same call gets the same approval.
  request_key text,
  request_id text,
  create_time timestamptz not null default now(),
  expire_time timestamptz not null,
  decide_time timestamptz,
  decided_by jsonb,
  reason text,
  -- Made with the decision, so that the act is carried out as this operation and no other.
  operation_id uuid,
  -- While its act is being carried out: the process that does.
  claimed_by integer,
  -- Set in a commit of its own before the provider is called: from then on the act may have happened.
  sent boolean not null default false,
  due_time timestamptz,
  traceparent text
);
create index on approvals (project_id, id desc);
create index on approvals (group_id);
create index on approvals (project_id, request_key, id desc) where request_key is not null;
create index approvals_pending on approvals (expire_time) where status = 'pending';
create index approvals_approved on approvals (due_time) where status = 'approved';
create index approvals_claimed on approvals (claimed_by) where claimed_by is not null;

-- Acts of agents that were sent in the last hour, for the budgets. No reference to the group: a row lives an hour.
create table agent_acts (
  -- That of the operation.
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  group_ref text not null,
  time timestamptz not null default clock_timestamp()
);
create index on agent_acts (project_id, time) include (group_ref);
