-- Compatible: the version before reads its own index.

-- Lists of groups are in the order of code points: that of a language changes with a database's libraries.
create index groups_in_order on groups (project_id, group_ref collate "C");
