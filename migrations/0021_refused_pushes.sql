-- Compatible: the version before does not know the table.

-- Pushes to an address that exists whose signature does not match, since the last one that was accepted.
create table refused_pushes (
  project_id uuid not null references projects on delete cascade,
  provider text not null,
  first_time timestamptz not null default now(),
  last_time timestamptz not null default now(),
  primary key (project_id, provider)
);
