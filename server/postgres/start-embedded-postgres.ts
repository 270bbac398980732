/** Starts the embedded PostgreSQL in the data folder and returns its connection string. */
import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { elapsedMs } from "../../ground/clock.ts";
import { StartError } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import { createCluster, DATABASE, ROLE } from "./create-cluster.ts";
import { findBinaries } from "./find-binaries.ts";
import { type Cluster, openCluster } from "./open-cluster.ts";
import { findServerUser } from "./server-user.ts";
import { type RunningServer, runServer, SOCKET_PORT } from "./run-server.ts";
import { stopOldServer } from "./stop-old-server.ts";

interface EmbeddedPostgresOptions {
  /** `BUSBAR_DATA_DIR`, created with mode 0700 if missing. The database is in its subfolder `postgres`. */
  dataDir: string;
  log: Log;
  /** Called once if PostgreSQL exits unexpectedly; `detail` is for the log. */
  onExit?: (detail: string) => void;
  /** Default 100. */
  maxConnections?: number;
  /** Ends a start that is not done; then PostgreSQL has exited when the start rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface EmbeddedPostgres {
  /** For `pg`, `psql` and `new URL`: role and database `busbar`, a Unix socket as percent-encoded host. */
  connectionString: string;
  /** Shuts down; resolves when the server has exited and the data folder is free. May be called again. */
  stop(): Promise<void>;
}

/**
 * Starts the database, and creates it on the first call for a folder. The steps, in this order:
 *
 *     claimed   no other Busbar uses this data folder; held until stop() or until this process dies
 *     equipped  binaries that the server's user can run are found, or copied
 *     created   `postgres/` is complete; it is created under another name and then renamed
 *     alone     a server left behind by a killed Busbar has been stopped cleanly
 *     ready     our server accepts connections
 *
 * @throws StartError for what an operator must fix: folder in use, no binaries, wrong owner, server does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, signal } = options;
  signal?.throwIfAborted();
  if (process.platform === "win32") {
    throw new StartError("the embedded PostgreSQL does not run on Windows: set DATABASE_URL, or use WSL");
  }
  const startedMs = elapsedMs();
  const dataDir = await makeDataDir(options.dataDir);
  const claim = await claimDataDir(dataDir);
  try {
    const folder = join(dataDir, "postgres");
    const user = await findServerUser(folder);
    const binaries = await findBinaries(dataDir, user);
    const isNew = await createCluster({ dataDir, folder, binaries, user });
    signal?.throwIfAborted();
    const cluster = await openCluster(folder, binaries, user);
    await stopOldServer(cluster.data, log);
    signal?.throwIfAborted();
    const server = await runServer({ cluster, binaries, user, ...options });
    log.info(
      { pid: server.pid, isNew, tookMs: Math.round(elapsedMs() - startedMs) },
      "embedded PostgreSQL is ready",
    );
    let stopped: Promise<void> | undefined;
    return {
      connectionString: buildConnectionString(cluster, server),
      stop: () => (stopped ??= server.stop().finally(() => claim.release())),
    };
  } catch (error) {
    await claim.release();
    throw asStartError(error, dataDir);
  }
}

async function makeDataDir(path: string): Promise<string> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return await realpath(path);
  } catch (error) {
    throw asStartError(error, path);
  }
}

/** Turns an error of the operating system (no space, no permission) into a `StartError`; other errors are bugs. */
function asStartError(error: unknown, dataDir: string): unknown {
  if (error instanceof StartError || !(error instanceof Error) || !("syscall" in error)) return error;
  return new StartError(`cannot keep the embedded PostgreSQL in ${dataDir}: ${error.message}`, {
    cause: error,
  });
}

/** Encodes the socket folder as host instead of `?host=`, because `new URL()` refuses a user without a host. */
function buildConnectionString(cluster: Cluster, server: RunningServer): string {
  const host = encodeURIComponent(server.socketDir);
  return `postgresql://${ROLE}:${cluster.password}@${host}:${SOCKET_PORT}/${DATABASE}`;
}

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
async function claimDataDir(dataDir: string): Promise<DataDirClaim> {
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
