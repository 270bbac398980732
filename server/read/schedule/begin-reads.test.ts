/** Scheduled reads begin when their tick has come: once, over the whole gap, and cheaply for many objects. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { sql, type KyselyPlugin } from "kysely";
import { NewWork } from "../../jobs/new-work.ts";
import { nowMs } from "../../../ground/clock.ts";
import { commitReadPages, type ReadPageCommit } from "../../store/reads/read-pages.ts";
import { lockDueObjects } from "../../store/reads/read-objects.ts";
import { beginDueReads, repairTicks } from "./begin-reads.ts";
import { MINUTE_MS, openInstallations, WORKER } from "../../../tests/fixtures/installed-fixture.ts";

const HOUR_MS = 60 * MINUTE_MS;

async function openSchedules(t: TestContext) {
  const busbar = await openInstallations(t, { schedule: "0 0 1 1 *" });
  const { id, connectionId } = await busbar.install("acme", { objectName: "account" });
  await busbar.sync();
  const begin = () =>
    beginDueReads({
      database: busbar.database,
      catalog: busbar.catalog,
      minuteMs: MINUTE_MS,
      newRuns: new NewWork(),
    });
  const change = (columns: {
    nextTick?: Date;
    cursorTime?: Date;
    floorTime?: Date | null;
    settledTime?: Date;
  }) => busbar.queries.updateTable("readObjects").set(columns).where("installationId", "=", id).execute();
  const object = async () => (await busbar.listObjects(id))[0];
  const makeDue = () => change({ nextTick: new Date(nowMs() - 1) });
  /** Ends the scheduled run at its last page. */
  async function end() {
    const { operationId } = await busbar.claim(id, "scheduled");
    const cursor = { cursorTime: new Date(), settled: false, forgetBefore: new Date(0) };
    const page: ReadPageCommit = {
      operationId,
      workerId: WORKER,
      untilTime: null,
      stage: "records",
      checkpoint: null,
      metadata: {},
      log: [],
      messages: [],
      seen: [],
      fingerprints: [],
      forgotten: [],
      release: true,
      end: { status: "success", result: "done", cursor },
    };
    assert.equal((await commitReadPages(busbar.queries, [page])).size, 1);
  }
  return { ...busbar, id, connectionId, begin, change, object, makeDue, end };
}

test("ticks that were missed become one read over the whole gap", async (t) => {
  const { begin, change, object, runs, id } = await openSchedules(t);
  const cursorTime = new Date(nowMs() - 50 * HOUR_MS);
  const settledTime = new Date();
  await change({ nextTick: new Date(nowMs() - 49 * HOUR_MS), cursorTime, floorTime: null, settledTime });
  await begin();
  await begin();
  const [run, ...more] = await runs(id);
  assert.deepEqual(more, []);
  assert.equal(run?.kind, "scheduled");
  assert.equal(run.sinceTime?.getTime(), cursorTime.getTime() - 5 * MINUTE_MS, "the overlap of HubSpot");
  assert.ok(((await object())?.nextTick?.getTime() ?? 0) > nowMs());
});

test("once an hour a read looks back further, and never behind the floor of an object without backfill", async (t) => {
  const { begin, change, makeDue, runs, id, end } = await openSchedules(t);
  const cursorTime = new Date(nowMs() - 10 * MINUTE_MS);
  await change({ cursorTime, floorTime: null, settledTime: new Date(nowMs() - 2 * HOUR_MS) });
  await makeDue();
  await begin();
  const [settling] = await runs(id);
  assert.equal(settling?.settles, true);
  assert.equal(settling.sinceTime?.getTime(), cursorTime.getTime() - 65 * MINUTE_MS);
  await end();
  await change({ cursorTime, floorTime: cursorTime });
  await makeDue();
  await begin();
  assert.deepEqual((await runs(id))[0]?.sinceTime, cursorTime);
});

test("a tick during the object's read begins nothing, and becomes one more read after it", async (t) => {
  const { begin, makeDue, operations, runs, end, id } = await openSchedules(t);
  for (let n = 0; n < 3; n++) {
    await makeDue();
    await begin();
  }
  assert.equal((await operations(id)).length, 1);
  await end();
  await begin();
  assert.equal((await runs(id)).length, 1);
  await end();
  await begin();
  assert.equal((await operations(id)).length, 2);
});

test("nothing begins with bad credentials or a disabled destination; the next tick reads the gap", async (t) => {
  const { begin, makeDue, operations, queries, object, runs, connectionId, id } = await openSchedules(t);
  const cursorTime = (await object())?.cursorTime;
  const connection = (status: string) =>
    queries.updateTable("connections").set({ status }).where("id", "=", connectionId).execute();
  const destination = (disabledTime: Date | null) =>
    queries.updateTable("destinations").set({ disabledTime }).execute();
  await connection("bad_credentials");
  await makeDue();
  await begin();
  await connection("working");
  await destination(new Date());
  await makeDue();
  await begin();
  assert.deepEqual(await operations(id), []);
  assert.ok(((await object())?.nextTick?.getTime() ?? 0) > nowMs());
  await destination(null);
  await makeDue();
  await begin();
  const [run] = await runs(id);
  assert.ok(run?.sinceTime && cursorTime && run.sinceTime <= cursorTime);
});

