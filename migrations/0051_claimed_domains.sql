-- Mail domains whose people may join an organisation by themselves.

create table claimed_domains (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  -- ASCII, in lower case. One organisation has it.
  domain text not null unique check (domain = lower(domain)),
  create_time timestamptz not null default now()
);
create index on claimed_domains (org_id);
