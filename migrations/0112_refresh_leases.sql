-- A refresh is claimed by a lease instead of a row lock, so that no transaction is open while the provider answers.
alter table token_refreshes
  -- Identifies one claim; a refresh that has lost its lease changes nothing with it.
  add column claim_id uuid,
  -- The process that refreshes (see worker_ids).
  add column claimed_by integer,
  -- Others may take the lease over afterwards.
  add column claimed_until timestamptz;
