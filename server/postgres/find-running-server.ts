/** Finds the embedded PostgreSQL of a Busbar that is running, for a command that reads beside it. */
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import { DATABASE, ROLE } from "./create-cluster.ts";
import { SOCKET_DIR_PREFIX, SOCKET_PORT } from "./run-server.ts";

/** Returns its connection string; undefined if no server of this data folder accepts connections. */
export async function findRunningServer(dataDir: string): Promise<string | undefined> {
  const folder = join(dataDir, "postgres");
  const [password, pidFile] = await Promise.all(
    [join(folder, "password"), join(folder, "data/postmaster.pid")].map((file) =>
      readFile(file, "utf8").catch(() => ""),
    ),
  );
  const lines = (pidFile ?? "").split("\n");
  const [pid, socketDir, state] = [Number(lines[0]), lines[4] ?? "", lines[7]?.trim()];
  if (!password || state !== "ready" || !isAlive(pid)) return undefined;
  // A server that was started by root names its data folder as it sees it: /proc/self/cwd.
  const isAside = socketDir.startsWith(SOCKET_DIR_PREFIX);
  const host = encodeURIComponent(isAside ? socketDir : await realpath(join(folder, "data")));
  return `postgresql://${ROLE}:${password.trim()}@${host}:${SOCKET_PORT}/${DATABASE}`;
}

function isAlive(pid: number): boolean {
  try {
    return pid > 1 && process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
