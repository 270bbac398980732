/**
 * Makes an empty database a shard of a control database that is in use. The name of the replication slot is the mark by which the
 * database is recognised later. Each step can be repeated after a crash.
 */
import type { ClientBase } from "pg";
import { StartError } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import {
  APPLIED_MIGRATIONS,
  listMigrationNames,
  listUnknownMigrations,
  type AppliedMigration,
} from "../database/migrate.ts";
import { lockSides, migrateSide, onBothSides, openClient } from "../database/prepare-database.ts";
import { listTables } from "../database/sides.ts";
import { listBackupTables } from "../maintenance/backup-lines.ts";
import { requireNewSide, requireSameVersion } from "../sides/pair-databases.ts";
import { dropSlot, makeCopies } from "../sides/renew-copies.ts";
import {
  publish,
  readPublishedSlot,
  readSubscribedSlot,
  REPLICATION,
  stopReplicating,
  waitUntilCopied,
} from "../sides/replicate-shared.ts";

export interface ShardPair {
  /** Database of the control tables. */
  connectionString: string;
  /** How the server of the shard reaches it, if not by `connectionString`. */
  replicationUrl?: string | undefined;
  name: string;
  url: string;
  slot: string;
}

interface PairingSteps {
  /** Called when nothing stands against it, before something is made; nobody else pairs meanwhile. */
  onBegin?(): Promise<unknown>;
  /** Called before each table is copied. */
  onTable?(progress: { table: string; done: number; all: number }): void;
}

/** Throws `StartError`, which names the shard, before anything is changed if the two cannot belong together. */
export const pairShard = (pair: ShardPair, log: Log, steps: PairingSteps = {}): Promise<void> =>
  nameShardInErrors(pair, async () => {
    const { connectionString, url: dataUrl, slot } = pair;
    const controlUrl = pair.replicationUrl ?? connectionString;
    await onBothSides({ connectionString, dataUrl }, async (sides) => {
      await lockSides(sides, { connectionString, dataUrl });
      const subscribed = await readSubscribedSlot(sides.data);
      if (subscribed === slot) return;
      if (subscribed !== undefined) throw new StartError(BELONGS_ELSEWHERE);
      await requireSameVersion(sides);
      const all = listTables("control", "shared", "data", "own");
      await requireKnownSchema(sides.data);
      await requireNewSide(sides, { controlUrl, tables: all, log });
      await steps.onBegin?.();
      await migrateSide("data", dataUrl, log);
      const shared = listTables("shared");
      await publish(sides.control, { tables: shared });
      const tables = (await listBackupTables(sides.control)).filter((name) => shared.includes(name));
      const locking = await openClient(connectionString);
      const onTable = (table: string, done: number) => steps.onTable?.({ table, done, all: tables.length });
      await makeCopies({ ...sides, locking, controlUrl, tables, onTable }, slot).finally(() => locking.end());
      await waitUntilCopied(sides.data);
    });
  });

/** Throws for a database that a newer version has migrated. */
async function requireKnownSchema(data: ClientBase): Promise<void> {
  const { rows } = await data.query<{ found: boolean }>(
    "select to_regclass('migrations') is not null as found",
  );
  if (!rows[0]?.found) return;
  const applied = (await data.query<AppliedMigration>(APPLIED_MIGRATIONS)).rows;
  const unknown = listUnknownMigrations(applied, await listMigrationNames());
  if (unknown.length === 0) return;
  throw new StartError(
    `the database of BUSBAR_DATA_DATABASE_URL was migrated by another version of Busbar (${unknown.join(", ")}): name an empty one`,
  );
}

const BELONGS_ELSEWHERE =
  "the database of BUSBAR_DATA_DATABASE_URL belongs to another control database, or is a shard of this one already: name an empty one";

/** Takes a shard away: ends its replication. Its tables stay, with the copies. */
export const unpairShard = ({ connectionString, url, slot }: ShardPair): Promise<void> =>
  onBothSides({ connectionString, dataUrl: url }, (sides) => endReplication({ ...sides, slot }));

/** Ends the replication into a shard; without `data`, which cannot be reached, only on the control side. */
export async function endReplication({
  control,
  data,
  slot,
}: {
  control: ClientBase;
  data: ClientBase | undefined;
  slot: string;
}): Promise<void> {
  // A database may have been given to another Busbar since.
  if (data && (await readSubscribedSlot(data)) === slot) await stopReplicating({ control, data, slot });
  else await dropSlot(control, slot);
}

/** Ends the publication of a control database that has no shard any more, unless it is that of two databases. */
export async function endPublication(control: ClientBase): Promise<void> {
  if ((await readPublishedSlot(control)) === "") await control.query(`drop publication ${REPLICATION}`);
}

/** Names the shard in refusals, which are written for the data database of two. */
export async function nameShardInErrors<Result>(
  { name }: Pick<ShardPair, "name">,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause;
    throw new StartError(cause.message.replaceAll("BUSBAR_DATA_DATABASE_URL", `the shard ${name}`), {
      cause,
    });
  }
}
