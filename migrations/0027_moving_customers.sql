-- Compatible: the version before neither moves customers nor serves shards with customers, so both tables stay empty beside it.

-- Customers that are being moved from one shard to another (docs/decisions/0045). Until the state is `switched` the old shard decides.
create table shard_moves (
  group_id uuid primary key references groups on delete cascade,
  -- Names as in `groups.shard`; null is the first shard.
  from_shard text,
  to_shard text,
  state text not null check (state in ('closing', 'switched')),
  -- What it does or waits for.
  detail text,
  start_time timestamptz not null default now(),
  state_time timestamptz not null default now()
);
-- Which shard has a customer, and whether it moves, is cached with the customer's row.
create trigger changed after insert or update of state or delete on shard_moves
  for each row execute function notify_parent_change('groups', 'group_id');

-- Customers of whom this database has rows that nobody may work on, or to whom nobody may add any:
-- `leaving`: they are being moved to another shard; `coming`: they are being moved here; `away`: they are in another shard. Of those
-- that have `arrived`, only what has ended is still to come.
create table moving_customers (
  group_id uuid primary key,
  state text not null check (state in ('leaving', 'coming', 'arrived', 'away')),
  -- Lines of proxied calls that this database has got and the former one may still have: numbers of theirs there.
  lines bigint[] not null default '{}'
);

-- Keeps a row of such a customer from being claimed or released ('skip'), or added or cancelled ('refuse'). Moving a customer makes the triggers that call it, so a
-- database without shards has none. The second argument says how the row names its customer.
create function guard_customer() returns trigger language plpgsql as $$
declare
  touched record;
  customer uuid;
  found_state text;
begin
  if tg_op = 'DELETE' then
    touched := old;
  else
    touched := new;
  end if;
  -- The session that moves the customer sets this.
  if not exists (select from moving_customers) or current_setting('busbar.mover', true) = 'yes' then
    return touched;
  end if;
  if tg_argv[1] = 'installation' then
    select group_id into customer from installations where id = touched.installation_id;
    if customer is null then
      select group_id into customer from removed_installations where id = touched.installation_id;
    end if;
  elsif tg_argv[1] = 'connection' then
    select group_id into customer from connections where id = touched.connection_id;
  else
    select groups.id into customer from events
      join groups on groups.project_id = events.project_id and groups.group_ref = events.data ->> 'groupRef'
      where events.id = touched.event_id;
  end if;
  select state into found_state from moving_customers where group_id = customer;
  -- What somebody left here late is still delivered.
  if found_state is null or found_state = 'arrived' or (found_state = 'away' and tg_argv[1] = 'event') then
    return touched;
  end if;
  if tg_argv[0] = 'skip' then
    return null;
  end if;
  raise exception 'the customer % is being moved to another shard', customer using errcode = 'BB001';
end $$;

-- Returns whether work for an installation may begin in this database.
create function is_customer_here(installation uuid) returns boolean language plpgsql stable as $$
begin
  return not exists (select from moving_customers)
    or not exists (select from moving_customers join installations using (group_id)
      where installations.id = installation and state <> 'arrived');
end $$;
