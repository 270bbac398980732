-- Compatible: the version before does not know the column; what it refreshes keeps an earlier failure until the next refresh of this version.

-- {since, detail} while no new access token can be obtained although the customer's consent may be valid: the provider app is wrong, or the
-- token endpoint does not answer and the last token has ended.
alter table connections add column refresh_failure jsonb;
