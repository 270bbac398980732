/** Lists the shards of a database that is not migrated before it is backed up. */
import { openClient } from "../database/prepare-database.ts";
import { OPEN_STATES, type RegisteredShard } from "./shard-registry.ts";

/** Lists the shards that may have customers. */
export async function listRegistered(
  connectionString: string,
): Promise<Pick<RegisteredShard, "id" | "name" | "urlSealed">[]> {
  const control = await openClient(connectionString);
  try {
    const known = await control.query("select from pg_class where oid = to_regclass('shards')");
    if (known.rows.length === 0) return [];
    const { rows } = await control.query<{ id: string; name: string; urlSealed: string }>(
      'select id, name, url_sealed as "urlSealed" from shards where state = any($1) order by create_time, id',
      [OPEN_STATES],
    );
    return rows;
  } finally {
    await control.end();
  }
}
