-- Compatible: a column with a default; it claims without a number, and its claims are told apart by the process.
-- The number of the last claim. A turn that outlived its claim stores nothing, also if the same process has claimed it again.
alter table subscriptions add column claim_number integer not null default 0;
