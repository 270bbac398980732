-- Compatible: a column that the version before leaves empty.
-- The group that a refused request was about, so that its text goes when the group is erased.
alter table refused_requests add column group_ref text;
