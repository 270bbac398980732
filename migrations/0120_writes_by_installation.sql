-- Claims take turns among installations: the next installation with waiting writes is one step along this index, however
-- many writes the one before has.
create index writes_by_installation on writes (installation_id, due_time, seq) where claimed_by is null;
