-- The operation of an object's backfill, also after its end: so its progress is found without a search.
alter table read_objects add column backfill_id uuid;
update read_objects set backfill_id = (
  select operation_id from read_runs
  where read_runs.installation_id = read_objects.installation_id and read_runs.object_name = read_objects.object_name
    and kind = 'backfill');
