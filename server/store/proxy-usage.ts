/** Lines about proxied calls. */
import { sql } from "kysely";
import type { Queries } from "./database.ts";

export interface ProxyUse {
  /** When the call began, in milliseconds since the epoch. */
  timeMs: number;
  projectId: string;
  installationId: string;
  method: string;
  /** Without the query. */
  path: string;
  /** What the caller got. */
  status: number;
  durationMs: number;
  bytesUp: number;
  bytesDown: number;
}

/** One statement for all lines; as one JSON text, which both sides read faster than nine arrays. */
export async function insertProxyUsage(queries: Queries, uses: ProxyUse[]): Promise<void> {
  const lines = JSON.stringify(uses);
  await sql`
    insert into proxy_usage
      (time, project_id, installation_id, method, path, status, duration_ms, bytes_up, bytes_down)
    select to_timestamp("timeMs" / 1000), "projectId", "installationId", method, path, status, "durationMs",
      "bytesUp", "bytesDown"
    from json_to_recordset(${lines}::json) as line(
      "timeMs" double precision, "projectId" uuid, "installationId" uuid, method text, path text, status integer,
      "durationMs" integer, "bytesUp" bigint, "bytesDown" bigint)`.execute(queries);
}

/** Removes at most `most` lines from before `time`, and says how many it removed. */
export async function removeProxyUsageBefore(queries: Queries, time: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from proxy_usage
    where id in (select id from proxy_usage where time < ${time} order by id limit ${most})`.execute(queries);
  return Number(numAffectedRows ?? 0n);
}
