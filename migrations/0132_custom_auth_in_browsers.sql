-- Custom authentication passes the same page as a consent, and ends in the browser that continued there. Sessions that are open
-- during the migration have to be begun again.
delete from custom_auth_sessions;
alter table custom_auth_sessions
  -- Digest of the token in the address that the API returned.
  add column begin_hash bytea not null unique,
  -- The first session of the customer's way: its cookie serves the following ones.
  add column flow_id uuid not null,
  -- Digest of the cookie of the browser that continued.
  add column browser_hash bytea,
  add column leave_time timestamptz,
  -- Of the page that asked, where a browser sent it: only that page gets what the provider sends.
  add column origin text;
create index on custom_auth_sessions (browser_hash);
