-- Compatible: the version before reports no health and does not know the table.

-- The reasons that the last event about an installation's health told; absent: it was healthy, or nothing was told yet.
create table reported_health (
  installation_id uuid primary key references installations on delete cascade,
  -- Tells them apart, without what changes with every attempt.
  reasons text[] not null
);
