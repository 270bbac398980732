/** Baselines of the schema watch: the fields of each object of an installation at the last check. */
import { sql } from "kysely";
import type { Json } from "../../../ground/json.ts";
import type { DataQueries } from "../database/sides.ts";
import { buildEventInserts, WAKES_DELIVERERS, type EventRow } from "../deliveries/events.ts";

export interface SchemaBaseline {
  objectName: string;
  /** Account at the provider to which these fields belong. */
  account: string;
  /** JSON of the fields, by name. */
  fields: Json;
  version: number;
}

/** Lists the baselines of an installation, by object. */
export async function listSchemaBaselines(
  queries: DataQueries,
  installationId: string,
): Promise<Map<string, SchemaBaseline>> {
  const rows = await queries
    .selectFrom("schemaBaselines")
    .select(["objectName", "account", "fields", "version"])
    .where("installationId", "=", installationId)
    .execute();
  return new Map(rows.map((row) => [row.objectName, { ...row, fields: row.fields as Json }]));
}

/**
 * Saves the fields of an object and records the message about their changes, in one statement. Does neither if the baseline has
 * another version than the compared one, or if the check is gone, because the watch has ended or the installation was deleted. A
 * watch that ends meanwhile waits for this statement (`forgetBaselines`).
 */
export async function saveSchemaBaseline(
  queries: DataQueries,
  {
    installationId,
    objectName,
    account,
    fields,
    comparedVersion,
    message,
  }: {
    installationId: string;
    objectName: string;
    account: string;
    fields: object;
    /** Undefined if there was no baseline. */
    comparedVersion: number | undefined;
    message: EventRow | undefined;
  },
): Promise<void> {
  await sql`
    with saved as (
      insert into schema_baselines as known (installation_id, object_name, account, fields)
      select installation_id, ${objectName}, ${account}, ${JSON.stringify(fields)}::json from schema_looks
      where installation_id = ${installationId} for key share
      on conflict (installation_id, object_name) do update set
        account = excluded.account, fields = excluded.fields, version = known.version + 1, update_time = now()
      where known.version = ${comparedVersion ?? null}::integer
      returning 1
    ), ${buildEventInserts(message ? [message] : [], sql`exists (select from saved)`)}
    select ${WAKES_DELIVERERS}
  `.execute(queries);
}

/** Builds the value of `account` for a connection: the provider's name of the account, or the connection's id. */
export const buildBaselineAccount = (connectionId: string, workspaceRef: string | null): string =>
  workspaceRef ?? connectionId;

/** Removes the baselines of objects that an installation does not read any longer. When one is added again, it is new. */
export async function removeOtherBaselines(
  queries: DataQueries,
  installationId: string,
  objectNames: string[],
): Promise<void> {
  await sql`
    delete from schema_baselines
    where installation_id = ${installationId} and object_name <> all(${objectNames}::text[])
  `.execute(queries);
}
