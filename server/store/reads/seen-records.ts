/** Records that messages contain and that pages left out, for the trace of a record. */
import { sql } from "kysely";
import { encodeSeenId, unpackSeen, type SeenRecord } from "../../../ground/pack-seen.ts";
import type { DataQueries } from "../database/sides.ts";
import type { ProjectBound } from "../database/id-range.ts";
import { countAffectedRows } from "../database/database.ts";
import { removeRows } from "../database/remove-rows.ts";

/** Records of a message, or records that a page left out. */
export interface SeenRow {
  /** Id of the message, if it is one. */
  id: string;
  isMessage: boolean;
  /** Built by `packSeen`. */
  entries: Buffer;
}

export interface SeenAgain extends SeenRecord {
  /** Id of the message, or of the row about left-out records. Its time is when the record was seen. */
  rowId: string;
  /** Null for records of subscriptions. */
  operationId: string | null;
}

/** Lists where a record was seen, newest first. Reads all stored rows of the object: about 16 MB for a million records. */
export async function listSeen(
  queries: DataQueries,
  of: { installationId: string; objectName: string; recordId: string },
  max: number,
): Promise<SeenAgain[]> {
  const { rows } = await sql<{ id: string; operationId: string | null; entries: Buffer }>`
    select id, operation_id, entries from seen_records
    where installation_id = ${of.installationId} and object_name = ${of.objectName}
      and position(${encodeSeenId(of.recordId)}::bytea in entries) > 0
    order by id desc limit ${max}
  `.execute(queries);
  return rows.flatMap(({ id: rowId, operationId, entries }) =>
    unpackSeen(entries, of.recordId).map((record) => ({ ...record, rowId, operationId })),
  );
}

/** Removes up to `max` old rows, of messages that are too old or of records that were left out; returns their number. */
export const removeOldSeen = (
  queries: DataQueries,
  { isMessage, beforeId }: { isMessage: boolean; beforeId: string },
  max: number,
): Promise<number> =>
  removeRows(queries, "seen_records", sql`id < ${beforeId} and is_message = ${isMessage} order by id`, max);

/** Removes up to `max` old rows of one project about left-out records; those of messages are removed with the messages. */
export async function removeProjectLeftOut(
  queries: DataQueries,
  { projectId, id }: Pick<ProjectBound, "projectId" | "id">,
  max: number,
): Promise<number> {
  const result = await sql`
    delete from seen_records where id in (
      select old.id from installations cross join lateral (
        select id from seen_records
        where installation_id = installations.id and id < ${id} and not is_message order by id limit ${max}
      ) as old where project_id = ${projectId} limit ${max})
  `.execute(queries);
  return countAffectedRows(result);
}
