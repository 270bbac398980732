/** Finds a folder for the files of tests that is kept in memory. */
import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

const MEMORY = "/dev/shm";
/** What a full run may need. */
const ROOM_BYTES = 3 * 1024 ** 3;

/** Returns the system's folder in memory if it has enough room, because most of what tests write is dropped soon after. */
export async function memoryFolder(): Promise<string> {
  const found = await statfs(MEMORY).catch(() => undefined);
  return found && found.bavail * found.bsize > ROOM_BYTES ? MEMORY : tmpdir();
}
