-- Compatible: the version before reads the new rows as any others, and writes none.

-- What agents asked for, were refused, or tried as a dry run; and what they did through operations of the API.
alter table audit_events drop constraint audit_events_actor_kind_check;
alter table audit_events add constraint audit_events_actor_kind_check
  check (actor_kind in ('person', 'apiKey', 'system', 'agent'));
-- Of an agent's call: what became of it.
alter table audit_events add column outcome text check (outcome in ('approval_required', 'refused', 'dry_run'));
