/** Makes sure that only one Busbar uses a data folder at a time, even after a crash of the last one. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "../../ground/errors.ts";

interface DataDirClaim {
  release(): Promise<void>;
}

/**
 * Claims the folder for this process, or throws a StartError that names the process that has it.
 *
 * The lock is SQLite's: a kernel lock (fcntl) on an empty file, the only kind that Node offers without a native module. The
 * kernel releases it when the process dies, `kill -9` included, so a lock is never stale: no race between two processes
 * that find the remains of a dead one, no recycled pid, no pid of another container. It also blocks a second claim inside
 * the same process. Nothing is ever written to the file.
 */
export async function claimDataDir(dataDir: string): Promise<DataDirClaim> {
  const pidFile = join(dataDir, "busbar.pid");
  const lock = takeLock(join(dataDir, "busbar.lock"), dataDir);
  if (lock === undefined) {
    const [pid] = (await readFile(pidFile, "utf8").catch(() => "")).trim().split(" ");
    throw new StartError(
      `another Busbar (pid ${pid || "unknown"}) is using ${dataDir}; ` +
        "stop it, or set BUSBAR_DATA_DIR to another folder",
    );
  }
  try {
    // Only for the message above; no decision depends on it. Removed first, because it may belong to another user.
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

/** Returns undefined if another process holds the lock. */
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
