-- Compatible: the version before says nothing of fields that vanish from an object that is only subscribed to.

-- Fields that the account does not have, or refuses, and that are left out: [{name, since}], as in read_objects.
alter table subscriptions add column missing_fields jsonb;
