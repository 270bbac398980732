/**
 * Makes an empty database a shard of a control database that is in use. The name of the replication slot is the mark by which the
 * database is recognised later. Each step can be repeated after a crash.
 */
import { StartError } from "../../../ground/errors.ts";
import type { Log } from "../../../ground/log.ts";
import { lockSides, migrateSide, onBothSides, openClient } from "../database/prepare-database.ts";
import { listTables } from "../database/sides.ts";
import { listBackupTables } from "../maintenance/backup-lines.ts";
import { requireNewSide, requireSameVersion } from "../sides/pair-databases.ts";
import { makeCopies } from "../sides/renew-copies.ts";
import { publish, readSubscribedSlot, stopReplicating, waitUntilCopied } from "../sides/replicate-shared.ts";

export interface ShardPair {
  /** Database of the control tables. */
  connectionString: string;
  /** How the server of the shard reaches it, if not by `connectionString`. */
  replicationUrl?: string | undefined;
  name: string;
  url: string;
  slot: string;
}

/** Throws `StartError`, which names the shard, before anything is changed if the two cannot belong together. */
export const pairShard = (pair: ShardPair, log: Log): Promise<void> =>
  namingShard(pair, async () => {
    const { connectionString, url: dataUrl, slot } = pair;
    const controlUrl = pair.replicationUrl ?? connectionString;
    await onBothSides({ connectionString, dataUrl }, async (sides) => {
      await lockSides(sides, { connectionString, dataUrl });
      const subscribed = await readSubscribedSlot(sides.data);
      if (subscribed === slot) return;
      if (subscribed !== undefined) throw new StartError(BELONGS_ELSEWHERE);
      await requireSameVersion(sides);
      const all = listTables("control", "shared", "data", "own");
      await requireNewSide(sides, { controlUrl, tables: all, log });
      await migrateSide("data", dataUrl, log);
      const shared = listTables("shared");
      await publish(sides.control, { tables: shared });
      const tables = (await listBackupTables(sides.control)).filter((name) => shared.includes(name));
      const locking = await openClient(connectionString);
      await makeCopies({ ...sides, locking, controlUrl, tables }, slot).finally(() => locking.end());
      await waitUntilCopied(sides.data);
    });
  });

const BELONGS_ELSEWHERE =
  "the database of BUSBAR_DATA_DATABASE_URL belongs to another control database, or is a shard of this one already: name an empty one";

/** Takes a shard away: ends its replication. Its tables stay, with the copies. */
export const unpairShard = ({ connectionString, url, slot }: ShardPair): Promise<void> =>
  onBothSides({ connectionString, dataUrl: url }, (sides) => stopReplicating({ ...sides, slot }));

/** Names the shard in refusals, which are written for the data database of two. */
async function namingShard<Result>({ name }: ShardPair, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof StartError)) throw cause;
    throw new StartError(cause.message.replaceAll("BUSBAR_DATA_DATABASE_URL", `the shard ${name}`), {
      cause,
    });
  }
}
