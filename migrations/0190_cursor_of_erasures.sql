-- Up to this event, an erasure of the group that takes several requests has looked; null: none has begun.
alter table groups add column erased_until_event uuid;
