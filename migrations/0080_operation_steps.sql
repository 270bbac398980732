-- The steps of an operation stand in its row: they are written, read and removed with it.

-- [{time, severity, msg, error?, details?}], oldest first.
alter table operations add column log jsonb not null default '[]';

update operations set log = steps.log
from (
  select operation_id, jsonb_agg(message || jsonb_build_object('severity', severity, 'time', create_time) order by id) as log
  from operation_logs group by operation_id
) as steps
where steps.operation_id = operations.id;

drop table operation_logs;

-- Claims walk the queue in this order.
create index writes_in_order on writes (due_time, seq) where claimed_by is null;
drop index writes_due;
