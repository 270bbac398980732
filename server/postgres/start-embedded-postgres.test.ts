/** The embedded PostgreSQL against real processes: kill -9, second owners, root, ordinary users, broken installs. */
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, test, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client } from "pg";
import { StartError } from "../../ground/errors.ts";
import { createLog } from "../../ground/log.ts";
import { until } from "../../tests/harness/until.ts";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "./start-embedded-postgres.ts";

const log = createLog("silent");
const isRoot = process.getuid?.() === 0;
const PROGRAM = join(import.meta.dirname, "start-embedded-postgres.ts");

/** Another process that owns a data folder: prints the connection string, stops on SIGTERM. */
const OWNER = `
  const { startEmbeddedPostgres } = await import(process.argv[1]);
  const log = { info() {}, warn() {} };
  try {
    const database = await startEmbeddedPostgres({ dataDir: process.argv[2], log });
    process.on("SIGTERM", () => database.stop().then(() => process.exit(0)));
    console.log(database.connectionString);
    if (process.argv[3] !== "leave") setInterval(() => {}, 60_000);
  } catch (error) {
    console.log(error.name + ": " + error.message);
    process.exitCode = 1;
  }`;

let root = "";
let project = "";

before(async () => {
  root = await mkdtemp("/tmp/busbar-embedded-");
  await chmod(root, 0o755);
  const made = await startEmbeddedPostgres({ dataDir: join(root, "made"), log });
  await made.stop();
  project = await makeProject(join(root, "project"));
});

after(() => rm(root, { recursive: true, force: true }));

test("what was committed is there after a stop and a warm start, and the folder gives nothing away", async (t) => {
  const dataDir = join(root, "warm", ".busbar");
  const coldMs = performance.now();
  const first = await start(t, dataDir);
  t.diagnostic(`cold start ${Math.round(performance.now() - coldMs)} ms`);
  await query(first.connectionString, "CREATE TABLE kept (id int)");
  await query(first.connectionString, "INSERT INTO kept VALUES (1)");
  await first.stop();
  await first.stop();

  const warmMs = performance.now();
  const second = await start(t, dataDir);
  t.diagnostic(`warm start ${Math.round(performance.now() - warmMs)} ms`);
  const { connectionString } = second;
  assert.deepEqual(await query(connectionString, "SELECT id FROM kept"), [{ id: 1 }]);
  assert.deepEqual(await query(connectionString, "SHOW fsync"), [{ fsync: "on" }]);
  assert.deepEqual(await query(connectionString, "SHOW synchronous_commit"), [{ synchronous_commit: "on" }]);
  assert.deepEqual(await query(connectionString, "SHOW listen_addresses"), [{ listen_addresses: "" }]);
  assert.deepEqual(await query(connectionString, "SELECT lower('ÄÉ') AS text"), [{ text: "äé" }]);
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  assert.equal((await stat(join(dataDir, "postgres", "password"))).mode & 0o777, 0o600);
  assert.equal((await stat(join(dataDir, "postgres", "data"))).mode & 0o777, 0o700);
  const wrong = new URL(connectionString);
  wrong.password = "guess";
  await assert.rejects(query(wrong.href, "SELECT 1"), /password authentication failed/);
  wrong.username = "postgres";
  await assert.rejects(query(wrong.href, "SELECT 1"), /no pg_hba.conf entry/);
});

test("rows committed before kill -9 of the owner, or of owner and server, are there at the next start", async (t) => {
  const dataDir = restored("killed");
  let expected = 0;
  for (const alsoServer of [false, true, true]) {
    const owner = await startOwner(t, dataDir);
    await query(owner.connectionString, "CREATE TABLE IF NOT EXISTS committed (id int PRIMARY KEY)");
    const client = await connect(owner.connectionString);
    const victim = owner.process;
    const untilMs = performance.now() + 150;
    try {
      while (victim.exitCode === null && victim.signalCode === null) {
        await client.query("INSERT INTO committed VALUES ($1)", [expected + 1]);
        expected += 1;
        if (performance.now() < untilMs) continue;
        if (alsoServer) process.kill(await serverPid(dataDir), "SIGKILL");
        victim.kill("SIGKILL");
        await once(victim, "close"); // Also proves that the server left behind does not hold the owner's output.
      }
    } catch {
      // The server went first.
    }
    await client.end().catch(() => {});
    if (victim.signalCode === null) await once(victim, "close");
    const next = await start(t, dataDir);
    const rows = await query(
      next.connectionString,
      "SELECT count(*)::int AS n, max(id) AS last FROM committed",
    );
    assert.deepEqual(rows, [{ n: expected, last: expected }]);
    await next.stop();
  }
  t.diagnostic(`${expected} rows`);
});

