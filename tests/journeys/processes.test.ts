/** Several processes behind one pair of listeners. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { BUSBAR } from "../harness/child-busbar.ts";
import { createTestDatabase } from "../harness/database.ts";
import { until } from "../harness/until.ts";

/** `busbar start --processes 2` on a database of its own, ready. */
async function startTwo(t: TestContext) {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-processes-"));
  const env = {
    ...process.env,
    DATABASE_URL: database.connectionString,
    BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
    BUSBAR_DATA_DIR: dataDir,
    BUSBAR_PORT: "0",
    BUSBAR_PROXY_PORT: "0",
    BUSBAR_LOG_LEVEL: "info",
    BUSBAR_DATABASE_CONNECTIONS: "3",
    BUSBAR_METRICS: "true",
  };
  const parent = spawn(process.execPath, [BUSBAR, "start", "--processes", "2"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let log = "";
  parent.stdout.on("data", (chunk: Buffer) => (log += chunk.toString()));
  t.after(async () => {
    if (parent.exitCode === null) parent.kill("SIGKILL");
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const children = async () =>
    (await readFile(`/proc/${parent.pid}/task/${parent.pid}/children`, "utf8"))
      .trim()
      .split(" ")
      .filter(Boolean);
  await until(() => log.includes("all processes are ready"));
  const file = await readFile(join(dataDir, "bootstrap.json"), "utf8");
  const { apiKey, urls } = JSON.parse(file) as { apiKey: string; urls: { base: string } };
  // A connection that was handed to a process in the moment it was killed is never answered.
  const call = async () => {
    const signal = AbortSignal.timeout(30_000);
    return (await fetch(`${urls.base}/projects`, { headers: { "x-api-key": apiKey }, signal })).status;
  };
  await until(async () => (await call().catch(() => 0)) === 200);
  return { parent, children, call, urls, databaseUrl: database.connectionString, log: () => log };
}

test("a process that is killed is replaced, the others serve on, and SIGTERM ends them all", async (t) => {
  const { parent, children, call, urls, log } = await startTwo(t);
  for (const number of [1, 2])
    await until(async () => {
      const metrics = await (await fetch(`${new URL(urls.base).origin}/metrics`)).text();
      return metrics.includes(`busbar_database_up{process="${number}"} 1`);
    });

  const [first] = await children();
  process.kill(Number(first), "SIGKILL");
  await until(async () => (await call().catch(() => 0)) === 200);
  await until(async () => {
    const now = await children();
    return now.length === 2 && !now.includes(first ?? "");
  });
  await until(() => log().includes("a process died and will be replaced"));

  parent.kill("SIGTERM");
  const [code] = (await once(parent, "exit")) as [number];
  assert.equal(code, 0);
});

test("while a replacement cannot start, the others serve, and it is tried again", async (t) => {
  const { children, call, urls, log, databaseUrl } = await startTwo(t);
  const [first] = await children();
  await allowConnections(databaseUrl, false);
  process.kill(Number(first), "SIGKILL");
  await until(() => log().includes("cannot be replaced yet"));
  await until(async () => (await call().catch(() => 0)) === 200);
  await allowConnections(databaseUrl, true);
  const up = async () => {
    const metrics = await fetch(`${new URL(urls.base).origin}/metrics`).then((answer) => answer.text());
    return metrics.match(/busbar_database_up\{process="\d+"\} 1/g)?.length === 2;
  };
  await until(() => up().catch(() => undefined));
});

/** Those that are open stay open. */
async function allowConnections(databaseUrl: string, allowed: boolean): Promise<void> {
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const client = new Client({ connectionString: url.href });
  await client.connect();
  await client.query(`alter database "${name}" with allow_connections ${allowed}`);
  await client.end();
}
