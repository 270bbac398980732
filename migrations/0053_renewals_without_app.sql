-- Tokens that cannot be renewed because the project has no provider app for them: tried again as soon as it has one.
alter table token_renewals add column lacks_app boolean not null default false;
