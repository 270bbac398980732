/** Makes sure that one data folder is used by one Busbar at a time, however the last one ended. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "../ground/errors.ts";

export interface Claim {
  release(): Promise<void>;
}

/**
 * Claims the folder for this process, or throws a StartError naming the process that has it.
 *
 * The lock is SQLite's: a kernel lock (fcntl) on an empty file, the only one within Node's reach without a native
 * module. The kernel drops it when the process dies, kill -9 included; nothing has to be judged stale, so there is no
 * race between two that find a dead owner's leavings, no pid that may have been recycled or that means somebody else
 * in another container. It also holds against a second claim inside the same process. Nothing is ever written to it.
 */
export async function claimDataDir(dataDir: string): Promise<Claim> {
  const pidFile = join(dataDir, "busbar.pid");
  const lock = takeLock(join(dataDir, "busbar.lock"), dataDir);
  if (lock === undefined) {
    const pid = (await readFile(pidFile, "utf8").catch(() => "")).trim();
    throw new StartError(
      `another Busbar (pid ${pid || "unknown"}) is using ${dataDir}; ` +
        "stop it, or set BUSBAR_DATA_DIR to another folder",
    );
  }
  try {
    // Only for that message: never read to decide anything. Removed first, because it may be another user's.
    await rm(pidFile, { force: true });
    await writeFile(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    release: async () => {
      if (!lock.isOpen) return;
      await rm(pidFile, { force: true });
      lock.close();
    },
  };
}

const SQLITE_BUSY = 5;

/** undefined when somebody else holds it. */
function takeLock(file: string, dataDir: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec("BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock?.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return undefined;
    throw new StartError(`cannot lock ${file}: make ${dataDir} writable for the user that runs Busbar`, {
      cause: error,
    });
  }
}
