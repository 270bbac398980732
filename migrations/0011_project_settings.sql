-- Whether writes that inherit a mapping send mapped fields only.
alter table projects add column drop_unmapped_fields boolean not null default false;
