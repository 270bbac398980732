/** Starts the embedded PostgreSQL in the data folder and returns its connection string. */
import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { elapsedMs } from "../../ground/clock.ts";
import { StartError } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import { claimDataDir } from "./claim-data-dir.ts";
import { createCluster, DATABASE, ROLE } from "./create-cluster.ts";
import { findBinaries } from "./find-binaries.ts";
import { openCluster, type Cluster } from "./open-cluster.ts";
import { findServerUser } from "./server-user.ts";
import { runServer, SOCKET_PORT, type RunningServer } from "./run-server.ts";
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
      connectionString: connectionString(cluster, server),
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
function connectionString(cluster: Cluster, server: RunningServer): string {
  const host = encodeURIComponent(server.socketDir);
  return `postgresql://${ROLE}:${cluster.password}@${host}:${SOCKET_PORT}/${DATABASE}`;
}
