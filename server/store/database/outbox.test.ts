/** The outbox: what a control change causes happens once, in order, whatever is killed, and in the same commit where it can. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { sql } from "kysely";
import { addProject, createTestDatabase, type Scope } from "../../../tests/harness/database.ts";
import { SIDE_ROLES } from "../../../tests/harness/side-roles.ts";
import { until } from "../../../tests/harness/until.ts";
import { newId } from "../../../ground/ids.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import { createLog } from "../../../ground/log.ts";
import { transactControl, type Database, type SideRoles } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { openOutbox, queueOutbox } from "./outbox.ts";
import type { ControlQueries } from "./sides.ts";

interface Scene {
  open(sides?: SideRoles): Promise<Database>;
  connectionString: string;
  projectId: string;
}

async function openScene(t: Scope): Promise<Scene> {
  const { connectionString, drop } = await createTestDatabase({ isDivided: false });
  const opened: Database[] = [];
  t.after(async () => {
    for (const { close } of opened) await close();
    await drop();
  });
  const open = async (sides?: SideRoles) => {
    const database = await openDatabase({
      connectionString,
      log: createLog("silent"),
      poolSize: 5,
      ...(sides && { sideRoles: sides }),
    });
    opened.push(database);
    return database;
  };
  await open();
  const projectId = await addProject(connectionString);
  return { open, connectionString, projectId };
}

const event = (projectId: string, n: number) =>
  ({
    projectId,
    kind: "event",
    content: { id: newId(), type: "connection.updated", data: JSON.stringify({ n }) },
  }) as const;

/** Changes the project, and queues an event in the same transaction. */
async function change(queries: ControlQueries, projectId: string, n: number): Promise<void> {
  await sql`update projects set name = ${`p${n}`} where id = ${projectId}`.execute(queries);
  await queueOutbox(queries, [event(projectId, n)]);
}

async function listStored({ queries }: Database): Promise<number[]> {
  const { rows } = await sql<{
    n: number;
  }>`select (data ->> 'n')::integer as n from events order by n`.execute(queries);
  return rows.map(({ n }) => n);
}

