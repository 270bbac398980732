-- Compatible: the version before neither reads nor writes the columns, so that a destination that it changes keeps the time of the one before.

-- Since when the object goes to this destination; of earlier rows not known.
alter table read_objects add column destination_time timestamptz not null default now();
alter table subscriptions add column destination_time timestamptz not null default now();
