/** Gives a customer a row in every data table, as work for it would leave them, and reads all of them back. */
import type { Client } from "pg";
import { newId } from "../../ground/ids.ts";
import { CUSTOMER_TABLES, listCustomerTables } from "../../server/store/moves/customer-tables.ts";
import type { PlacedCustomer } from "./customers-in-shards.ts";

interface Owner extends Pick<PlacedCustomer, "groupRef" | "connectionId" | "installationId"> {
  projectId: string;
  /** A destination of the project. */
  destinationId: string;
}

/**
 * Inserts operations, ended and under way, with the rows that belong to them: `count` of each kind of which a customer has many. Returns ids;
 * each inserted row contains one of them.
 */
export async function insertCustomerRows(data: Client, owner: Owner, count: number): Promise<string[]> {
  const { projectId, groupRef, connectionId, installationId, destinationId } = owner;
  const { rows } = await data.query<{ group_id: string }>(
    "select group_id from installations where id = $1",
    [installationId],
  );
  const groupId = rows[0]?.group_id;
  const topicId = newId();
  const ids = [projectId, installationId, connectionId, destinationId, topicId];
  const about = JSON.stringify({ groupRef, installationId, note: 'quotes " and \\ and\tü' });
  const operation = async (status: string, metadata = "{}") => {
    const id = newId();
    await data.query(
      `insert into operations (id, project_id, integration_id, installation_id, config_id, action_type, object_name, status, metadata)
       values ($1, $2, $1, $3, $1, 'write', 'companies', $4, $5)`,
      [id, projectId, installationId, status, metadata],
    );
    return id;
  };
  const event = async (isData = false) => {
    const id = newId();
    await data.query(
      "insert into events (id, project_id, type, data, destination_id) values ($1, $2, 'read', $3, $4)",
      [id, projectId, about, isData ? destinationId : null],
    );
    return id;
  };
  for (let nth = 0; nth < count; nth += 1) {
    await operation(nth % 2 === 0 ? "success" : "failure");
    await data.query(
      "insert into deliveries (destination_id, event_id, state, due_time) values ($1, $2, 'delivered', now())",
      [destinationId, await event()],
    );
    await data.query(
      `insert into proxy_usage (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down, request_id)
       values (now(), $1, $2, 'GET', '/a', 200, 1, 1, 1, $3)`,
      [projectId, installationId, `line ${nth}`],
    );
    const queued = await operation("in_progress");
    await data.query(
      `insert into writes (operation_id, installation_id, write_type, send_options, records, due_time, deadline)
       values ($1, $2, 'update', '{}', '[]', now() + interval '1 day', now() + interval '2 days')`,
      [queued, installationId],
    );
    await data.query(
      "insert into write_keys (record_key, seq, operation_id) select $1, seq, operation_id from writes where operation_id = $2",
      [`${installationId} record`, queued],
    );
    await data.query(
      `insert into held_messages (installation_id, object_name, event_id, destination_id, size_bytes, operation_id)
       values ($1, 'contacts', $2, $3, 10, $4)`,
      [installationId, await event(true), destinationId, queued],
    );
  }
  const routed = await event();
  await data.query("insert into event_topics values ($1, $2, 'topic')", [routed, topicId]);
  await data.query("insert into events_nowhere values ($1, $2, 'destination')", [projectId, routed]);
  const done = await operation("success");
  await data.query(
    `insert into agent_changes (operation_id, project_id, group_id, type, integration, object_name, after)
     values ($1, $2, $3, 'create', 'i', 'o', '{}')`,
    [done, projectId, groupId],
  );
  const read = await operation("in_progress");
  await data.query(
    `insert into read_objects (installation_id, object_name, project_id, account_ref, message_name, destination, cursor_time,
       deletions_time, backfill_id) values ($1, 'contacts', $2, 'a', 'contacts', 'd', now(), now(), $3)`,
    [installationId, projectId, read],
  );
  await data.query(
    `insert into read_runs (operation_id, project_id, installation_id, object_name, kind, due_time, checkpoint)
     values ($1, $2, $3, 'contacts', 'backfill', now() + interval '1 day', '{"page": 7}')`,
    [read, projectId, installationId],
  );
  const more: [statement: string, values: unknown[]][] = [
    ["insert into read_fingerprints values ($1, 'contacts', '1', now(), '\\x00ff')", [installationId]],
    ["insert into read_syncs values ($1) on conflict do nothing", [installationId]],
    ["insert into subscription_syncs values ($1) on conflict do nothing", [installationId]],
    [
      `insert into subscriptions (id, installation_id, object_name, project_id, provider, source, due_time)
       values ($1, $2, 'contacts', $3, 'acme', 'webhook', null)`,
      [newId(), installationId, projectId],
    ],
    [
      `insert into subscription_events (id, installation_id, object_name, record_id, provider_event_type, occurred_time, dedupe_key, raw, outcome)
       values ($1, $2, 'contacts', '1', 'x', now(), '\\x01', '{}', 'delivered')`,
      [newId(), installationId],
    ],
    ["insert into connection_gates values ($1, now() + interval '1 hour', true)", [connectionId]],
    [
      `insert into event_streams (connection_id, project_id, provider, ref, topic, account_ref, position, retry_time)
       values ($1, $2, 'acme', 'r', 't', 'a', '\\xdeadbeef', now() + interval '1 day')`,
      [connectionId, projectId],
    ],
    ["insert into schema_baselines values ($1, 'contacts', 'a', '[]')", [installationId]],
    [
      `insert into schema_looks (installation_id, integration_id, due_time)
       select id, integration_id, now() + interval '1 day' from installations where id = $1`,
      [installationId],
    ],
    ["insert into reported_health values ($1, '{destination}')", [installationId]],
    [
      "insert into own_writes values ($1, 'contacts', '1', $2, 'update', now(), now(), null, '{}')",
      [connectionId, done],
    ],
    [
      "insert into seen_records values ($1, $2, 'contacts', null, true, '\\x0102')",
      [newId(), installationId],
    ],
    ["insert into undelivered_changes values ($1, $2, 'contacts', 3)", [newId(), installationId]],
    [
      "insert into failing_writes values ($1, 'contacts', 'create', 3, now(), now(), $2)",
      [installationId, done],
    ],
    ["insert into held_credits values ($1, 'contacts', 0)", [installationId]],
  ];
  for (const [statement, values] of more) await data.query(statement, values);
  return ids;
}

/** Reads the rows of all data tables as texts, without the numbers that a database gives, in their order. */
export async function readAllRows(data: Client): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const moves of ["frozen", "ahead", "open", "history"] as const)
    for (const { name, numbered } of listCustomerTables(moves)) {
      const { rows } = await data.query<{ line: string }>(
        `select (to_jsonb(entry) ${numbered === undefined ? "" : `- '${numbered}'`})::text as line from ${name} as entry
         order by ${numbered ?? "1"}`,
      );
      all[name] = rows.map(({ line }) => line);
      if (numbered === undefined) all[name].sort();
    }
  return all;
}

export const MOVED_TABLES = Object.values(CUSTOMER_TABLES).filter(({ moves }) => moves !== "never").length;
