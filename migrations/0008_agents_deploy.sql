-- Compatible: the version before does not know the column.

-- Whether an agent that uses the key may deploy a manifest without anybody's decision.
alter table api_keys add column agent_may_deploy boolean not null default false;
