-- One row that /readyz writes: a disk that is full refuses writes and answers everything else.
create table readiness (
  id boolean primary key default true check (id),
  checked_time timestamptz not null default now()
);
insert into readiness default values;
