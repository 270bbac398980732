-- Compatible: the version before neither reads nor writes it.

-- Why the fields of the object could not be read for the watch of its schema: {detail, since}. Null: they can be, or nobody watches.
alter table read_objects add column schema_refusal jsonb;