test("a second Busbar on the folder is told who has it, the first is unaffected, and kill -9 frees it", async (t) => {
  const dataDir = restored("shared");
  const owner = await startOwner(t, dataDir);
  const refusal = new RegExp(
    `another Busbar \\(pid ${owner.process.pid}\\) is using .*/shared; .*BUSBAR_DATA_DIR`,
  );
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), (error) => {
    return error instanceof StartError && refusal.test(error.message);
  });
  assert.deepEqual(await query(owner.connectionString, "SELECT 1 AS one"), [{ one: 1 }]);
  owner.process.kill("SIGKILL");
  await once(owner.process, "close");
  const next = await start(t, dataDir);
  await assert.rejects(startEmbeddedPostgres({ dataDir, log }), new RegExp(`pid ${process.pid}`));
  await next.stop();
});

test("of several first starts at the same moment one wins and the others are refused", async (t) => {
  const dataDir = join(root, "race");
  const results = await Promise.allSettled([1, 2, 3, 4].map(() => startOwner(t, dataDir)));
  const reasons = results
    .filter((result) => result.status === "rejected")
    .map((result) => String(result.reason));
  assert.equal(reasons.length, 3);
  for (const reason of reasons) assert.match(reason, /another Busbar/);
});

test("a first start killed half-way leaves a folder that the next start makes good", async (t) => {
  const dataDir = join(root, "half");
  const readNames = () => readdir(dataDir, { recursive: true }).catch((): string[] => []);
  const isWhole = async () => (await readNames()).includes("postgres");
  const isHalf = async () => (await readNames()).some((name) => /^postgres\.new-\w+\/data\/base$/.test(name));
  for (;;) {
    const owner = spawnOwner(t, dataDir);
    await until(async () => (await isHalf()) || (await isWhole()));
    owner.kill("SIGKILL");
    await once(owner, "close");
    if (!(await isWhole())) break;
    // The machine stood still until the start was over: begin again.
    await (await start(t, dataDir)).stop();
    await rm(dataDir, { recursive: true });
  }
  const database = await start(t, dataDir);
  assert.deepEqual(await query(database.connectionString, "SELECT 1 AS one"), [{ one: 1 }]);
  await database.stop();
  await (await start(t, dataDir)).stop();
  assert.deepEqual((await readdir(dataDir)).toSorted(), ["busbar.lock", "postgres"]);
});

test("a pid file that names a zombie or somebody else's process, or is empty, does not stop the start", async (t) => {
  const dataDir = restored("stale");
  const first = await start(t, dataDir);
  const file = join(dataDir, "postgres", "data", "postmaster.pid");
  const content = await readFile(file, "utf8");
  await first.stop();
  const { uid, gid } = await stat(dirname(file));
  // As the server's user: of other users' processes PostgreSQL knows that they are not its own.
  const sleeper = spawn("/bin/sh", ["-c", "sleep 0 & echo $!; exec sleep 60"], isRoot ? { uid, gid } : {});
  t.after(() => sleeper.kill("SIGKILL"));
  const zombiePid = Number(String((await once(sleeper.stdout, "data"))[0]));
  await sleep(100);
  for (const stale of [
    content.replace(/^\d+/, String(sleeper.pid)),
    content.replace(/^\d+/, `${zombiePid}`),
    "",
  ]) {
    await writeFile(file, stale, { mode: 0o600 });
    await chown(file, uid, gid);
    await writeFile(join(dirname(file), ".s.PGSQL.5432.lock"), stale, { mode: 0o600 });
    await chown(join(dirname(file), ".s.PGSQL.5432.lock"), uid, gid);
    const database = await start(t, dataDir);
    assert.deepEqual(await query(database.connectionString, "SELECT 1 AS one"), [{ one: 1 }]);
    await database.stop();
    assert.equal(sleeper.exitCode, null);
  }
});

