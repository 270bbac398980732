-- Connections whose credentials were refused, for all processes to know: a call of any of them that gets in clears them.

create table connection_doubts (
  connection_id uuid primary key references connections on delete cascade,
  -- Tells the credentials in doubt from those that come after them.
  mark text not null,
  -- The first refusal since which nothing got in.
  since timestamptz not null
);
create trigger changed_parent after insert or delete on connection_doubts
  for each row execute function notify_parent_change('connection_doubts', 'connection_id');
