-- `repeatable_until`: a create that may have been carried out can be sent again until then, because the provider knows its key.
-- Not compatible: the version before would send such a create under another key.
alter table writes add column repeatable_until timestamptz;

-- The keys at the provider are those of the first request with the builder's key; null in rows of an earlier version.
alter table idempotency_keys add column first_operation_id uuid;
