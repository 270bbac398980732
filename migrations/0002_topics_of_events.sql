-- Compatible: the version before leaves the table empty, and the trigger removes what it would leave behind.
-- The topics that an event was published under when it was routed, with their names then: topics and routes change later.
-- Without a foreign key on events, whose check would lock, and so write, each event's row once more.
create table event_topics (
  event_id uuid not null,
  topic_id uuid not null,
  topic_name text not null,
  primary key (event_id, topic_id)
);

create function remove_topics_of_events() returns trigger language plpgsql as $$
begin
  delete from event_topics where event_id in (select id from gone);
  return null;
end $$;
create trigger removed after delete on events referencing old table as gone
  for each statement execute function remove_topics_of_events();
