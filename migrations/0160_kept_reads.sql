-- A disabled object keeps its half-read backfill for the time when it is enabled again.
alter table read_objects add column disabled boolean not null default false;
-- Objects that a deployment leaves out run on, unless it was destructive.
alter table revisions add column destructive boolean not null default false;
