-- Compatible: names, columns and rights stay, so the version before inserts, lists and removes lines as before.
-- The lines of proxied calls are partitioned by time, so that days which are too old are dropped whole. No line is copied: the
-- table becomes the first partition. Each part is a transaction of its own, because the lock of the first one would be held while
-- the second one reads the table. All parts run again if one of them did not end.

-- No line may be beyond the bound until the last part, so it lies some days ahead, and behind lines of a clock that was wrong.
do $$
declare
  days integer := case when pg_relation_size('proxy_usage') < 64 * 1024 * 1024 then 30 else 7 end;
  latest timestamptz := greatest(now() + make_interval(days => days), (select max("time") from proxy_usage));
begin
  alter table proxy_usage drop constraint if exists proxy_usage_first_range;
  execute format('alter table proxy_usage add constraint proxy_usage_first_range check ("time" < %L) not valid',
    (date_trunc('day', latest at time zone 'UTC') + interval '1 day') at time zone 'UTC');
end $$;

-- Next transaction: it reads the table, beside those who write.
alter table proxy_usage validate constraint proxy_usage_first_range;

-- Next transaction: the exchange, which reads no line.
do $$
declare
  bound text;
  next_id bigint;
  rights aclitem[];
  one record;
begin
  lock table proxy_usage in access exclusive mode;
  select (regexp_match(pg_get_constraintdef(oid), '''([^'']+)'''))[1] into strict bound
    from pg_constraint
    where conrelid = 'proxy_usage'::regclass and conname = 'proxy_usage_first_range' and convalidated;
  next_id := nextval('proxy_usage_id_seq');
  select relacl into rights from pg_class where oid = 'proxy_usage'::regclass;
  alter table proxy_usage rename to proxy_usage_first;
  -- PostgreSQL 17 and later attach no table with an identity column. This drops the sequence, too.
  alter table proxy_usage_first alter column id drop identity;
  create table proxy_usage (like proxy_usage_first including defaults) partition by range ("time");
  execute format('alter table proxy_usage alter column id add generated always as identity (start with %s)', next_id);
  create index on proxy_usage (installation_id, id desc);
  create index on proxy_usage (project_id, "time" desc, id desc);
  execute format('alter table proxy_usage attach partition proxy_usage_first for values from (minvalue) to (%L)', bound);
  alter table proxy_usage_first drop constraint proxy_usage_first_range;
  -- Takes the lines for which no range was made in time. The key is each partition's own, because that of the whole would have
  -- to contain the time; the ids come from one sequence.
  create table proxy_usage_default partition of proxy_usage default;
  alter table proxy_usage_default add primary key (id);
  for one in
    select grantee::regrole as role, string_agg(privilege_type, ', ') as privileges
    from aclexplode(rights) where grantee <> 0 and privilege_type in ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    group by grantee
  loop
    execute format('grant %s on proxy_usage to %s', one.privileges, one.role);
  end loop;
end $$;

-- A role that only serves cannot make or drop tables, so these two do it with the rights of the owner. They return false if they
-- were not given their locks at once: statements of others wait behind one that waits for a lock.
create function add_history_range(history text, from_time timestamptz, to_time timestamptz) returns boolean
  language plpgsql security definer set lock_timeout = '300ms' set timezone = 'UTC' as $$
declare
  range_name text := format('%s_%s', history, to_char(from_time, 'YYYYMMDD'));
begin
  if history is distinct from 'proxy_usage' or to_time is null or from_time >= to_time then
    raise exception 'no range of % from % to %', history, from_time, to_time;
  end if;
  if not pg_try_advisory_xact_lock(hashtext('history_ranges'), hashtext(history)) or to_regclass(range_name) is not null then
    return false;
  end if;
  execute format('create table %I (like %I including defaults including constraints including indexes)', range_name, history);
  execute format('alter table %I add primary key (id)', range_name);
  execute format('alter table %I attach partition %I for values from (%L) to (%L)', history, range_name, from_time, to_time);
  return true;
exception when lock_not_available or deadlock_detected then
  return false;
end $$;

-- Drops a partition with all its rows; never the one that takes what has no range.
create function drop_history_range(history text, range_name text) returns boolean
  language plpgsql security definer set lock_timeout = '300ms' as $$
begin
  perform from pg_inherits join pg_class on pg_class.oid = inhrelid
    where history = 'proxy_usage' and inhparent = to_regclass(history) and relname = range_name
      and relnamespace = (select relnamespace from pg_class where oid = to_regclass(history))
      and pg_get_expr(relpartbound, inhrelid) <> 'DEFAULT';
  if not found or not pg_try_advisory_xact_lock(hashtext('history_ranges'), hashtext(history)) then
    return false;
  end if;
  execute format('alter table %I detach partition %I', history, range_name);
  execute format('drop table %I', range_name);
  return true;
exception when lock_not_available or deadlock_detected then
  return false;
end $$;

do $$
declare
  one text;
  role regrole;
begin
  foreach one in array array['add_history_range(text, timestamptz, timestamptz)', 'drop_history_range(text, text)'] loop
    execute format('alter function %s set search_path = %I, pg_temp', one, current_schema());
    execute format('revoke execute on function %s from public', one);
    for role in
      select grantee::regrole from pg_class, aclexplode(relacl)
      where oid = 'proxy_usage'::regclass and grantee <> 0 and privilege_type = 'DELETE'
    loop
      execute format('grant execute on function %s to %s', one, role);
    end loop;
  end loop;
end $$;

-- If it fails
alter table proxy_usage drop constraint if exists proxy_usage_first_range;
