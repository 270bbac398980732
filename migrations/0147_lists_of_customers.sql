-- Lists of connections and installations, newest first, and all that one customer has.
create index on connections (project_id, id desc);
create index on connections (group_id);
drop index installations_project_id_idx;
create index on installations (project_id, id desc);
create index on installations (group_id);
