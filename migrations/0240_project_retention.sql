-- Compatible: one table is new, and an index that statements do not name has other columns.
-- How long a project keeps a kind of history, where that is shorter than the operator's setting.
create table project_retention (
  project_id uuid not null references projects on delete cascade,
  kind text not null,
  days double precision not null,
  primary key (project_id, kind)
);

-- Retention reads the data messages of one destination, because their project may keep them for a shorter time.
create index events_data_of_destination on events (destination_id, id) where destination_id is not null;
drop index events_data;
