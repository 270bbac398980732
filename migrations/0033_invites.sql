-- Invitations of people to an organisation, by e-mail address.

create table invites (
  id uuid primary key,
  org_id uuid not null references organizations on delete cascade,
  -- In lower case.
  invited_email text not null,
  -- Expired ones are pending ones whose time has passed.
  status text not null default 'pending' check (status in ('pending', 'accepted', 'revoked')),
  create_time timestamptz not null default now(),
  update_time timestamptz,
  expire_time timestamptz not null default now() + interval '7 days'
);
create unique index invites_one_pending on invites (org_id, invited_email) where status = 'pending';
