/** `busbar shards`: what is added and taken away, again too, and what is refused before anything is made. */
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { test, type TestContext } from "node:test";
import { startEmbeddedPostgres } from "../postgres/start-embedded-postgres.ts";
import { openClient } from "../store/database/prepare-database.ts";
import { createOutput } from "../../cli/output/output.ts";
import { readConfig } from "../../ground/config.ts";
import { createLog } from "../../ground/log.ts";
import { newId } from "../../ground/ids.ts";
import { runBusbar } from "../../tests/harness/child-busbar.ts";
import { addProject, createEmptyDatabase, createTestDatabase } from "../../tests/harness/database.ts";
import { asReplicator } from "../../tests/harness/empty-pair.ts";
import { REPLICATING_ROLE } from "../../tests/harness/side-roles.ts";
import { addOnce } from "../../tests/harness/shards.ts";
import { runDoctor } from "./doctor/doctor-command.ts";
import { runShardsCommand } from "./shards-command.ts";

const KEYS = `test:${Buffer.alloc(32, 7).toString("base64")}`;

/** Creates a control database, two empty ones, and what runs the command. */
async function openScene(t: TestContext) {
  const urls: Record<string, string> = {};
  let connectionString = "";
  // A database with a slot cannot be dropped, and callbacks run in the order in which they are added.
  t.after(async () => addOnce(connectionString, urls).unpair());
  const created = await createTestDatabase({ isDivided: false });
  t.after(created.drop);
  connectionString = created.connectionString;
  urls["a"] = await createEmptyDatabase(t);
  urls["b"] = await createEmptyDatabase(t);
  const { a, b } = urls;
  const env = (more: Record<string, string> = {}) => ({
    DATABASE_URL: connectionString,
    BUSBAR_REPLICATION_URL: asReplicator(connectionString),
    BUSBAR_ENCRYPTION_KEYS: KEYS,
    ...more,
  });
  /** Returns what the command prints as JSON. */
  const run = async (args: string[], { more = {}, weight = undefined as number | undefined } = {}) => {
    let text = "";
    const stdout = new Writable({
      write(part, _encoding, done) {
        text += String(part);
        done();
      },
    });
    const out = createOutput({ stdout, stderr: stdout, env: {} }, { json: true, quiet: true });
    const deps = { config: readConfig(env(more)), log: createLog("silent"), out };
    const isGood = await runShardsCommand(args, { weight }, deps);
    return { isGood, printed: JSON.parse(text) };
  };
  const ask = async (url: string, ...asked: [statement: string, values?: unknown[]]) => {
    const client = await openClient(url);
    return (await client.query(...asked).finally(() => client.end())).rows;
  };
  const list = async (): Promise<{ name: string; state: string; weight: number; detail: string | null }[]> =>
    (await run(["list"])).printed;
  return { connectionString, a, b, env, run, ask, list };
}

test("a shard is added once and removed once, by a program too, and each is told as JSON", async (t) => {
  const { a, b, env, run, ask, list, connectionString } = await openScene(t);
  assert.deepEqual(
    (await list()).map(({ name }) => name),
    ["main"],
  );
  const added = await runBusbar(["shards", "add", "a", a, "--weight", "3", "--json"], env()).exited;
  assert.equal(added.code, 0, added.stderr);
  const made = JSON.parse(added.stdout);
  assert.deepEqual(
    [made.name, made.state, made.weight, made.customers, made.wasThere],
    ["a", "active", 3, 0, false],
  );
  assert.match(added.stderr, /copying projects \(table \d+ of \d+\)/);
  assert.ok(made.address.endsWith(new URL(a).pathname), made.address);
  // The password is in no answer, and not in the table either.
  const [row] = await ask(connectionString, "select url_sealed from shards");
  assert.ok(!String(row?.["url_sealed"]).includes(new URL(a).pathname.slice(1)));
  const again = await run(["add", "a", a], { weight: 5 });
  assert.deepEqual([again.printed.wasThere, again.printed.weight], [true, 5]);
  await run(["add", "b", b]);
  assert.deepEqual(
    (await list()).map(({ name, state, weight }) => [name, state, weight]),
    [
      ["main", "active", 1],
      ["a", "active", 5],
      ["b", "active", 1],
    ],
  );
  for (const name of ["a", "b"]) {
    assert.deepEqual((await run(["remove", name])).printed, { name, removed: true });
    assert.deepEqual((await run(["remove", name])).printed, { name, removed: false });
  }
  const left = await ask(
    connectionString,
    "select slot_name from pg_replication_slots where database = current_database() union all select pubname from pg_publication",
  );
  assert.deepEqual(left, [], "nothing keeps the log of the control server");
});

