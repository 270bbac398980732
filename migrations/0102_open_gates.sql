-- Every claim asks which gates are closed now: a few, of all connections that were ever told to wait.
create index on connection_gates (closed_until);
