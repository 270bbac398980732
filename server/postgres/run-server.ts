/** Runs the PostgreSQL server as a child process: starts it, waits until it accepts connections, stops it. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMs } from "../../ground/clock.ts";
import { StartError } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import type { Binaries } from "./find-binaries.ts";
import type { Cluster } from "./open-cluster.ts";
import { SERVER_ENV } from "./run-tool.ts";
import { quoteDataArgument, type ServerUser } from "./server-user.ts";

interface PostgresOptions {
  cluster: Cluster;
  binaries: Binaries;
  user: ServerUser;
  log: Log;
  onExit?: ((detail: string) => void) | undefined;
  maxConnections?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface RunningServer {
  pid: number;
  socketDir: string;
  stop(): Promise<void>;
}

/** Only a part of the socket's file name: no port is opened. */
export const SOCKET_PORT = 5432;
/** Name prefix of the folder for a socket whose path would be too long below the data folder. */
export const SOCKET_DIR_PREFIX = "/tmp/busbar-socket-";

/** SIGINT: end sessions, checkpoint, exit. SIGQUIT: exit at once, recover at the next start. */
export const SHUTDOWN_STEPS = [
  { signal: "SIGINT", waitMs: 30_000 },
  { signal: "SIGQUIT", waitMs: 5_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

/** @throws StartError with PostgreSQL's own messages if it does not start; the signal's reason, once it has exited, if that aborts. */
export async function runServer({
  cluster,
  binaries,
  user,
  log,
  onExit,
  maxConnections = 100,
  signal,
}: PostgresOptions): Promise<RunningServer> {
  const socketDir = await chooseSocketDir(cluster.data, user);
  const bindDir = socketDir === cluster.data ? quoteDataArgument(cluster.data, user) : socketDir;
  const removeSocketDir = async () => {
    if (socketDir !== cluster.data) await rm(socketDir, { recursive: true, force: true });
  };
  const startupFile = join(cluster.folder, "startup.log");
  await rm(startupFile, { force: true }); // It may be another user's, from a start as root.
  const startupLog = await open(startupFile, "wx", 0o600);
  // A session of its own, so that Ctrl-C reaches only us. A file instead of a pipe, because it may outlive us.
  const child = spawn(
    binaries.postgres,
    ["-D", quoteDataArgument(cluster.data, user), ...listSettings(bindDir, maxConnections)],
    {
      ...user,
      cwd: cluster.data,
      env: SERVER_ENV,
      detached: true,
      stdio: ["ignore", startupLog.fd, startupLog.fd],
    },
  );
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, by) => resolve(by ? `ended by ${by}` : `ended with status ${code}`));
  });
  await startupLog.close();
  const waiting = new AbortController();
  const given = signal ? AbortSignal.any([waiting.signal, signal]) : waiting.signal;
  const ready = waitUntilReady(cluster.data, child.pid, log, given);
  const failure = await Promise.race([ended, ready]).finally(() => waiting.abort());
  if (signal?.aborted) {
    await shutDown(child, log);
    await removeSocketDir();
    throw signal.reason;
  }
  if (failure !== undefined || child.pid === undefined) {
    await removeSocketDir();
    throw new StartError(
      `the embedded PostgreSQL did not start: ${failure}. ${await readLastWords(cluster)}`,
    );
  }
  child.unref();
  let isStopping = false;
  void ended.then((detail) => {
    if (!isStopping) onExit?.(`the embedded PostgreSQL ${detail}`);
  });
  const stop = async () => {
    isStopping = true;
    await shutDown(child, log);
    await removeSocketDir();
  };
  return { pid: child.pid, socketDir, stop };
}

/**
 * Returns the settings as command line options, so that they apply whatever version of Busbar created the folder. Other
 * settings can be changed in postgresql.conf. Statements and details are not logged: they can contain customers' data.
 */
function listSettings(socketDir: string, maxConnections: number): string[] {
  const values = {
    listen_addresses: "",
    port: SOCKET_PORT,
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: "0700",
    max_connections: maxConnections,
    shared_buffers: "64MB",
    fsync: "on",
    synchronous_commit: "on",
    full_page_writes: "on",
    jit: "off",
    logging_collector: "on",
    log_directory: "log",
    log_filename: "postgres-%a.log",
    log_rotation_age: "1d",
    log_rotation_size: 0,
    log_truncate_on_rotation: "on",
    log_min_messages: "warning",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** The system's limit is 107 bytes on Linux and 103 on macOS. */
const MAX_SOCKET_PATH_BYTES = 103;

/**
 * Returns the folder of the Unix socket. A socket cannot collide like a port, is out of reach for other users and machines,
 * and is 5 to 10 % faster with 32 clients. It is in the data folder (0700), or in a fresh folder (0700) in /tmp if the path
 * would be too long.
 */
async function chooseSocketDir(data: string, user: ServerUser): Promise<string> {
  if (Buffer.byteLength(join(data, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH_BYTES) return data;
  const dir = await mkdtemp(SOCKET_DIR_PREFIX);
  if (user) await chown(dir, user.uid, user.gid);
  return dir;
}

/**
 * Waits until the eighth line of this child's postmaster.pid says that it is ready. There is no timeout: recovery after a
 * crash may take long, and a server that fails exits, which aborts the waiting.
 */
async function waitUntilReady(
  data: string,
  pid: number | undefined,
  log: Log,
  given: AbortSignal,
): Promise<undefined> {
  let reportedMs = elapsedMs();
  while (!given.aborted) {
    const lines = (await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
    if (Number(lines[0]) === pid && lines[7]?.trim() === "ready") return;
    if (elapsedMs() - reportedMs > 10_000) {
      reportedMs = elapsedMs();
      log.info("the embedded PostgreSQL is still recovering");
    }
    await sleep(5);
  }
}

async function shutDown(child: ChildProcess, log: Log): Promise<void> {
  child.ref(); // Or our own process might end before it.
  for (const { signal, waitMs } of SHUTDOWN_STEPS) {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    const timer = new AbortController();
    const late = sleep(waitMs, false, { signal: timer.signal }).catch(() => false);
    const isGone = await Promise.race([exited.then(() => true), late]);
    timer.abort();
    if (isGone) return;
    log.warn({ pid: child.pid, signal }, "the embedded PostgreSQL does not exit");
  }
}

/** Returns the last lines that the server printed, as one line. */
async function readLastWords({ folder, data }: Cluster): Promise<string> {
  await sleep(200); // The process that writes the log outlives the server by moments, and nothing tells when it is done.
  const logDir = join(data, "log");
  const files = [join(folder, "startup.log")];
  for (const name of await readdir(logDir).catch(() => [])) files.push(join(logDir, name));
  const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })));
  const newest = dated.toSorted((a, b) => a.at - b.at).slice(-2);
  const texts = await Promise.all(newest.map(({ file }) => readFile(file, "utf8")));
  const lines = texts.flatMap((text) => text.trim().split("\n").slice(-3)).filter((line) => line !== "");
  return lines.join(" / ").slice(-1000);
}
