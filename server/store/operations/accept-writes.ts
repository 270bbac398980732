/** Inserts accepted asynchronous writes: operation, queue row and record keys of many requests in one transaction. */
import { sql } from "kysely";
import type { Json } from "../../../ground/json.ts";
import type { DataQueries } from "../database/sides.ts";
import type { NewOperation } from "./operations.ts";

/** Types of writes that are queued; deletes never are. */
export type QueuedWriteType = "create" | "update" | "upsert";

export interface AcceptedWrite {
  operation: NewOperation;
  writeType: QueuedWriteType;
  sendOptions: Json;
  records: Json[];
  /** Keys of the records that the write updates: installation, object, and id or key. */
  recordKeys: string[];
  /** Milliseconds from now. */
  dueMs: number;
  /** Milliseconds from the due time. */
  retryMs: number;
}

/**
 * Inserts writes in the given order, in which updates of one record will be applied. The caller creates the ids: an operation
 * that exists already was accepted by an earlier statement whose answer was lost, and is skipped.
 */
export async function insertAcceptedWrites(queries: DataQueries, writes: AcceptedWrite[]): Promise<void> {
  const rows = writes.map(
    ({ operation, writeType, sendOptions, records, recordKeys, dueMs, retryMs }, position) => ({
      position,
      id: operation.id,
      project_id: operation.projectId,
      integration_id: operation.integrationId,
      installation_id: operation.installationId,
      config_id: operation.configId,
      action_type: operation.actionType,
      object_name: operation.objectName,
      message_name: operation.messageName,
      request_id: operation.requestId,
      actor: operation.actor,
      write_type: writeType,
      send_options: sendOptions,
      records,
      record_keys: [...new Set(recordKeys)],
      due_ms: dueMs,
      deadline_ms: dueMs + retryMs,
    }),
  );
  await sql`/* prepare accept-writes */
    with input as (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(
        id uuid, project_id uuid, integration_id uuid, installation_id uuid, config_id uuid, action_type text,
        object_name text, message_name text, request_id uuid, actor jsonb, write_type text, send_options jsonb, records jsonb, record_keys jsonb, due_ms double precision,
        deadline_ms double precision, position integer)
    ), made as (
      insert into operations (
        id, project_id, integration_id, installation_id, config_id, action_type, object_name, request_id, actor, status, metadata)
      select id, project_id, integration_id, installation_id, config_id, action_type, object_name, request_id, actor, 'in_progress',
        jsonb_build_object('objects', jsonb_build_array(coalesce(message_name, object_name)))
      from input
      on conflict (id) do nothing
      returning id as made_id
    ), queued as (
      insert into writes (operation_id, installation_id, write_type, send_options, records, due_time, deadline)
      select id, installation_id, write_type, send_options, records,
        now() + due_ms * interval '1 millisecond', now() + deadline_ms * interval '1 millisecond'
      from input join made on made_id = id order by position
      returning operation_id, seq
    )
    insert into write_keys (record_key, seq, operation_id)
    select key, queued.seq, queued.operation_id
    from queued join input on input.id = queued.operation_id, jsonb_array_elements_text(input.record_keys) as key
  `.execute(queries);
}

export interface GroupedWrite extends AcceptedWrite {
  /** Key of the group: installation, object and type. */
  groupKey: string;
}

/** Number of records, or bytes of records, with which a group is full: it is due at once. */
const GROUP_SIZE = 100;
export const GROUP_BYTES = 2 * 1024 * 1024;

/**
 * Adds a record to the open group with its key, or opens a group that is due after `dueMs`. Returns the id of the group's
 * operation. Call it in a transaction: the group's row stays locked until the commit.
 */
export async function appendToGroup(queries: DataQueries, write: GroupedWrite): Promise<string> {
  const { groupKey } = write;
  const records = JSON.stringify(write.records);
  const bytes = Buffer.byteLength(records);
  // Locked before the check, so that two processes never open groups with the same key at once.
  await sql`select pg_advisory_xact_lock(hashtextextended(${groupKey}, 0))`.execute(queries);
  const open = await findOpenGroup(queries, write);
  if (!open) {
    const isFull = bytes >= GROUP_BYTES;
    await insertAcceptedWrites(queries, [isFull ? { ...write, dueMs: 0 } : write]);
    await queries
      .updateTable("writes")
      .set({ openGroup: isFull ? null : groupKey, groupBytes: bytes })
      .where("operationId", "=", write.operation.id)
      .execute();
    return write.operation.id;
  }
  const isFull = open.size + 1 >= GROUP_SIZE || open.bytes + bytes >= GROUP_BYTES;
  await sql`
    update writes set records = records || ${records}::jsonb, group_bytes = group_bytes + ${bytes},
      open_group = case when ${isFull} then null else open_group end,
      due_time = case when ${isFull} then now() else due_time end
    where operation_id = ${open.operationId}
  `.execute(queries);
  await insertKeys(queries, open.operationId, open.seq, write.recordKeys);
  return open.operationId;
}

async function findOpenGroup(
  queries: DataQueries,
  write: GroupedWrite,
): Promise<{ operationId: string; seq: string; size: number; bytes: number } | undefined> {
  const group = await queries
    .selectFrom("writes")
    .select([
      "operationId",
      "seq",
      sql<number>`jsonb_array_length(records)`.as("size"),
      "groupBytes as bytes",
    ])
    .where("openGroup", "=", write.groupKey)
    .forUpdate()
    .executeTakeFirst();
  if (!group || !(await isOvertaken(queries, group.seq, write.recordKeys))) return group;
  // A later write already waits for one of these records: in the older group, this one would come before it.
  await queries
    .updateTable("writes")
    .set({ openGroup: null })
    .where("operationId", "=", group.operationId)
    .execute();
  return undefined;
}

async function isOvertaken(queries: DataQueries, seq: string, recordKeys: string[]): Promise<boolean> {
  if (recordKeys.length === 0) return false;
  const later = await queries
    .selectFrom("writeKeys")
    .select("seq")
    .where("recordKey", "in", recordKeys)
    .where("seq", ">", seq)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

async function insertKeys(
  queries: DataQueries,
  operationId: string,
  seq: string,
  recordKeys: string[],
): Promise<void> {
  if (recordKeys.length === 0) return;
  await queries
    .insertInto("writeKeys")
    .values(recordKeys.map((recordKey) => ({ recordKey, seq, operationId })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
