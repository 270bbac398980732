/** Applies the current settings to the replication of a pair, and recreates what a failover has removed. */
import { onBothSides, openClient, type SideUrls } from "../database/prepare-database.ts";
import { listTables } from "../database/sides.ts";
import { lockPair, requireReplicationUrl } from "../sides/pair-databases.ts";
import { hasSlot, isEnabled, renewAddress, renewCopies } from "../sides/renew-copies.ts";
import { awaitStandbys, readPublishedSlot, waitUntilCopied } from "../sides/replicate-shared.ts";
import { listBackupTables } from "./backup-lines.ts";

/**
 * Returns whether slot and copies had to be made again. The two are a pair; `slot` is its mark, if that is not in the publication.
 * Throws `StartError` if replication does not go on.
 */
export const renewReplication = (urls: SideUrls, slot?: string): Promise<boolean> =>
  onBothSides(urls, async (sides) => {
    await lockPair(sides);
    const controlUrl = urls.replicationUrl ?? urls.connectionString;
    const isWhole =
      (await hasSlot(sides.control, slot ?? (await readPublishedSlot(sides.control)) ?? "")) &&
      (await isEnabled(sides.data));
    // Without the variable, the address stays as it is, since it can be another one than that of DATABASE_URL.
    if (!isWhole || urls.replicationUrl !== undefined) await requireReplicationUrl(sides.data, controlUrl);
    if (isWhole && urls.replicationUrl !== undefined) await renewAddress(sides.data, controlUrl);
    if (!isWhole) {
      const shared = listTables("shared");
      const tables = (await listBackupTables(sides.control)).filter((name) => shared.includes(name));
      const locking = await openClient(urls.connectionString);
      await renewCopies({ ...sides, locking, controlUrl, tables }).finally(() => locking.end());
    }
    await awaitStandbys(sides.data);
    await waitUntilCopied(sides.data);
    return !isWhole;
  });
