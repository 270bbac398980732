-- Tells every process what changed, so that caches of rarely changing rows never serve what is gone.
-- Only on tables that people change: NOTIFY serialises commits, so the rows of the hot path stay out of it.

create function notify_change() returns trigger language plpgsql as $$
declare
  changed record := case when tg_op = 'DELETE' then old else new end;
begin
  perform pg_notify('busbar_changes', json_build_object('table', tg_table_name, 'id', changed.id)::text);
  return null;
end
$$;

create trigger changed after update or delete on projects for each row execute function notify_change();
create trigger changed after update or delete on api_keys for each row execute function notify_change();
create trigger changed after update or delete on integrations for each row execute function notify_change();
create trigger changed after insert or update or delete on revisions for each row execute function notify_change();
create trigger changed after update or delete on connections for each row execute function notify_change();
create trigger changed after insert or update or delete on installations for each row execute function notify_change();
create trigger changed after insert or delete on configs for each row execute function notify_change();