async function count({ queries }: Database, table: "outbox" | "unrouted_events"): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::integer as count from ${sql.table(table)}`.execute(queries);
  return rows[0]?.count ?? 0;
}

test("an event is stored once when the change is done, and not at all when it is rolled back", async (t) => {
  const { open, projectId } = await openScene(t);
  for (const [n, sides] of [
    [1, undefined],
    [2, SIDE_ROLES],
  ] as const) {
    const database = await open(sides);
    await transactControl(database, (queries) => change(queries, projectId, n));
    await assert.rejects(
      transactControl(database, async (queries) => {
        await change(queries, projectId, 10 + n);
        throw new Error("rolled back");
      }),
      /rolled back/,
    );
    assert.deepEqual(await listStored(database), [1, 2].slice(0, n));
    assert.deepEqual([await count(database, "outbox"), await count(database, "unrouted_events")], [0, n]);
  }
});

test("one database stores the event in the commit of the change, and has nothing in the outbox", async (t) => {
  const { open, projectId } = await openScene(t);
  const database = await open();
  await transactControl(database, async (queries) => {
    await change(queries, projectId, 1);
    const { rows } = await sql`select from events`.execute(queries);
    assert.equal(rows.length, 1);
    assert.equal((await sql`select from outbox`.execute(queries)).rows.length, 0);
    assert.equal(
      (await sql`select from events`.execute(database.queries)).rows.length,
      0,
      "not committed yet",
    );
  });
});

test("what a process left is carried over once, by several at the same time", async (t) => {
  const { open, projectId } = await openScene(t);
  const [one, other] = [await open(SIDE_ROLES), await open(SIDE_ROLES)];
  for (const n of [1, 2, 3])
    await one.control.transaction().execute((queries) => change(queries, projectId, n));
  assert.deepEqual([await listStored(one), await count(one, "outbox")], [[], 3]);
  await Promise.all([one, other, one, other].map(({ outbox }) => outbox.carryOver()));
  assert.deepEqual(await listStored(one), [1, 2, 3]);
  assert.deepEqual([await count(one, "outbox"), await count(one, "unrouted_events")], [0, 3]);
});

test("no event of a customer is stored before an earlier one, over two processes", async (t) => {
  const { open, projectId } = await openScene(t);
  const databases = [await open(SIDE_ROLES), await open(SIDE_ROLES)];
  const watcher = await open();
  let next = 0;
  const states: number[][] = [];
  const changing = Promise.all(
    [0, 1, 2, 3].map(async (index) => {
      const database = databases[index % 2] ?? watcher;
      for (let times = 0; times < 25; times += 1)
        await transactControl(database, async (queries) => {
          await sql`select from projects where id = ${projectId} for update`.execute(queries);
          await change(queries, projectId, (next += 1));
        });
    }),
  );
  while ((states.at(-1)?.length ?? 0) < 100) states.push(await listStored(watcher));
  await changing;
  for (const state of states)
    assert.deepEqual(
      state,
      state.map((_, index) => index + 1),
    );
});

test("a shard waits for copies of what is committed only, and not for the locks of the process that carries over", async (t) => {
  const { open, projectId } = await openScene(t);
  const { queries, control, data, pool } = await open(SIDE_ROLES);
  await control.transaction().execute((inside) => change(inside, projectId, 1));
  const isBefore: boolean[] = [];
  const copied = {
    removeDependents: async () => {},
    async applied(position: string) {
      // The server sends what is flushed, and on a quiet one nobody flushes what a lock has written.
      const { rows } = await pool.query<{ before: boolean }>(
        "select $1::pg_lsn < pg_current_wal_insert_lsn() as before",
        [position],
      );
      isBefore.push(rows[0]?.before ?? false);
      return true;
    },
  };
  const outbox = openOutbox({ queries, control, data, log: createLog("silent"), copied });
  await outbox.carryOver();
  assert.deepEqual(isBefore, [true]);
  assert.deepEqual(await listStored(await open()), [1]);
});

test("an entry that cannot be carried over holds up no other", async (t) => {
  const { open, projectId } = await openScene(t);
  const database = await open(SIDE_ROLES);
  await sql`insert into outbox (project_id, kind, content) values (${projectId}, 'event', '{}')`.execute(
    database.queries,
  );
  await transactControl(database, (queries) => change(queries, projectId, 1));
  assert.deepEqual(await listStored(database), [1]);
  assert.equal(await count(database, "outbox"), 1, "it is kept");
});

test("a data side that does not answer delays a change by a second, and the event comes afterwards", async (t) => {
  const { open, projectId } = await openScene(t);
  const [database, other] = [await open(SIDE_ROLES), await open()];
  const unlock = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const locking = other.queries.transaction().execute(async (queries) => {
    await sql`lock table events in access exclusive mode`.execute(queries);
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  const startedMs = elapsedMs();
  await transactControl(database, (queries) => change(queries, projectId, 1));
  assert.ok(elapsedMs() - startedMs >= 900);
  unlock.resolve();
  await locking;
  await until(
    async () => (await listStored(database)).length === 1 && (await count(database, "outbox")) === 0,
  );
});

/** Changes the project and has the event carried over, as a process of its own. */
const OTHER_PROCESS = `
  const { openDatabase } = await import(process.env.STORE + "open-database.ts");
  const { transactControl } = await import(process.env.STORE + "database.ts");
  const { queueOutbox } = await import(process.env.STORE + "outbox.ts");
  const { createLog } = await import(process.env.STORE + "../../../ground/log.ts");
  const { newId } = await import(process.env.STORE + "../../../ground/ids.ts");
  const database = await openDatabase({
    connectionString: process.env.DATABASE_URL, log: createLog("silent"), sideRoles: JSON.parse(process.env.SIDES),
  });
  const projectId = process.env.PROJECT;
  const content = { id: newId(), type: "connection.updated", data: '{"n":1}' };
  await transactControl(database, (queries) => queueOutbox(queries, [{ projectId, kind: "event", content }]));
  // Whoever answers late is alive until it is killed.
  setInterval(() => {}, 1_000);
`;

test("a process is killed before the event is stored, or before the outbox knows: it is stored once", async (t) => {
  const { open, connectionString, projectId } = await openScene(t);
  const [watcher, next] = [await open(), await open(SIDE_ROLES)];
  const env = { DATABASE_URL: connectionString, PROJECT: projectId, SIDES: JSON.stringify(SIDE_ROLES) };
  const isWaiting = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    `.execute(watcher.queries);
    return rows.length > 0;
  };
  for (const [n, isStored] of [
    [1, false],
    [2, true],
  ] as const) {
    const lock = await lockTable(watcher, "events");
    const other = spawn(process.execPath, ["--input-type=module", "-e", OTHER_PROCESS], {
      env: { ...process.env, ...env, STORE: new URL("./", import.meta.url).href },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const ended = once(other, "exit");
    await until(isWaiting);
    assert.equal(await count(watcher, "outbox"), 1, "the change is committed");
    if (isStored) {
      const second = await lockTable(watcher, "outbox", "share");
      await lock.release();
      await until(async () => (await count(watcher, "unrouted_events")) === n && (await isWaiting()));
      other.kill("SIGKILL");
      await ended;
      await second.release();
    } else {
      other.kill("SIGKILL");
      await ended;
      await lock.release();
    }
    await until(async () => {
      await next.outbox.carryOver();
      return (await count(watcher, "outbox")) === 0;
    });
    assert.equal((await listStored(watcher)).length, n);
    assert.equal(await count(watcher, "unrouted_events"), n);
  }
});

/** Takes the lock in a transaction of its own, which ends when it is released. */
async function lockTable(
  { queries: database }: Database,
  table: string,
  mode: "access exclusive" | "share" = "access exclusive",
) {
  const [released, locked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = database.transaction().execute(async (queries) => {
    await sql`lock table ${sql.table(table)} in ${sql.raw(mode)} mode`.execute(queries);
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return {
    async release() {
      released.resolve();
      await holding;
    },
  };
}
