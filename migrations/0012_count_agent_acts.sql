-- Compatible: the version before does not call the function, and takes the same lock.

-- Counts an act of an agent unless a budget is used up, and returns which one and in how many milliseconds it has room: null for never. One
-- round trip in place of six. Each statement of a volatile function sees what was committed before the lock was granted.
create function count_agent_act(
  act uuid, project uuid, customer text, per_project integer, per_group integer, window_ms double precision,
  out budget text, out free_in_ms double precision
) language plpgsql as $$
declare
  since timestamptz;
  oldest timestamptz;
begin
  if per_project is not null or per_group is not null then
    perform pg_advisory_xact_lock(hashtextextended('agent-acts ' || project, 0));
    since := clock_timestamp() - window_ms * interval '1 millisecond';
    if per_project is not null then
      budget := 'perProject';
      if per_project = 0 then return; end if;
      -- The oldest act that still counts, if there are that many.
      select time into oldest from agent_acts where project_id = project and time > since
        order by time desc offset per_project - 1 limit 1;
    end if;
    if oldest is null and per_group is not null then
      budget := 'perGroup';
      if per_group = 0 then return; end if;
      select time into oldest from agent_acts where project_id = project and group_ref = customer and time > since
        order by time desc offset per_group - 1 limit 1;
    end if;
    if oldest is not null then
      free_in_ms := greatest(1, extract(epoch from oldest - since) * 1000);
      return;
    end if;
    budget := null;
  end if;
  insert into agent_acts (id, project_id, group_ref) values (act, project, customer) on conflict do nothing;
end
$$;
