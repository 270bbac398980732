-- Which key made a proxied call, the request id of its answer, and whether Busbar itself refused it.
alter table proxy_usage
  add column api_key_id uuid,
  add column request_id text not null default '',
  add column by_busbar boolean not null default false;
-- The list of a project is ordered by the beginning of the calls; nothing used the index by id.
drop index proxy_usage_project_id_id_idx;
create index on proxy_usage (project_id, time desc, id desc);