test("the end of the server is reported once, unless it was asked for, and the next start recovers", async () => {
  const dataDir = restored("exit");
  const ends: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const onExit = (detail: string) => {
    ends.push(detail);
    resolve();
  };
  const first = await startEmbeddedPostgres({ dataDir, log, onExit });
  const pid = await serverPid(dataDir);
  const [, , , , group, session] = (await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")).split(" ");
  if (group !== undefined)
    assert.deepEqual([group, session], [`${pid}`, `${pid}`], "out of reach of the terminal");
  process.kill(pid, "SIGKILL");
  await promise;
  assert.deepEqual(ends, ["the embedded PostgreSQL ended by SIGKILL"]);
  await first.stop();
  const second = await startEmbeddedPostgres({ dataDir, log, onExit });
  await second.stop();
  assert.equal(ends.length, 1);
});

test("a process that never calls stop() ends all the same, and its server is replaced", async (t) => {
  const dataDir = restored("left");
  const owner = spawnOwner(t, dataDir, { mode: "leave" });
  const [status] = await once(owner, "exit");
  assert.equal(status, 0);
  const left = await serverPid(dataDir);
  const next = await start(t, dataDir);
  assert.notEqual(await serverPid(dataDir), left);
  await next.stop();
});

test("a data folder with a long and strange path works, also after kill -9", async (t) => {
  const strange = restored(`it's "50%", été & ${"long".repeat(20)}`);
  const owner = await startOwner(t, strange);
  const socketDir = decodeURIComponent(new URL(owner.connectionString).hostname);
  assert.deepEqual(await query(owner.connectionString, "SELECT 1 AS one"), [{ one: 1 }]);
  owner.process.kill("SIGKILL");
  await once(owner.process, "close");
  const next = await start(t, strange);
  assert.deepEqual(await query(next.connectionString, "SELECT 1 AS one"), [{ one: 1 }]);
  await assert.rejects(lstat(socketDir), /ENOENT/);
  await next.stop();
  const short = await start(t, join(root, `it's "50%", été`));
  assert.deepEqual(await query(short.connectionString, "SELECT 1 AS one"), [{ one: 1 }]);
  await short.stop();
});

test("a folder that cannot be used is refused in words", async () => {
  const dataDir = join(root, "odd");
  await mkdir(join(dataDir, "postgres", "data"), { recursive: true });
  const refused = (pattern: RegExp) =>
    assert.rejects(startEmbeddedPostgres({ dataDir, log }), (error) => {
      return error instanceof StartError && pattern.test(error.message);
    });
  await refused(/not a complete database/);
  await writeFile(join(dataDir, "postgres", "password"), "x");
  await writeFile(join(dataDir, "postgres", "data", "PG_VERSION"), "12\n");
  await refused(/created by PostgreSQL 12/);
  await rm(dataDir, { recursive: true });
  await writeFile(dataDir, "");
  await refused(/cannot keep the embedded PostgreSQL/);
  await rm(dataDir);

  restored("odd");
  await writeFile(join(dataDir, "postgres", "data", "postgresql.conf"), "no_such_setting = 1\n");
  await refused(/did not start: .*no_such_setting/);
});

test("as root: runs as an ordinary user, from a project and a data folder that only root can read", async (t) => {
  if (!isRoot) return t.skip("needs root");
  const hadCache = (await stat("/var/cache/busbar").catch(() => undefined)) !== undefined;
  t.after(() => (hadCache ? undefined : rm("/var/cache/busbar", { recursive: true, force: true })));
  await chmod(project, 0o700);
  const dataDir = join(project, ".busbar");
  for (const round of [1, 2]) {
    const owner = await startOwner(t, dataDir, {
      program: join(project, "server/postgres", PROGRAM_NAME),
    });
    assert.notEqual((await stat(`/proc/${await serverPid(dataDir)}`)).uid, 0);
    await query(owner.connectionString, "CREATE TABLE IF NOT EXISTS kept (id int)");
    await query(owner.connectionString, "INSERT INTO kept VALUES (1)");
    assert.equal((await query(owner.connectionString, "SELECT * FROM kept")).length, round);
    owner.process.kill("SIGTERM");
    await once(owner.process, "exit");
  }
  for (const path of ["", "postgres", "postgres/password"])
    assert.equal((await stat(join(dataDir, path))).uid, 0, path);
});

test("as an ordinary user: runs as that user, also when the package's library links are missing", async (t) => {
  const user = isRoot ? { uid: 65534, gid: 65534 } : {};
  if (spawnSync(process.execPath, ["--version"], user).status !== 0)
    return t.skip("nobody cannot run this node");
  await chmod(project, 0o755);
  const home = join(root, "nobody");
  await mkdir(home);
  if (user.uid) await chown(home, user.uid, user.gid);
  const dataDir = join(home, ".busbar");
  const program = join(project, "server/postgres", PROGRAM_NAME);
  for (const expected of [1, 2]) {
    const owner = await startOwner(t, dataDir, { program, user });
    await query(owner.connectionString, "CREATE TABLE IF NOT EXISTS kept (id int)");
    await query(owner.connectionString, "INSERT INTO kept VALUES (1)");
    assert.equal((await query(owner.connectionString, "SELECT * FROM kept")).length, expected);
    owner.process.kill("SIGTERM");
    await once(owner.process, "exit");
  }
  assert.equal((await readdir(join(dataDir, "cache"))).length, 1);
  if (isRoot) assert.equal((await stat(join(dataDir, "postgres", "data"))).uid, 65534);

  await rm(join(project, "node_modules"), { recursive: true });
  await assert.rejects(startOwner(t, dataDir, { program, user }), /no embedded PostgreSQL for this platform/);
});

const PROGRAM_NAME = "start-embedded-postgres.ts";

/** A data folder whose database exists, as a copy restored from a backup: half a second sooner than a first start. */
function restored(name: string): string {
  assert.equal(spawnSync("cp", ["-R", join(root, "made"), join(root, name)]).status, 0);
  return join(root, name);
}

async function start(t: TestContext, dataDir: string): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ dataDir, log });
  t.after(() => database.stop());
  return database;
}

