-- Consents that must end in the browser they were begun in.
alter table oauth_sessions add column browser_bound boolean not null default false;
-- SHA-256 of the cookie that browser got; absent until it has opened the address.
alter table oauth_sessions add column browser_hash bytea;
