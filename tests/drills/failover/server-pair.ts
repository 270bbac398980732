/** Two PostgreSQL servers of the machine's own packages: a primary, and a synchronous standby that can be promoted. */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../harness/free-port.ts";
import { until } from "../../harness/until.ts";
import { ask, end, createOwnFolder, findPrograms, findServerUser, succeeds } from "./postgres-tools.ts";

const run = promisify(execFile);

export interface ServerPair {
  /** Names both hosts. */
  url: string;
  /** Port of the server that takes writes. */
  readonly port: number;
  /** Kills the primary (-9), as if its machine had failed. */
  killPrimary(): Promise<void>;
  /** Promotes the standby, unless that happens by itself; returns the milliseconds until a write of another client is accepted. */
  promote(): Promise<number>;
  close(): Promise<void>;
}

/** Throws an error if the machine has no PostgreSQL with `pg_basebackup`. `settings` are those of both servers. */
export async function startServerPair(home: string, settings: readonly string[] = []): Promise<ServerPair> {
  const bin = findPrograms();
  const user = await findServerUser();
  const [first, second] = [await freePort(), await freePort()];
  const folders = { primary: join(home, "primary"), standby: join(home, "standby") };
  for (const folder of [home, ...Object.values(folders)]) await createOwnFolder(folder, user);
  const tool = (name: string, args: string[]) => run(join(bin, name), args, { cwd: home, ...user });
  await tool("initdb", ["--pgdata", folders.primary, "--auth", "trust", "--username", "busbar"]);
  const start = async (folder: string, port: number, own: string[]): Promise<ChildProcess> => {
    const args = ["-D", folder, "-p", String(port), "-k", home, "-c", "listen_addresses=127.0.0.1"];
    const server = spawn(
      join(bin, "postgres"),
      [...args, ...[...settings, ...own].flatMap((one) => ["-c", one])],
      {
        cwd: home,
        stdio: "ignore",
        ...user,
      },
    );
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
  let port = first;
  return {
    get port() {
      return port;
    },
    url: `postgres://busbar@127.0.0.1:${first},127.0.0.1:${second}/postgres?target_session_attrs=read-write`,
    killPrimary: () => end(primary, "SIGKILL"),
    async promote() {
      const startedMs = performance.now();
      await ask(second, "select pg_promote(wait => false)");
      await until(() => accepts(second), 30_000);
      port = second;
      return Math.round(performance.now() - startedMs);
    },
    async close() {
      await Promise.all([end(primary, "SIGINT"), end(standby, "SIGINT")]);
    },
  };
}

const answers = (port: number): Promise<boolean> => succeeds(port, "select 1");

const accepts = (port: number): Promise<boolean> => succeeds(port, "create temporary table written ()");
