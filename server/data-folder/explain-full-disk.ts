/** Finds out that a start failed because a disk is full, which errors of many kinds hide. */
import { statfs } from "node:fs/promises";
import { StartError, readMessage } from "../../ground/errors.ts";
import { isDiskFull } from "../store/database/database-outage.ts";

/** Too little for any file that a start writes. */
const NO_SPACE_BYTES = 1_000_000;

const SAYS_SO = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/;

/** Returns a `StartError` that names the disk and the remedy, or the error itself if no disk is full. */
export async function explainFullDisk(dataDir: string, error: unknown): Promise<unknown> {
  const words = readMessage(error);
  if (isDiskFull(error))
    return new StartError(`The disk of the database is full: free some space. (${words})`, { cause: error });
  const disk = await statfs(dataDir).catch(() => undefined);
  const isFull = disk !== undefined && disk.bavail * disk.bsize < NO_SPACE_BYTES;
  if (!isFull && !SAYS_SO.test(words)) return error;
  const remedy = "free some space, or name a folder on another disk.";
  return new StartError(`The disk of BUSBAR_DATA_DIR is full: ${remedy} (${words})`, { cause: error });
}
