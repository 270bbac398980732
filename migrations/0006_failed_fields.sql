-- Compatible: the version before says of such a subscription only that it is degraded.

-- The required field that the account does not have, if that is why the subscription is degraded or failed.
alter table subscriptions add column failed_field text;