test("what cannot be a shard is refused with the reason and what helps, and the registry stays empty", async (t) => {
  const { connectionString, a, b, run, ask, list } = await openScene(t);
  const refuses = (args: string[], message: RegExp, more?: Record<string, string>) =>
    assert.rejects(run(args, { more }), { name: "StartError", message });
  const gone = new URL(a);
  gone.pathname = "/test_gone";
  await refuses(
    ["add", "a", connectionString],
    /the shard a names the same database as DATABASE_URL: name an empty/,
  );
  await refuses(["add", "a", gone.href], /cannot connect to the database of the shard a.*test_gone/);
  await refuses(["add", "main", a], /"main" is the shard that every Busbar has/);
  await refuses(["add", "A b", a], /small letters, digits and hyphens/);
  await refuses(["add", "a", "mysql://host/a"], /such as postgres:/);
  await refuses(["add", "a", a], /cannot subscribe.*needs REPLICATION and a password/, {
    BUSBAR_REPLICATION_URL: connectionString,
  });
  await ask(b, "create table theirs ()");
  await refuses(["add", "b", b], /the shard b is not empty \(it has the table theirs\): name an empty one/);
  await ask(
    b,
    "drop table theirs; create table migrations (name text, compatible boolean not null default false)",
  );
  await ask(b, "insert into migrations values ('9999_later.sql')");
  await refuses(["add", "b", b], /was migrated by another version of Busbar \(9999_later.sql\)/);
  assert.equal((await list()).length, 1);
  await ask(b, "drop table migrations");
  await run(["add", "a", a]);
  await refuses(["add", "other", a], /that of the shard a already.*busbar shards remove a/);
  await refuses(["add", "a", a], /^the server of the shard a cannot subscribe.*test_gone/, {
    BUSBAR_REPLICATION_URL: gone.href,
  });
  await refuses(["add", "a", b], /there is a shard a already, at .*busbar shards list/);
  await refuses(["remove", "main"], /cannot be removed/);
  await refuses(["drain", "main"], /BUSBAR_MAIN_WEIGHT=0/);
  await refuses(["drain", "other"], /there is no shard other.*busbar shards list/);
  const states = async () => (await list()).map(({ name, state }) => `${name} ${state}`);
  for (const nth of ["once", "again"]) {
    assert.equal((await run(["drain", "a"])).printed.state, "draining", nth);
    assert.deepEqual(await states(), ["main active", "a draining"]);
  }
  await run(["add", "a", a]);
  assert.deepEqual(await states(), ["main active", "a active"]);
  await assert.rejects(run(["empty", "a"]), { name: "UsageError" });
  await assert.rejects(run(["add", "a"]), { name: "UsageError" });
});

test("a shard with customers or with their rows is not removed", async (t) => {
  const { connectionString, a, run, ask, list } = await openScene(t);
  await run(["add", "a", a]);
  await addProject(connectionString, { groupRefs: ["acme"], shard: "a" });
  const hasCustomer = { message: /the shard a has a customer.*busbar shards move GROUP SHARD/ };
  await assert.rejects(run(["remove", "a"]), hasCustomer);
  await ask(a, "insert into events (id, project_id, type, data) select $1, id, 'read', '{}' from projects", [
    newId(),
  ]);
  await assert.rejects(run(["remove", "a"]), hasCustomer);
  await ask(connectionString, "delete from groups");
  await assert.rejects(run(["remove", "a"]), { message: /has rows of customers \(in events\)/ });
  assert.equal((await list())[1]?.state, "active");
  await ask(a, "delete from unrouted_events; delete from events");
  assert.equal((await run(["remove", "a"])).printed.removed, true);
});

test("a shard that was added in part can be added again, or taken away", async (t) => {
  const { connectionString, a, b, run, ask, list } = await openScene(t);
  await run(["add", "a", a]);
  // As after a crash before the copies.
  await ask(a, "drop subscription busbar_shared");
  await ask(connectionString, "update shards set state = 'adding'");
  await assert.rejects(run(["add", "a", b]), {
    message: /added in part, with the database .*busbar shards remove a/,
  });
  const found = await run(["doctor"]);
  assert.equal(found.isGood, false);
  assert.match(found.printed[0].cure, /busbar shards add a URL.*busbar shards remove a/);
  // The copies of the first attempt are rows of shared tables.
  assert.equal((await run(["remove", "a"])).printed.removed, true);
  await run(["add", "b", b]);
  await ask(b, "alter subscription busbar_shared disable");
  await ask(b, "alter subscription busbar_shared set (slot_name = none)");
  await ask(b, "drop subscription busbar_shared");
  await ask(connectionString, "update shards set state = 'adding'");
  await run(["add", "b", b]);
  assert.equal((await list())[1]?.state, "active");
  assert.equal(
    (await run(["doctor"])).printed.find(({ check }: { check: string }) => check === "shard b: copies")?.ok,
    true,
  );
});

