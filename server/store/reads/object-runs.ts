/** Reads of one object that have not ended, for the trace of its records. */
import { sql } from "kysely";
import type { DataQueries } from "../database/sides.ts";
import type { ReadKind } from "./read-runs.ts";

export interface ObjectRun {
  operationId: string;
  kind: ReadKind;
  /** When it goes on, if it waits. */
  dueTime: Date;
  waitsFor: "provider" | "rate_limit" | "destination" | "calls" | "credentials" | null;
  waitingSince: Date | null;
}

/** Lists the reads of an object that have not ended, in the order in which they began. */
export async function listObjectRuns(
  queries: DataQueries,
  installationId: string,
  objectName: string,
): Promise<ObjectRun[]> {
  const { rows } = await sql<ObjectRun>`
    select operation_id, kind, due_time, metadata #>> '{read,waitsFor}' as waits_for,
      (metadata #>> '{read,waitingSince}')::timestamptz as waiting_since
    from read_runs join operations on operations.id = operation_id
    where read_runs.installation_id = ${installationId} and read_runs.object_name = ${objectName} order by seq
  `.execute(queries);
  return rows;
}
