/** Two PostgreSQL servers of the machine's own packages: a primary, and a synchronous standby that can be promoted. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, globSync, mkdir, readFile } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { until } from "../../tests/harness/until.ts";

const run = promisify(execFile);

export interface ServerPair {
  /** Names both hosts. */
  url: string;
  /** Kills the primary (-9), as if its machine had failed. */
  killPrimary(): Promise<void>;
  /** Promotes the standby; returns the milliseconds until it accepted a write of another client. */
  promote(): Promise<number>;
  close(): Promise<void>;
}

/** Throws an error if the machine has no PostgreSQL with `pg_basebackup`. */
export async function startServerPair(home: string): Promise<ServerPair> {
  const bin = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);
  if (!bin) throw new Error("this drill needs PostgreSQL's own packages (apt-get install postgresql)");
  const user = await serverUser();
  const [first, second] = [await freePort(), await freePort()];
  const folders = { primary: join(home, "primary"), standby: join(home, "standby") };
  for (const folder of [home, ...Object.values(folders)]) {
    await promisify(mkdir)(folder, { recursive: true });
    if (user) await promisify(chown)(folder, user.uid, user.gid);
    await promisify(chmod)(folder, 0o700);
  }
  const tool = (name: string, args: string[]) => run(join(bin, name), args, { cwd: home, ...user });
  await tool("initdb", ["--pgdata", folders.primary, "--auth", "trust", "--username", "busbar"]);
  const start = async (folder: string, port: number, settings: string[]): Promise<ChildProcess> => {
    const args = ["-D", folder, "-p", String(port), "-k", home, "-c", "listen_addresses=127.0.0.1"];
    const server = spawn(join(bin, "postgres"), [...args, ...settings.flatMap((one) => ["-c", one])], {
      cwd: home,
      stdio: "ignore",
      ...user,
    });
    await until(() => answers(port), 30_000);
    return server;
  };
  // On the command line, so that the standby, which copies the files, waits for nobody when it is promoted.
  const primary = await start(folders.primary, first, ["synchronous_standby_names=*", "max_connections=200"]);
  const from = ["--host", "127.0.0.1", "--port", String(first), "--username", "busbar"];
  await tool("pg_basebackup", [
    "--pgdata",
    folders.standby,
    "--write-recovery-conf",
    "--wal-method",
    "stream",
    ...from,
  ]);
  const standby = await start(folders.standby, second, ["max_connections=200"]);
  await until(async () => (await ask(first, "select sync_state from pg_stat_replication")) === "sync");
  return {
    url: `postgres://busbar@127.0.0.1:${first},127.0.0.1:${second}/postgres?target_session_attrs=read-write`,
    killPrimary: () => end(primary, "SIGKILL"),
    async promote() {
      const startedMs = performance.now();
      await ask(second, "select pg_promote(wait => false)");
      await until(() => accepts(second), 30_000);
      return Math.round(performance.now() - startedMs);
    },
    async close() {
      await Promise.all([end(primary, "SIGINT"), end(standby, "SIGINT")]);
    },
  };
}

async function end(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const gone = once(server, "exit");
  server.kill(signal);
  await gone;
}

/** PostgreSQL refuses to run as root; its packages bring a user. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const users = await promisify(readFile)("/etc/passwd", "utf8");
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  if (uid === undefined) throw new Error("there is no user postgres to run the servers");
  return { uid: Number(uid), gid: Number(gid) };
}

const answers = (port: number): Promise<boolean> => succeeds(port, "select 1");

const accepts = (port: number): Promise<boolean> => succeeds(port, "create temporary table written ()");

const succeeds = (port: number, sql: string): Promise<boolean> =>
  ask(port, sql).then(
    () => true,
    () => false,
  );

/** Returns the first value of the answer as text. */
async function ask(port: number, sql: string): Promise<string> {
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