test("the doctor of the server names a shard that is away, and a shard that nobody reaches any more can be taken away", async (t) => {
  const { connectionString, a, run, ask, env } = await openScene(t);
  await run(["add", "a", a]);
  const listFaults = async () =>
    (await runDoctor(() => readConfig({ ...env(), BUSBAR_PORT: "0", BUSBAR_PROXY_PORT: "0" })))
      .filter(({ ok, check }) => !ok && check.startsWith("shard a"))
      .map(({ check }) => check);
  assert.deepEqual(
    (await listFaults()).filter((check) => !/settings|connections/.test(check)),
    [],
  );
  const name = new URL(a).pathname.slice(1);
  await ask(a, "alter subscription busbar_shared disable");
  await ask(connectionString, `alter database ${name} rename to ${name}_away`);
  assert.deepEqual(await listFaults(), ["shard a: database"]);
  const { printed } = await run(["remove", "a"]);
  assert.equal(printed.removed, true);
  assert.match(printed.unreachable, /does not exist/);
  await ask(connectionString, `alter database ${name}_away rename to ${name}`);
  await ask(a, "alter subscription busbar_shared set (slot_name = none)");
  await ask(a, "drop subscription busbar_shared");
});

test("a customer is moved by the command, which tells it as JSON, and the doctor names a move that was broken off", async (t) => {
  const { connectionString, a, env, run, ask } = await openScene(t);
  await run(["add", "a", a]);
  const id = await addProject(connectionString, { groupRefs: ["acme", "globex", "initech"] });
  const moved = await runBusbar(["shards", "move", "acme", "a", "--project", id, "--json"], env()).exited;
  assert.equal(moved.code, 0, moved.stderr);
  const { groupRef, projectId, from, to } = JSON.parse(moved.stdout);
  assert.deepEqual([groupRef, projectId, from, to], ["acme", id, "main", "a"]);
  assert.match(moved.stderr, /moving acme: switching/);
  await assert.rejects(run(["remove", "a"]), { message: /has a customer.*busbar shards move GROUP SHARD/ });

  await ask(
    connectionString,
    "insert into shard_moves (group_id, to_shard, state, detail) select id, 'a', 'closing', 'copying' from groups where group_ref = 'globex'",
  );
  const [main] = (await run(["list"])).printed;
  assert.deepEqual(
    main.moves.map((move: Record<string, unknown>) => ({ ...move, since: undefined })),
    [
      {
        groupRef: "globex",
        projectId: id,
        to: "a",
        state: "closing",
        step: "copying",
        since: undefined,
        isRunning: false,
      },
    ],
  );
  const doctor = await run(["doctor"]);
  assert.equal(doctor.isGood, false);
  const found = doctor.printed.find(({ check }: { check: string }) => check === "move of globex");
  assert.match(found.text ?? found.detail ?? JSON.stringify(found), /broken off, its requests are refused/);
  assert.match(JSON.stringify(found), new RegExp(`busbar shards move globex a --project ${id}`));

  // Two of three customers belong there: the move that was broken off is completed, then nothing is left to do.
  await run(["add", "a", a], { weight: 2 });
  assert.deepEqual((await runRebalance(["--dry-run"])).printed, [{ from: "main", to: "a", customers: 1 }]);
  const done = (await runRebalance([])).printed;
  assert.deepEqual(
    done.moved.map((one: { groupRef: string; to: string }) => [one.groupRef, one.to]),
    [["globex", "a"]],
  );
  assert.deepEqual((await runRebalance(["--dry-run"])).printed, []);
  const checks = (await run(["doctor"])).printed.map(({ check }: { check: string }) => check);
  assert.ok(!checks.includes("move of globex"), checks.join());

  async function runRebalance(args: string[]) {
    const ended = await runBusbar(["shards", "rebalance", ...args, "--json"], env()).exited;
    assert.equal(ended.code, 0, ended.stderr);
    return { printed: JSON.parse(ended.stdout) };
  }
});

test("migrating grants a serving role the rows of the shards, too", async (t) => {
  const { a, run, ask, env } = await openScene(t);
  await run(["add", "a", a]);
  // A role that is there, and has no rights on rows.
  const role = REPLICATING_ROLE.name;
  const readRights = async () =>
    (
      await ask(
        a,
        `select has_table_privilege('${role}', 'operations', 'insert') as rows, has_table_privilege('${role}', 'migrations', 'insert') as schema`,
      )
    )[0];
  assert.deepEqual(await readRights(), { rows: false, schema: false });
  const migrated = await runBusbar(["migrate", "--grant", role], env()).exited;
  assert.equal(migrated.code, 0, migrated.stderr);
  assert.match(migrated.stdout, /so is the shard a; \w+ may read and write their rows/);
  assert.deepEqual(await readRights(), { rows: true, schema: false });
});

test("a control database whose server keeps no log for replication gets no shard", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "busbar-shards-"));
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres({ dataDir: folder, log: createLog("silent") });
  t.after(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const a = await createEmptyDatabase(t);
  const env = { DATABASE_URL: server.connectionString, BUSBAR_ENCRYPTION_KEYS: KEYS };
  const refused = await runBusbar(["shards", "add", "a", a], env).exited;
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /has wal_level = replica.*the shard a.*alter system set wal_level = 'logical'.*restart/,
  );
  const listed = await runBusbar(["shards", "list", "--json"], env).exited;
  assert.deepEqual(
    JSON.parse(listed.stdout).map(({ name }: { name: string }) => name),
    ["main"],
  );
});
