/** Starts a PgBouncer for a test, if the machine has one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { freePort } from "./free-port.ts";
import { until } from "./until.ts";

const PROGRAM = "/usr/sbin/pgbouncer";

/** For `skip`: why it is not installed here; false if it is. */
export const noPgbouncer: string | false = existsSync(PROGRAM) ? false : "pgbouncer is not installed";

interface Pgbouncer {
  connectionString: string;
  stop(): Promise<void>;
}

/** `settings` are added to its `[pgbouncer]` section. */
export async function startPgbouncer(
  connectionString: string,
  settings: Record<string, string>,
): Promise<Pgbouncer> {
  const folder = await mkdtemp(join(tmpdir(), "busbar-pgbouncer-"));
  await chmod(folder, 0o755);
  const port = await freePort();
  const server = new URL(connectionString);
  const target = {
    host: decodeURIComponent(server.hostname),
    port: server.port || "5432",
    dbname: server.pathname.slice(1),
    user: decodeURIComponent(server.username),
    password: decodeURIComponent(server.password),
  };
  const lines = (values: Record<string, string>) => Object.entries(values).map((pair) => pair.join("="));
  await writeFile(
    join(folder, "pgbouncer.ini"),
    [
      "[databases]",
      `busbar = ${lines(target).join(" ")}`,
      "[pgbouncer]",
      ...lines({
        listen_addr: "127.0.0.1",
        listen_port: String(port),
        auth_type: "any",
        unix_socket_dir: "",
        ...settings,
      }),
      "",
    ].join("\n"),
  );
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
  const program = spawn(PROGRAM, [...asUser, join(folder, "pgbouncer.ini")], { stdio: "ignore" });
  const url = `postgresql://any@127.0.0.1:${port}/busbar`;
  await until(() => {
    if (program.exitCode !== null) throw new Error(`pgbouncer ended with ${program.exitCode}`);
    return canConnect(url);
  });
  return {
    connectionString: url,
    async stop() {
      if (program.kill("SIGKILL")) await once(program, "exit");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
