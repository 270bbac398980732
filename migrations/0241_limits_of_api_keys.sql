-- Compatible: columns with defaults; it does not apply the limits.
-- Addresses and networks that may use the key; empty: all. Requests per second in each process, and how many at once.
alter table api_keys
  add column allowed_addresses text[] not null default '{}',
  add column requests_per_second double precision,
  add column burst integer;
