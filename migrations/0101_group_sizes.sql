-- Auto batching: how large the records of the group are, which one request to the provider has to carry.
alter table writes add column group_bytes integer not null default 0;
