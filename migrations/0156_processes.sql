-- The processes that run on this database, for `GET /v1/system`. Each renews its row; work never depends on it.
create table processes (
  id integer primary key,
  version text not null,
  roles text[] not null,
  start_time timestamptz not null,
  last_seen_time timestamptz not null default now()
);
