/**
 * Fills a database with what years leave behind: customers, history, and writes that wait. Past the API, which would need
 * days.
 */
import type { Client } from "pg";

interface Filling {
  projectId: string;
  /** A customer whose rows are copied. */
  installationId: string;
  destinationId: string;
  /** Operations, events and deliveries each. */
  history: number;
  installations: number;
  waiting: number;
}

/** History is spread evenly over the last 25 days, so that nothing of it is old enough to be removed. */
export async function fillDatabase(database: Client, filling: Filling): Promise<void> {
  await copyCustomers(database, filling);
  await addHistory(database, filling);
  await addWaiting(database, filling);
  await database.query("vacuum analyze");
}

/** A UUIDv7 of the row `nth` of `count`. */
const buildIdAt = (count: string) =>
  `overlay(gen_random_uuid()::text placing (
     with stamp as (select lpad(to_hex(
       (extract(epoch from now() - interval '25 days' * (1 - nth::float / ${count})) * 1000)::bigint), 12, '0') as hex)
     select left(hex, 8) || '-' || right(hex, 4) || '-7' from stamp) from 1 for 15)::uuid`;

async function addHistory(database: Client, filling: Filling): Promise<void> {
  const { projectId, installationId, destinationId, history } = filling;
  await database.query(
    `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status,
       result, log, create_time, update_time)
     select ${buildIdAt("$3::integer")}, $1, installations.integration_id, installations.id, $1, 'write', 'companies', 'success',
       'Created record ' || nth, '[{"severity": "INFO", "msg": "Created the record in one call to the provider"}]',
       now() - interval '25 days' * (1 - nth::float / $3::integer), now()
     from generate_series(1, $3::integer) nth, installations where installations.id = $2`,
    [projectId, installationId, history],
  );
  await database.query(
    `with made as (
       insert into events (id, project_id, type, data)
       select ${buildIdAt("$2::integer")}, $1, 'write.async.done', '{"groupRef": "group-0", "operationId": "x"}'
       from generate_series(1, $2::integer) nth returning id
     )
     insert into deliveries (destination_id, event_id, state, due_time) select $3, id, 'delivered', now() from made`,
    [projectId, history, destinationId],
  );
}

/** The writes of the first copied customer, whose gate is closed: they are due when it opens. */
async function addWaiting(database: Client, { projectId, waiting }: Filling): Promise<void> {
  await database.query(
    `insert into connection_gates (connection_id, closed_until, retryable)
     select connection_id, now() + interval '1 day', true from copies where nth = 1`,
  );
  await database.query(
    `with made as (
       insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status)
       select gen_random_uuid(), $1, integration_id, installations.id, $1, 'write', 'companies', 'in_progress'
       from generate_series(1, $2::integer) nth, installations
       where installations.id = (select installation_id from copies where nth = 1)
       returning id, installation_id
     )
     insert into writes (operation_id, installation_id, write_type, send_options, records, due_time, deadline)
     select id, installation_id, 'create', '{}', '[]', now() + interval '1 hour', now() + interval '1 day' from made`,
    [projectId, waiting],
  );
}

async function copyCustomers(database: Client, { installationId, installations }: Filling): Promise<void> {
  await database.query(
    `create temp table copies as select nth, gen_random_uuid() as group_id, gen_random_uuid() as connection_id,
       gen_random_uuid() as installation_id from generate_series(1, $1::integer) nth`,
    [installations],
  );
  const copies = [
    `insert into groups (id, project_id, group_ref, group_name)
     select copies.group_id, project_id, 'many-' || nth, 'Many' from copies, installations where id = $1`,
    `insert into connections (id, project_id, provider, group_id, consumer_id, auth_scheme, status, credentials_sealed)
     select copies.connection_id, one.project_id, one.provider, copies.group_id, one.consumer_id, one.auth_scheme,
       one.status, one.credentials_sealed
     from copies, installations join connections one on one.id = installations.connection_id where installations.id = $1`,
    `insert into installations (id, project_id, integration_id, group_id, connection_id, created_by)
     select copies.installation_id, project_id, integration_id, copies.group_id, copies.connection_id, created_by
     from copies, installations where id = $1`,
    `insert into configs (id, project_id, installation_id, revision_id, content, created_by)
     select gen_random_uuid(), project_id, copies.installation_id, revision_id, content, created_by
     from copies, configs where configs.installation_id = $1`,
  ];
  for (const copy of copies) await database.query(copy, [installationId]);
}
