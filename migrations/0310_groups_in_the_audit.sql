-- Compatible: the version before leaves the column empty, and reads all others.
-- `actor_group`: the group for which a customer acted, so that the customer's name goes with the group when it is erased.
alter table audit_events add column actor_group text;
