-- Compatible: both columns are null everywhere, which the version before takes for granted.

-- Database with the customer's data tables; null is the one that has those of all customers without a name here.
alter table groups add column shard text;

-- Shard that the entry is for; null as above.
alter table outbox add column shard text;
