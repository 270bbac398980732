-- Wrong keys at the sign-in, counted for all processes. Unlogged: after a crash the count begins anew, and nothing waits
-- for a disk because of somebody who guesses.

create unlogged table sign_in_failures (
  -- An IPv4 address, or the 64 bits that an IPv6 subscriber has.
  network cidr primary key,
  failures integer not null,
  until timestamptz not null
);
create index on sign_in_failures (until);
