-- Failed attempts of custom authentication are listed with the consents; some schemes need no provider app.
alter table consents alter column provider_app_id drop not null;
