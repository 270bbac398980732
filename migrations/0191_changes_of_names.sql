-- Compatible: the version before hears of more changes, which it ignores.
-- Processes keep the names of groups and consumers in memory, for the events of installations.
create trigger changed after update of group_name on groups
for each row when (old.group_name is distinct from new.group_name) execute function notify_change();

create trigger changed after update of consumer_name on consumers
for each row when (old.consumer_name is distinct from new.consumer_name) execute function notify_change();
