-- Upserts in the queue: writes by a key. They may be sent again, and keep their order by their keys, as updates do.
alter table writes drop constraint writes_write_type_check;
alter table writes add constraint writes_write_type_check check (write_type in ('create', 'update', 'upsert'));
