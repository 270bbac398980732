-- A new configuration is news of its installation and a new revision news of its integration: caches are keyed by
-- those, and cannot tell whose the id of a row is that they have never seen.

create function notify_parent_change() returns trigger language plpgsql as $$
declare
  changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  perform pg_notify('busbar_changes', json_build_object('table', tg_argv[0], 'id', changed ->> tg_argv[1])::text);
  return null;
end
$$;

create trigger changed_parent after insert or delete on configs
  for each row execute function notify_parent_change('installations', 'installation_id');
create trigger changed_parent after insert or update or delete on revisions
  for each row execute function notify_parent_change('integrations', 'integration_id');
