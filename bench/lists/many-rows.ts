/** Fills a project with many customers, and with many rows of each kind that the lists show. */
import { Client as Postgres } from "pg";
import type { TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";

/** One connection in 100 is refused by the provider, one row in 20 has failed. */
export async function fillWithRows(busbar: TestBusbar, rows: number, customers: number): Promise<void> {
  await connectCustomer(busbar, { provider: "hubspot", objects: ["contacts"], skipSampling: true });
  const destination = { name: "my-app", type: "webhook", metadata: { url: "http://127.0.0.1:9/" } };
  const { body } = await busbar.inProject("POST", "/destinations", destination);
  const database = new Postgres({ connectionString: busbar.connectionString });
  await database.connect();
  await database.query(NEW_ID);
  await database.query(GROUPS, [customers]);
  for (const statement of COPIES) await database.query(statement);
  for (const statement of ROWS) await database.query(statement, [rows]);
  await database.query(NOWHERE);
  await database.query(DELIVERIES, [body.id]);
  await database.query(AUDIT, [busbar.server.bootstrap?.orgId, rows]);
  await database.query("vacuum analyze");
  await database.end();
}

/** Returns a UUIDv7 of a time so long ago, because the lists take the time of most rows from the id. */
const NEW_ID = `create function id_of(ago interval) returns uuid language sql volatile as $$
  select (lpad(to_hex((1000 * extract(epoch from now() - ago))::bigint), 12, '0') || '7' ||
    substr(replace(gen_random_uuid()::text, '-', ''), 1, 3) || '8' ||
    substr(replace(gen_random_uuid()::text, '-', ''), 1, 15))::uuid $$`;

const GROUPS = `insert into groups (id, project_id, group_ref, group_name)
  select id_of('1 day'), project_id, 'customer-' || n, 'Customer ' || n from groups, generate_series(1, $1::integer) n`;

/** Copies what the connected customer has; the credentials are never opened. */
const COPIES = [
  `insert into consumers (id, project_id, consumer_ref, consumer_name)
    select id, project_id, group_ref || '-admin', group_name from groups where group_ref like 'customer-%'`,
  `insert into connections (id, project_id, provider, group_id, consumer_id, auth_scheme, status, credentials_sealed)
    select id_of('1 day'), groups.project_id, provider, groups.id, groups.id, auth_scheme,
      case when random() < 0.01 then 'bad_credentials' else 'working' end, credentials_sealed
    from groups, connections where group_ref like 'customer-%'`,
  `insert into installations (id, project_id, integration_id, group_id, connection_id, created_by)
    select id_of('1 day'), connections.project_id, integration_id, connections.group_id, connections.id, created_by
    from connections, installations where connections.id <> connection_id`,
  `insert into configs (id, project_id, installation_id, revision_id, content, created_by)
    select id_of('1 day'), one.project_id, installations.id, one.revision_id, one.content, one.created_by
    from configs as one, installations where installations.id <> one.installation_id`,
  "create table places as select id, row_number() over (order by id) as nth from installations",
];

const PLACE = "join places on nth = 1 + n % (select max(nth) from places)";

/** Their times lie in the periods for which rows are kept. Inserted in the order of time, as they are in use. */
const ROWS = [
  `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status,
      result, metadata, create_time, update_time, request_id)
    select operation.id, project_id, integration_id, installations.id, installations.id, 'write', 'contacts',
      case when n % 20 = 0 then 'failure' else 'success' end,
      case when n % 20 = 0 then '[contacts] The provider has no such record: resource not found' else '[contacts] 1 record written' end,
      jsonb_build_object('objects', array['contacts'], 'successfulRecordIds', array[n::text]),
      now() - ago, now() - ago + interval '1 second', gen_random_uuid()
    from generate_series(1, $1::integer) n ${PLACE} join installations on installations.id = places.id
    cross join lateral (select id_of(29 * (n * interval '1 day') / $1) as id, 29 * (n * interval '1 day') / $1 as ago) as operation
    order by n desc`,
  `insert into proxy_usage (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down)
    select now() - 29 * (n * interval '1 day') / $1, project_id, installations.id, 'GET', '/crm/v3/objects/contacts/' || n,
      case when n % 20 = 0 then 404 else 200 end, n % 500, 0, 1000
    from generate_series(1, $1::integer) n ${PLACE} join installations on installations.id = places.id
    order by n desc`,
  `insert into events (id, project_id, type, data)
    select id_of(6 * (n * interval '1 day') / $1), installations.project_id,
      case when n % 5 = 0 then 'connection.updated' else 'write.async.done' end,
      json_build_object('groupRef', group_ref, 'installationId', installations.id, 'connectionId', connection_id)
    from generate_series(1, $1::integer) n ${PLACE} join installations on installations.id = places.id
    join groups on groups.id = group_id
    order by n desc`,
  `insert into refused_requests (id, project_id, method, path, operation_id, status, slug, detail)
    select id_of(6 * (n * interval '1 day') / $1), projects.id, 'POST', '/v1/projects/default/groups', 'createGroup', 400,
      'invalid-request', 'groupRef: must be a text'
    from generate_series(1, $1::integer) n, projects
    order by n desc`,
];

const NOWHERE = `insert into events_nowhere (project_id, event_id, missing)
  select project_id, id, 'topic' from events where type = 'connection.updated'`;

const DELIVERIES = `insert into deliveries (destination_id, event_id, state, due_time, attempts)
  select $1::uuid, id, case when random() < 0.05 then 'failed' else 'delivered' end, now(),
    '[{"time": "2026-01-01T00:00:00Z", "durationMs": 12, "status": 200}]'
  from events where type = 'write.async.done' order by id`;

const AUDIT = `insert into audit_events (id, org_id, operation_id, actor_kind, target_kind, target_id, request_id)
  select id_of(29 * (n * interval '1 day') / $2), $1::uuid, 'updateDestination', 'system', 'destination', 'd' || n % 100, gen_random_uuid()::text
  from generate_series(1, $2::integer) n order by n desc`;
