/** Stops the PostgreSQL that a killed Busbar left behind, so that a new one can use the data. */
import { randomBytes } from "node:crypto";
import { chown, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { elapsedMs } from "../../ground/clock.ts";
import { StartError } from "../../ground/errors.ts";
import type { Log } from "../../ground/log.ts";
import { runTool } from "./run-tool.ts";
import { SHUTDOWN_STEPS, SOCKET_DIR_PREFIX, SOCKET_PORT } from "./run-server.ts";

/**
 * Stops the old server. Needs the claim on the data folder. postmaster.pid may be:
 *
 *     missing         the last server exited cleanly: nothing to do
 *     our server      its Busbar was killed: fast shutdown (a checkpoint; nothing committed is lost), wait
 *     a dead pid      the server was killed too, or the machine crashed: PostgreSQL replaces the file by itself
 *     another's pid   recycled, or a zombie: PostgreSQL would think that its server is alive, and refuse to start
 *
 * The server is not adopted, so that it is always our child and always runs with this version's settings.
 */
export async function stopOldServer(data: string, log: Log): Promise<void> {
  const file = join(data, "postmaster.pid");
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
  const pid = Number(lines[0]);
  const isRunning = () =>
    process.platform === "linux" ? isServerOnData(data, pid) : isServerSince(Number(lines[2]), pid);
  if (pid > 1 && (await isRunning())) {
    log.warn({ pid }, "stopping the PostgreSQL that a killed Busbar left behind");
    await shutDown(pid, isRunning);
  }
  if (process.platform === "linux") await endOrphans(data, log);
  await forgetPid(file);
  await rm(join(data, `.s.PGSQL.${SOCKET_PORT}.lock`), { force: true }); // Names the same pid, and guards no data.
  await removeSocketDir(lines[4]);
}

/**
 * Returns whether this process is a living PostgreSQL on this data, on Linux: its working folder is always the data folder
 * (compared by inode, not by path); a zombie has none.
 */
async function isServerOnData(data: string, pid: number): Promise<boolean> {
  const [cwd, ours] = await Promise.all([stat(`/proc/${pid}/cwd`).catch(() => undefined), stat(data)]);
  if (cwd?.ino !== ours.ino || cwd.dev !== ours.dev) return false;
  return (await readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")).trim() === "postgres";
}

/**
 * The same on other systems: a PostgreSQL whose start time matches postmaster.pid to a few seconds. The `-D` argument is not
 * compared, because `ps` rewrites letters outside ASCII.
 */
async function isServerSince(startedAtSeconds: number, pid: number): Promise<boolean> {
  const args = ["-ww", "-o", "stat=", "-o", "lstart=", "-o", "command=", "-p", String(pid)];
  const { stdout } = await runTool({ program: "/bin/ps", args, user: undefined });
  const [, state, began, command] = /^(\S+)\s+(\w+ \w+ +\d+ [\d:]+ \d+)\s+(.*)/.exec(stdout.trim()) ?? [];
  if (!state || state.startsWith("Z") || !command?.includes("postgres")) return false;
  return Math.abs(Date.parse(`${began} UTC`) / 1000 - startedAtSeconds) < 5; // SERVER_ENV makes ps speak UTC.
}

async function shutDown(pid: number, isRunning: () => Promise<boolean>): Promise<void> {
  for (const { signal, waitMs } of SHUTDOWN_STEPS) {
    kill(pid, signal);
    const untilMs = elapsedMs() + waitMs;
    while (elapsedMs() < untilMs) {
      if (!(await isRunning())) return;
      await sleep(10);
    }
  }
  throw new StartError(`the PostgreSQL left behind (pid ${pid}) does not exit; stop it yourself`);
}

/**
 * Ends orphans of a killed postmaster. Idle sessions notice its death at once, but a busy one may survive and still write, as
 * may a server whose postmaster.pid was removed; both must be gone before a new server writes. (On other systems than Linux
 * this is left to PostgreSQL, which refuses to start while the old shared memory is in use.)
 */
async function endOrphans(data: string, log: Log): Promise<void> {
  const startedMs = elapsedMs();
  for (;;) {
    const orphans = await findServers(data);
    if (orphans.length === 0) return;
    const waitedMs = elapsedMs() - startedMs;
    if (waitedMs > 10_000)
      throw new StartError(`processes ${orphans.join(", ")} still use ${data}; stop them yourself`);
    if (waitedMs > 2_000) {
      log.warn({ pids: orphans }, "ending orphaned PostgreSQL processes");
      for (const pid of orphans) kill(pid, waitedMs > 5_000 ? "SIGKILL" : "SIGQUIT");
    }
    await sleep(waitedMs > 2_000 ? 500 : 10);
  }
}

async function findServers(data: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => ((await isServerOnData(data, pid)) ? [pid] : [])));
  return found.flat();
}

/**
 * Writes our own pid into postmaster.pid. Any old server that we could identify has exited; if another process has its pid,
 * PostgreSQL must not mistake it for the server. The file is not removed: PostgreSQL ignores the pid of its parent process
 * and continues with its other check, the shared memory named in the same file, which protects the data from processes
 * that we did not find.
 */
async function forgetPid(file: string): Promise<void> {
  const content = await readFile(file, "utf8").catch(() => undefined);
  if (content === undefined) return;
  const pid = Number.parseInt(content, 10);
  if (!(pid > 0)) {
    await rm(file); // Emptied by a crash of the machine: PostgreSQL would refuse, and there is nothing in it to keep.
    return;
  }
  if (!isTaken(pid)) return;
  const { uid, gid } = await stat(file);
  const aside = `${file}.${randomBytes(8).toString("hex")}`;
  await writeFile(aside, content.replace(/^\d+/, String(process.pid)), { flag: "wx", mode: 0o600 });
  await chown(aside, uid, gid);
  await rename(aside, file);
}

function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone. If not, the caller times out.
  }
}

/** Removes the socket folder named in postmaster.pid. The server's user can write that file, so the name is checked. */
async function removeSocketDir(socketDir: string | undefined): Promise<void> {
  if (!socketDir?.startsWith(SOCKET_DIR_PREFIX) || socketDir.slice(SOCKET_DIR_PREFIX.length).includes("/"))
    return;
  await rm(socketDir, { recursive: true, force: true });
}
