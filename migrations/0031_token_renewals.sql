-- When each connection's tokens are to be renewed ahead of need, and which refresh token was last sent.
-- Apart from the connections, because a change there makes every process forget what it knows of the connection.

create table token_renewals (
  connection_id uuid primary key references connections on delete cascade,
  project_id uuid not null,
  -- Absent while there is nothing to renew: no refresh token, or the customer must connect again.
  due_time timestamptz,
  failures integer not null default 0,
  -- SHA-256 of a refresh token that was sent and whose answer was never stored. Some providers revoke everything
  -- when they see a refresh token twice, so it must not be sent again.
  sent_hash bytea
);
create index on token_renewals (due_time) where due_time is not null;

insert into token_renewals (connection_id, project_id, due_time)
select id, project_id, now() from connections
where auth_scheme like 'oauth2/%' and status <> 'bad_credentials';
