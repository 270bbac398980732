/** Traces of an installation's records: messages with their deliveries, and writes. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import type { AttemptRecord, DeliveryState } from "../deliveries/deliveries.ts";
import { OUTCOME_OF_DELIVERY, type Outcome } from "../subscriptions/subscription-outcomes.ts";

export interface TracedMessage {
  messageId: string;
  /** Null if it was deleted. */
  destinationName: string | null;
  state: DeliveryState;
  /** Outcome for the message's records. */
  outcome: Outcome;
  attempts: AttemptRecord[];
}

/** Lists data messages of an installation by id, newest first; those that are no longer stored are absent. */
export async function listTracedMessages(
  queries: DataQueries,
  of: { installationId: string; objectName: string },
  ids: string[],
): Promise<TracedMessage[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<TracedMessage>`
    select message.id as message_id, destinations.name as destination_name,
      coalesce(delivery.state, case when first.event_id is null then 'waiting' else 'sending' end) as state,
      case when delivery.state is not null then ${OUTCOME_OF_DELIVERY}
        when held.event_id is not null then 'queued' else 'in_message' end as outcome,
      coalesce(delivery.attempts, '[]') as attempts
    from events as message
    left join destinations on destinations.id = message.destination_id
    left join deliveries as delivery on delivery.destination_id = message.destination_id and delivery.event_id = message.id
    left join first_deliveries as first on first.destination_id = message.destination_id and first.event_id = message.id
    left join held_messages as held on held.installation_id = ${of.installationId} and held.object_name = ${of.objectName}
      and held.event_id = message.id
    where message.id = any(${ids}::uuid[])
    order by message.id desc
  `.execute(queries);
  return rows;
}

export interface TracedWrite {
  operationId: string;
  /** Null if only the operation's end is known, and it was a failure. */
  type: "create" | "update" | "delete" | "upsert" | null;
  status: "in_progress" | "success" | "failure";
}

/** Maximum number of operations that one call reads. */
const MAX_SCANNED = 20_000;

/** Lists the writes of a record under any of its ids, failed ones included, newest first, among the installation's newest operations. */
export async function listWritesOfRecord(
  queries: DataQueries,
  of: { installationId: string; objectName: string; recordIds: string[] },
  max: number,
): Promise<TracedWrite[]> {
  const { rows } = await sql<
    Omit<TracedWrite, "type"> & { writeType: TracedWrite["type"]; done: string | null }
  >`
    select newest.id as operation_id, status, writes.write_type,
      substring(result from '\\] (Created|Updated|Deleted|Upserted) ') as done
    from (
      select id, status, object_name, action_type, metadata, result from operations
      where installation_id = ${of.installationId} order by id desc limit ${MAX_SCANNED}
    ) as newest left join writes on writes.operation_id = newest.id
    where action_type = 'write' and object_name = ${of.objectName} and (
      metadata -> 'successfulRecordIds' ?| ${of.recordIds}::text[] or metadata -> 'failedRecordIds' ?| ${of.recordIds}::text[]
      or exists (select from jsonb_array_elements(writes.records) as record
        where record #>> '{planned,id}' = any(${of.recordIds}::text[])))
    order by newest.id desc limit ${max}
  `.execute(queries);
  return rows.map(({ writeType, done, ...row }) => ({ ...row, type: (done && TYPES[done]) || writeType }));
}

const TYPES: Record<string, TracedWrite["type"]> = {
  Created: "create",
  Updated: "update",
  Deleted: "delete",
  Upserted: "upsert",
};

export interface FoundRecord {
  /** The form of its id under which it was seen. */
  recordId: string;
  installationId: string;
  integrationId: string;
  /** Name of the object at the provider. */
  objectName: string;
  groupName: string;
}

/** Messages and pages that a search reads: over all installations, and at least for each. */
const MAX_SEARCHED = 20_000;
const LEAST_SEARCHED = 20;

/** Finds the objects of a project's installations in which a record with one of these ids was read or has changed. */
export async function findRecords(
  queries: DataQueries,
  { projectId, records }: { projectId: string; records: { id: string; key: Buffer }[] },
  max: number,
): Promise<FoundRecord[]> {
  const { rows } = await sql<FoundRecord>`
    with place as materialized (
      select installations.id, integration_id, group_name
      from installations join groups on groups.id = installations.group_id
      where installations.project_id = ${projectId}
    ), wanted as (
      select * from unnest(${records.map(({ id }) => id)}::text[], ${records.map(({ key }) => key)}::bytea[]) as wanted (record_id, key)
    ), found as (
      select place.id, object_name, wanted.record_id from place cross join lateral (
        select object_name, entries from seen_records where installation_id = place.id
        order by seen_records.id desc limit (select greatest(${LEAST_SEARCHED}, ${MAX_SEARCHED} / greatest(count(*), 1)) from place)
      ) as newest join wanted on position(wanted.key in entries) > 0
      union
      select place.id, object_name, record_id from place
      join subscription_events on installation_id = place.id and record_id = any(${records.map(({ id }) => id)}::text[])
    )
    select id as installation_id, integration_id, object_name, group_name, record_id from found join place using (id)
    order by group_name, object_name, record_id limit ${max}
  `.execute(queries);
  return rows;
}
