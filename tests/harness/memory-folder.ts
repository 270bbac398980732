/** Creates folders for the files of tests, in memory where there is room: most of what tests write is dropped soon after. */
import { chmod, mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** What a full run may need. */
const CAPACITY_BYTES = 3 * 1024 ** 3;
/** Followed by the process that uses the folder. */
const PREFIX = "busbar-test-";

/** Returns a new folder with this mode. Removes those of processes that were killed, which would fill the memory. */
export async function createMemoryFolder(mode: number): Promise<string> {
  await removeLeftOvers(MEMORY);
  const found = await statfs(MEMORY).catch(() => undefined);
  const parent = found && found.bavail * found.bsize > CAPACITY_BYTES ? MEMORY : tmpdir();
  const folder = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  await chmod(folder, mode);
  return folder;
}

/** Removes a folder although a process that is just ending may still write to it. */
export const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 20 });

/**
 * A PostgreSQL whose folder is removed stops by itself within a minute. What cannot be removed stays: a killed test of a full disk
 * leaves one mounted, which is busy for ever.
 */
export async function removeLeftOvers(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  const leftOver = names.filter((name) => {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  });
  const options = { recursive: true, force: true };
  await Promise.all(leftOver.map((name) => rm(join(parent, name), options).catch(() => {})));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user cannot be asked.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
