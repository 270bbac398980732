-- Compatible: the version before neither reads nor writes it.

-- Fields that records of the object had: such a field is delivered as null where a record does not have it. Null: none is known.
alter table read_objects add column known_fields text[];
