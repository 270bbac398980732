-- Which revision or configuration is the newest must not depend on the clocks of the machines that wrote them.
alter table revisions add column seq bigint generated always as identity;
alter table configs add column seq bigint generated always as identity;
create index on revisions (integration_id, seq desc);
create index on configs (installation_id, seq desc);
drop index revisions_integration_id_id_idx;
drop index configs_installation_id_id_idx;
