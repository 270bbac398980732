-- Compatible: the version before neither reads nor writes the columns, so that a destination that it changes keeps the time of the one before.

-- Since when the object goes to this destination. For rows that were there before nobody knows it: they have the time of this migration.
alter table read_objects add column destination_time timestamptz not null default now();
alter table subscriptions add column destination_time timestamptz not null default now();
