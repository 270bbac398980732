-- Compatible: one column is new, which may be null.
-- The trace that an event belongs to, as the header traceparent: 56 bytes of an event that was recorded in a trace, none of
-- others.
alter table events add column traceparent text;