interface OwnerOptions {
  program?: string;
  user?: { uid?: number; gid?: number };
  mode?: string;
}

function spawnOwner(t: TestContext, dataDir: string, options: OwnerOptions = {}): ChildProcess {
  const { program = PROGRAM, user = {}, mode = "" } = options;
  const args = ["--input-type=module", "-e", OWNER, pathToFileURL(program).href, dataDir, mode];
  const owner = spawn(process.execPath, args, { ...user, cwd: "/", stdio: ["ignore", "pipe", "inherit"] });
  t.after(async () => {
    if (owner.exitCode !== null || owner.signalCode !== null) return;
    owner.kill("SIGTERM");
    await once(owner, "exit");
  });
  return owner;
}

/** Rejects with what the process said when it does not come up. */
async function startOwner(t: TestContext, dataDir: string, options: OwnerOptions = {}) {
  const owner = spawnOwner(t, dataDir, options);
  assert.ok(owner.stdout);
  let output = "";
  for await (const chunk of owner.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    if (output.includes("\n")) break;
  }
  owner.stdout.resume();
  if (!output.startsWith("postgresql://")) throw new Error(output);
  return { process: owner, connectionString: output.trim() };
}

/** A project of its own: this folder's code and the package of binaries as `npm ci --ignore-scripts` leaves it. */
async function makeProject(folder: string): Promise<string> {
  await mkdir(folder);
  const server = join(import.meta.dirname, "..");
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await cp(import.meta.dirname, join(folder, "server", "postgres"), { recursive: true });
  for (const name of ["clock.ts", "errors.ts", "json.ts", "problem-types.ts"]) {
    await cp(join(server, "..", "ground", name), join(folder, "ground", name));
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const installed = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  const copy = join(folder, "node_modules", name);
  await mkdir(dirname(copy), { recursive: true });
  assert.equal(spawnSync("cp", ["-R", installed, copy]).status, 0);
  for (const entry of await readdir(copy, { recursive: true, withFileTypes: true }))
    if (entry.isSymbolicLink()) await rm(join(entry.parentPath, entry.name));
  return folder;
}

async function serverPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, "postgres", "data", "postmaster.pid"), "utf8"), 10);
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  client.on("error", () => {}); // Tests kill its server.
  await client.connect();
  return client;
}

async function query(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(connectionString);
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
