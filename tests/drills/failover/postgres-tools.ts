/** Small tools for the PostgreSQL servers of the drill. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { chmod, chown, mkdir, readFile } from "node:fs/promises";
import { Client } from "pg";

/** Returns the folder of the newest PostgreSQL's programs. */
export function findPrograms(): string {
  const bin = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);
  if (!bin) throw new Error("this drill needs PostgreSQL's own packages (apt-get install postgresql)");
  return bin;
}

/** Creates a folder that only the user of the servers can use. */
export async function createOwnFolder(folder: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (user) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o700);
}

export async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill(signal);
  await gone;
}

interface ServerUser {
  uid: number;
  gid: number;
}

/** PostgreSQL refuses to run as root; its packages bring a user. */
export async function findServerUser(): Promise<ServerUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = await readFile("/etc/passwd", "utf8");
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid === undefined) throw new Error("there is no user postgres to run the servers");
  return { uid: Number(uid), gid: Number(gid) };
}

export const succeeds = (port: number, sql: string): Promise<boolean> =>
  ask(port, sql).then(
    () => true,
    () => false,
  );

/** Returns the first value of the answer as text. */
export async function ask(port: number, sql: string): Promise<string> {
  const client = new Client({ host: "127.0.0.1", port, user: "busbar", database: "postgres" });
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query({ text: sql, rowMode: "array" });
    return String(rows[0]?.[0]);
  } finally {
    await client.end();
  }
}
