/** Restores a backup into an empty database, or into two, with one commit in each: afterwards they have all rows, or none. */
import type { Client } from "pg";
import { StartError } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import { FORMAT, SHARDED_FORMAT, type BackupEnd, type BackupHead } from "./backup-lines.ts";
import { insertRows, type Place } from "./insert-rows.ts";
import {
  buildDivision,
  onBothSides,
  openClient,
  preparePair,
  type SideUrls,
} from "../database/prepare-database.ts";
import { listTables } from "../database/sides.ts";
import { toCurrentNames, migrate } from "../database/migrate.ts";

/**
 * Migrates to the backup's migrations, inserts the rows, and then migrates to this version. Returns the
 * backup's head. Throws `StartError` if a database is not empty, or if the backup is cut off, comes from a newer version or
 * is no backup.
 */
export async function restoreBackup(
  urls: Omit<SideUrls, "dataUrl"> & { dataUrl?: string | undefined },
  lines: AsyncIterable<string>,
  log: Log,
): Promise<BackupHead & BackupEnd> {
  const each = lines[Symbol.asyncIterator]();
  const head = readHead((await each.next()).value);
  const rest = { [Symbol.asyncIterator]: () => each };
  const { dataUrl } = urls;
  if (dataUrl !== undefined)
    return { ...head, ...(await restoreIntoTwo({ ...urls, dataUrl }, { head, rest, log })) };
  const client = await openClient(urls.connectionString);
  try {
    return { ...head, ...(await restoreInto([{ client }], { head, rest, log })) };
  } finally {
    // Rolls back what was not committed.
    await client.end();
  }
}

interface Restoring {
  head: BackupHead;
  rest: AsyncIterable<string>;
  log: Log;
}

/** Becomes a pair after the rows are there: until then no process starts on them. */
const restoreIntoTwo = (urls: SideUrls, restoring: Restoring): Promise<BackupEnd> =>
  onBothSides(urls, async (sides) => {
    const pair = await preparePair(sides, urls, restoring.log);
    if (pair.isPaired) throw new StartError(NOT_EMPTY);
    // Data first: a control database with rows is in use, and a crash between the two commits leaves none.
    const end = await restoreInto(
      [
        { client: sides.data, division: buildDivision("data"), tables: listTables("data", "shared") },
        {
          client: sides.control,
          division: buildDivision("control"),
          tables: listTables("control", "shared", "own"),
        },
      ],
      restoring,
    );
    await pair.replicate();
    return end;
  });

async function restoreInto(places: Place[], { head, rest, log }: Restoring): Promise<BackupEnd> {
  for (const { client, division } of places) {
    await migrate(client, log, { upTo: head.migrations, division });
    await requireEmpty(client, {
      migrations: toCurrentNames(head.migrations),
      hasControl: division?.side !== "data",
    });
  }
  for (const { client } of places) await client.query("begin");
  const end = await insertRows(places, rest);
  for (const { client } of places)
    for (const [name, value] of Object.entries(end.sequences))
      // A divided database has the sequences of its side.
      // Rows of shards have got further numbers.
      await client.query(
        "select setval(place, greatest($2, nextval(place))) from to_regclass($1) as place where place is not null",
        [client.escapeIdentifier(name), value],
      );
  // The registry of shards belongs to the former database: all customers are in the main shard now.
  if (head.format === SHARDED_FORMAT)
    for (const { client, tables } of places) {
      await placeInMain(client);
      if (tables?.includes("subscriptions") ?? true) await reconcileJournals(client, head);
    }
  for (const { client } of places) await client.query("commit");
  for (const { client, division } of places) {
    await migrate(client, log, { division });
    await client.query("analyze");
  }
  return end;
}

async function placeInMain(client: Client): Promise<void> {
  await client.query("update groups set shard = null where shard is not null");
  const { rows } = await client.query("select from pg_class where oid = to_regclass('outbox')");
  if (rows.length > 0) await client.query("update outbox set shard = null where shard is not null");
}

/** How far the shards may have been apart in a journal that each read by itself: one position is kept. */
const APART = "interval '1 hour'";
const REASON = "The journal was read by several shards, which are one now.";

const reconcileJournals = async (client: Client, { time }: BackupHead): Promise<void> =>
  void (await client.query(
    `update subscriptions set due_time = now(), reconcile_reason = $2,
       reconcile_since = least(reconcile_since, greatest(create_time, $1::timestamptz - ${APART}))
     where source = 'journal' and state <> 'disabled'`,
    [time, REASON],
  ));

function readHead(line: string | undefined): BackupHead {
  if (!line?.startsWith("H ")) throw new StartError("the file is not a backup of Busbar: it has no head");
  const head = JSON.parse(line.slice(2)) as BackupHead;
  if (head.format === FORMAT || head.format === SHARDED_FORMAT) return head;
  throw new StartError(
    `the backup was made by Busbar ${head.version}; restore it with that version or a newer one`,
  );
}

const NOT_EMPTY =
  "the database is not empty: restore into a new data folder (BUSBAR_DATA_DIR) or an empty database (DATABASE_URL), or into two " +
  "(BUSBAR_DATA_DATABASE_URL)";

async function requireEmpty(
  client: Client,
  { migrations, hasControl }: { migrations: string[]; hasControl: boolean },
): Promise<void> {
  const { rows: more } = await client.query("select from migrations where name <> all($1::text[])", [
    migrations,
  ]);
  const used = hasControl ? await client.query("select from organizations limit 1") : undefined;
  if (more.length > 0 || used?.rows[0]) throw new StartError(NOT_EMPTY);
}
