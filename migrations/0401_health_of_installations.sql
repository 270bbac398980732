-- Compatible: columns that the version before leaves as they are.
-- What the last failed read of an object was about (`type`, `name`, `detail`), until the next one that succeeds; fields that
-- the provider no longer knows; where a subscription delivers to, and since when it has its state.
alter table read_objects add column failure jsonb;
alter table read_objects add column missing_fields jsonb;
alter table subscriptions add column destination text;
alter table subscriptions add column state_time timestamptz not null default now();

create function note_state_time() returns trigger language plpgsql as $$
begin
  new.state_time := now();
  return new;
end $$;
create trigger state_changed before update of state on subscriptions
  for each row when (old.state is distinct from new.state) execute function note_state_time();
