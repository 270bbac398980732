/** Signals during a start: it ends cleanly, and no PostgreSQL is left running. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Client } from "pg";
import { BUSBAR, runBusbar } from "../harness/child-busbar.ts";
import { createTestDatabase, OWN_LOCKS } from "../harness/database.ts";
import { until } from "../harness/until.ts";

/** PostgreSQL removes this file when it has exited cleanly. */
const pidFile = (dataDir: string) => join(dataDir, "postgres", "data", "postmaster.pid");

/** `busbar` on a data folder of its own, and on an embedded database unless `env` names another. */
async function run(t: TestContext, args: string[], env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-stopped-"));
  const runAgain = (again = args) =>
    runBusbar(again, { BUSBAR_DATA_DIR: dataDir, BUSBAR_PORT: "0", BUSBAR_PROXY_PORT: "0", ...env });
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  return { dataDir, runAgain, ...runAgain() };
}

test("SIGTERM while PostgreSQL starts, while Busbar starts, and SIGHUP leave no PostgreSQL behind", async (t) => {
  const { dataDir, runAgain, ...first } = await run(t, ["start"]);
  let busbar: typeof first = first;
  const moments: [() => boolean, NodeJS.Signals][] = [
    [() => existsSync(join(dataDir, "busbar.pid")), "SIGTERM"],
    [() => existsSync(pidFile(dataDir)), "SIGTERM"],
    [() => busbar.output().includes("embedded PostgreSQL is ready"), "SIGTERM"],
    [() => busbar.output().includes("Busbar is ready"), "SIGTERM"],
    [() => busbar.output().includes("embedded PostgreSQL is ready"), "SIGHUP"],
  ];
  for (const [index, [isReached, signal]] of moments.entries()) {
    if (index > 0) busbar = runAgain();
    await until(isReached);
    busbar.child.kill(signal);
    const { code, stderr } = await busbar.exited;
    assert.deepEqual(
      { code, stderr, left: existsSync(pidFile(dataDir)) },
      { code: 0, stderr: "", left: false },
    );
  }
});

test("SIGTERM to npm ends the server that it runs, and PostgreSQL", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-by-npm-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const start = `"${process.execPath}" "${BUSBAR}" start`;
  await writeFile(join(folder, "package.json"), JSON.stringify({ scripts: { start } }));
  const npm = spawn("npm", ["start"], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      BUSBAR_DATA_DIR: join(folder, "data"),
      BUSBAR_PORT: "0",
      BUSBAR_PROXY_PORT: "0",
    },
  });
  t.after(() => npm.kill());
  let output = "";
  npm.stdout.on("data", (text) => (output += String(text)));
  npm.stderr.resume();
  // The server holds it open until it ends.
  const ended = new Promise((resolve) => npm.stdout.once("close", resolve));
  await until(() => output.includes("Busbar is ready"), 180_000);
  npm.kill("SIGTERM");
  await ended;
  assert.equal(existsSync(pidFile(join(folder, "data"))), false);
});

test("SIGTERM while the second of several processes starts ends all, and PostgreSQL", async (t) => {
  const { dataDir, child, exited, output } = await run(t, ["start", "--processes", "2"]);
  await until(() => output().includes("Busbar is ready"));
  child.kill("SIGTERM");
  const { code, stderr } = await exited;
  assert.deepEqual(
    { code, stderr, left: existsSync(pidFile(dataDir)) },
    { code: 0, stderr: "", left: false },
  );
});

test("SIGTERM ends a start that waits for a lock in somebody else's database", async (t) => {
  const database = await createTestDatabase();
  const other = new Client({ connectionString: database.connectionString });
  await other.connect();
  await other.query("begin; lock table migrations");
  t.after(async () => {
    await other.end();
    await database.drop();
  });
  const env = {
    DATABASE_URL: database.connectionString,
    BUSBAR_ENCRYPTION_KEYS: `test:${Buffer.alloc(32, 7).toString("base64")}`,
  };
  const { child, exited } = await run(t, ["start"], env);
  const waiting = `select 1 from pg_locks where relation = 'migrations'::regclass and not granted and ${OWN_LOCKS}`;
  await until(async () => (await other.query(waiting)).rowCount === 1);
  child.kill("SIGTERM");
  const { code, stderr } = await exited;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});

test("Ctrl-C during a command that works on the embedded database stops PostgreSQL too", async (t) => {
  const { dataDir, child, exited } = await run(t, ["migrate"]);
  await until(() => existsSync(pidFile(dataDir)));
  child.kill("SIGINT");
  const { code } = await exited;
  assert.deepEqual({ code, left: existsSync(pidFile(dataDir)) }, { code: 1, left: false });
});