test("equal schedules begin at different seconds of the minute, each object at its own", async (t) => {
  const busbar = await openInstallations(t, { schedule: "0 * * * *" });
  for (let n = 0; n < 8; n++) await busbar.install(`g${n}`, { objectName: "account" });
  await busbar.sync();
  const rows = await busbar.queries.selectFrom("readObjects").select("nextTick").execute();
  const seconds = new Set(rows.map(({ nextTick }) => (nextTick?.getTime() ?? 0) % HOUR_MS));
  assert.ok(seconds.size > 4, String(seconds.size));
  assert.ok([...seconds].every((ms) => ms < MINUTE_MS));
});

test("1,000 due objects begin once in a handful of statements, whoever else begins them", async (t) => {
  const busbar = await openMany(t, 1_000);
  await busbar.queries
    .updateTable("readObjects")
    .set({ nextTick: new Date(0) })
    .execute();
  let statements = 0;
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const database = { ...busbar.database, queries: busbar.queries.withPlugin(counting) };
  const deps = { database, catalog: busbar.catalog, minuteMs: MINUTE_MS, newRuns: new NewWork() };
  await Promise.all([beginDueReads(deps), beginDueReads(deps)]);
  while (await beginDueReads(deps));
  assert.ok(statements <= 20, `${statements} statements`);
  assert.equal((await busbar.runs(busbar.id)).length, 1_000);
});

test("a check of 10,000 schedules of which none is due reads no row", async (t) => {
  const busbar = await openMany(t, 10_000);
  await sql`analyze read_objects`.execute(busbar.queries);
  const seen = await busbar.queries.transaction().execute(async (queries) => {
    assert.deepEqual(await lockDueObjects(queries, 500), []);
    const { rows } = await sql<{ fullScans: number; fetched: number }>`
      select seq_scan::int as full_scans, idx_tup_fetch::int as fetched from pg_stat_xact_user_tables
      where relname = 'read_objects'`.execute(queries);
    return rows[0];
  });
  assert.deepEqual(seen, { fullScans: 0, fetched: 0 });
});

/** One installation that reads so many objects, the next ticks an hour away. */
async function openMany(t: TestContext, count: number) {
  const busbar = await openInstallations(t, {});
  const { id } = await busbar.install("acme");
  await sql`
    insert into read_objects (installation_id, object_name, project_id, account_ref, message_name, destination, schedule,
      next_tick, cursor_time, settled_time, deletions_time)
    select ${id}::uuid, 'object' || n, ${busbar.projectId}::uuid, 'a', 'object' || n, 'hook', '*/10 * * * *',
      now() + interval '1 hour', now(), now(), now()
    from generate_series(1, ${count}::integer) n`.execute(busbar.queries);
  return { ...busbar, id };
}

test("a tick later than the one after the next is made due, and others stay", async (t) => {
  const { database, queries, change, object, id } = await openSchedules(t);
  await queries
    .updateTable("readObjects")
    .set({ schedule: "0 * * * *" })
    .where("installationId", "=", id)
    .execute();
  // Hours have 60 minutes of the test.
  const stays = new Date(nowMs() + HOUR_MS);
  await change({ nextTick: stays });
  assert.equal(await repairTicks({ database, minuteMs: MINUTE_MS }), 0);
  assert.deepEqual((await object())?.nextTick, stays);
  await change({ nextTick: new Date(nowMs() + 4 * HOUR_MS) });
  assert.equal(await repairTicks({ database, minuteMs: MINUTE_MS }), 1);
  assert.ok((await object())?.nextTick && ((await object())?.nextTick?.getTime() ?? 0) <= nowMs() + 1_000);
});

test("a cursor never moves to the future, and one that is there is read from now", async (t) => {
  const { begin, change, object, runs, makeDue, end, id, queries } = await openSchedules(t);
  await change({ cursorTime: new Date(nowMs() + 10 * HOUR_MS), settledTime: new Date() });
  await makeDue();
  await begin();
  const [run] = await runs(id);
  assert.ok((run?.sinceTime?.getTime() ?? Number.POSITIVE_INFINITY) <= nowMs());
  await end();
  const { rows } = await sql<{ isPast: boolean }>`
    select cursor_time <= now() as "isPast" from read_objects where installation_id = ${id}`.execute(queries);
  assert.deepEqual(rows, [{ isPast: true }]);
  assert.ok(await object());
});
