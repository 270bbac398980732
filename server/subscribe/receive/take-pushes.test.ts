/** Pushes that were answered: taken apart once, in order, whatever happens between. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NewWork } from "../../jobs/new-work.ts";
import { openSides, type Scope } from "../../../tests/harness/database.ts";
import { until } from "../../../tests/harness/until.ts";
import { sql } from "kysely";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import { transact, type Database } from "../../store/database/database.ts";
import { removeProject } from "../../store/access/projects.ts";
import { readQueueDepths } from "../../store/processes/queue-depths.ts";
import { insertPushes, removePushesBefore, takePushes } from "../../store/subscriptions/received-pushes.ts";
import { listSubscriptions, syncSubscriptions } from "../../store/subscriptions/subscriptions.ts";
import { awaitPushes } from "./await-pushes.ts";
import { openPushInbox } from "./push-inbox.ts";
import { openTaking } from "./take-pushes.ts";

const ALL = { max: 100, maxBytes: 1_000_000 };

async function openPushes(scope: Scope, open?: (whole: Database) => Promise<Database>) {
  const { database: whole, queries, catalog, projectId, install } = await openInstallations(scope, {});
  const database = open ? await open(whole) : whole;
  const subscribe = async (groupRef: string): Promise<string> => {
    const { id } = await install(groupRef);
    const subscription = {
      id: newId(),
      objectName: "contacts",
      provider: "hubspot",
      accountRef: "41",
      objectKey: "0-1",
      source: "webhook" as const,
      isDisabled: false,
      destination: "changes",
    };
    await syncSubscriptions(queries, { projectId, installationId: id }, [subscription]);
    return id;
  };
  const installationId = await subscribe("one");
  const deletion = (recordId: number, more: object = {}) => ({
    portalId: 41,
    subscriptionType: "contact.deletion",
    objectId: recordId,
    occurredAt: 1_789_378_000_000,
    ...more,
  });
  const target = { projectId, provider: "hubspot", installationId: null };
  const insert = (...bodies: unknown[]) =>
    insertPushes(
      queries,
      bodies.map((body) => ({ ...target, body: Buffer.from(JSON.stringify(body)) })),
      { tells: true },
    );
  /** One push for each list of events. */
  const push = (...lists: object[][]) => insert(...lists);
  /** What an earlier version took for a list of events. */
  const pushUnreadable = (event: object) => insert({ was: [event] });
  const stored = async () => {
    const rows = await queries.selectFrom("subscriptionEvents").select("recordId").orderBy("id").execute();
    return rows.map(({ recordId }) => Number(recordId));
  };
  const taking = () => openTaking({ database, catalog, log: createLog("silent"), windowMs: 0 });
  const takeAll = async () => {
    const take = taking();
    while ((await take()).taken > 0);
  };
  return {
    database,
    queries,
    projectId,
    installationId,
    deletion,
    push,
    pushUnreadable,
    stored,
    subscribe,
    taking,
    takeAll,
  };
}

test("a push is gone with the commit of its events, which have the time of its arrival", async (scope) => {
  const { queries, projectId, installationId, deletion, push, stored, taking } = await openPushes(scope);
  await push([deletion(1), deletion(2)], [deletion(2), deletion(3), deletion(4, { portalId: 42 })]);
  const receivedTime = new Date(Date.now() - 3_600_000);
  await queries.updateTable("receivedPushes").set({ receivedTime }).execute();
  assert.deepEqual(await taking()(), { taken: 2, stored: 3 });
  assert.deepEqual(await stored(), [1, 2, 3]);
  assert.deepEqual(await queries.selectFrom("receivedPushes").selectAll().execute(), []);
  const events = await queries.selectFrom("subscriptionEvents").select("receivedTime").execute();
  for (const event of events) assert.deepEqual(event.receivedTime, receivedTime);
  const [row] = await listSubscriptions(queries, projectId, installationId);
  assert.deepEqual([row?.received, row?.duplicates], [3, 1]);
  assert.deepEqual(await taking()(), { taken: 0, stored: 0 });
});

test("a process that dies while it takes pushes apart leaves them to the next one", async (scope) => {
  const { database, deletion, push, stored, takeAll } = await openPushes(scope);
  await push([deletion(1)]);
  const client = await database.pool.connect();
  await client.query("begin; delete from received_pushes");
  // The server rolls back when the connection is gone.
  client.release(true);
  await takeAll();
  assert.deepEqual(await stored(), [1]);
});

test("while one process takes a push, another one does not store the events of a later one", async (scope) => {
  const { database, deletion, push, stored, taking } = await openPushes(scope);
  await push([deletion(1)], [deletion(2)]);
  const rollback = new Error("this process dies");
  let other: Promise<unknown> = Promise.resolve();
  const first = transact(database, async (queries) => {
    assert.equal((await takePushes(queries, { ...ALL, max: 1 })).length, 1);
    other = taking()();
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await until(async () => (await database.pool.query(waiting)).rowCount === 1);
    assert.deepEqual(await stored(), []);
    throw rollback;
  });
  await assert.rejects(first, rollback);
  await other;
  assert.deepEqual(await stored(), [1, 2]);
});

test("a process that dies between the commits of the two sides leaves its pushes, whose events are stored once", async (scope) => {
  const { database, queries, projectId, installationId, deletion, push, stored, takeAll, taking } =
    await openPushes(scope, (whole) => openSides(scope, whole));
  // The commit of the removal waits for a lock that is held here.
  await sql`
    create function wait_for_test() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(42); return null; end'
  `.execute(queries);
  await sql`
    create constraint trigger wait_for_test after delete on received_pushes deferrable initially deferred
      for each row execute function wait_for_test()
  `.execute(queries);
  await push([deletion(1), deletion(2)], [deletion(3)]);
  await queries.connection().execute(async (blocking) => {
    await sql`select pg_advisory_lock(42)`.execute(blocking);
    const broken = assert.rejects(taking()(), /terminat/i);
    const end = sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`;
    await until(async () => (await end.execute(blocking)).rows.length === 1);
    await broken;
    await sql`select pg_advisory_unlock(42)`.execute(blocking);
  });
  assert.deepEqual(await stored(), [1, 2, 3]);
  assert.equal((await queries.selectFrom("receivedPushes").select("attempts").execute()).length, 2);
  // The pool may not know yet that its connection is gone.
  await retryWhileDatabaseIsDown(takeAll);
  assert.deepEqual(await stored(), [1, 2, 3]);
  assert.deepEqual(await queries.selectFrom("receivedPushes").select("attempts").execute(), []);
  const [row] = await listSubscriptions(database.data, projectId, installationId);
  assert.deepEqual([row?.received, row?.duplicates], [3, 3]);
});

test("processes that take pushes at the same time store events in the order of arrival, each once", async (scope) => {
  const { deletion, push, stored, takeAll } = await openPushes(scope);
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
  // Batches of a few pushes.
  const note = "x".repeat(50_000);
  await push(...numbers.map((number) => [deletion(number, { note })]));
  await Promise.all([takeAll(), takeAll(), takeAll()]);
  assert.deepEqual(await stored(), numbers);
});

test("a project with many pushes leaves places to the others, and a large push is taken alone", async (scope) => {
  const { database, queries, deletion, push } = await openPushes(scope);
  await push(...Array.from({ length: 150 }, (_, index) => [deletion(index + 1)]));
  const other = { projectId: newId(), provider: "hubspot", installationId: null, body: Buffer.from("[{}]") };
  await insertPushes(queries, [other], { tells: false });
  const take = (limits: typeof ALL) => transact(database, (transaction) => takePushes(transaction, limits));
  const projects = (await take({ ...ALL, max: 10 })).map(({ projectId }) => projectId);
  assert.equal(projects.length, 10);
  assert.equal(projects.filter((projectId) => projectId === other.projectId).length, 1);
  assert.equal((await take({ ...ALL, maxBytes: 1 })).length, 1);
  assert.equal((await take({ ...ALL, max: 200 })).length, 100);
});

test("a push whose events cannot be stored stops no other; after five attempts it is set aside, counted, and made good by reading", async (scope) => {
  const { database, queries, projectId, deletion, push, pushUnreadable, stored, takeAll } =
    await openPushes(scope);
  await push([deletion(1)]);
  await pushUnreadable(deletion(2));
  await push([deletion(3)]);
  await takeAll();
  assert.deepEqual(await stored(), [1, 3]);
  assert.equal(await awaitPushes({ database }, projectId, 0), true);
  for (let attempts = 1; attempts < 5; attempts += 1) {
    const subscription = await queries
      .selectFrom("subscriptions")
      .select("reconcileSince")
      .executeTakeFirst();
    assert.equal(subscription?.reconcileSince, null);
    const [row] = await queries.selectFrom("receivedPushes").selectAll().execute();
    assert.equal(row?.attempts, attempts);
    assert.ok(row?.retryTime && row.retryTime > new Date());
    await queries.updateTable("receivedPushes").set({ retryTime: new Date() }).execute();
    await takeAll();
  }
  const [row] = await queries.selectFrom("receivedPushes").selectAll().execute();
  assert.match(row?.fault ?? "", /no such list of events/);
  const [subscription] = await queries.selectFrom("subscriptions").selectAll().execute();
  assert.equal(subscription?.reconcileReason, "A push of events could not be stored.");
  const dayBefore = (row?.receivedTime.getTime() ?? 0) - 86_400_000;
  assert.equal(subscription?.reconcileSince?.getTime(), dayBefore);
  const { waitingPushes, pushesSetAside } = await readQueueDepths({
    control: queries,
    shards: [{ shard: "main", data: queries }],
  });
  assert.deepEqual({ waitingPushes, pushesSetAside }, { waitingPushes: 0, pushesSetAside: 1 });
  assert.equal(await removePushesBefore(queries, { time: new Date(0) }, 9), 0);
  assert.equal(await removePushesBefore(queries, { projectId: newId(), time: new Date() }, 9), 0);
  assert.equal(await removePushesBefore(queries, { projectId, time: new Date() }, 9), 1);
});

test("nothing of a deleted project's pushes is kept, also of one that could not be taken apart", async (scope) => {
  const { queries, projectId, deletion, push, pushUnreadable, takeAll } = await openPushes(scope);
  await pushUnreadable(deletion(1));
  await takeAll();
  await push([deletion(2)]);
  assert.equal((await queries.selectFrom("receivedPushes").select("attempts").execute()).length, 2);
  await removeProject(queries, projectId);
  assert.deepEqual(await queries.selectFrom("receivedPushes").select("attempts").execute(), []);
});

test("who waits for the pushes before sees their events, and learns if they still wait", async (scope) => {
  const { database, projectId, deletion, push, stored, takeAll } = await openPushes(scope);
  await push([deletion(1)]);
  assert.equal(await awaitPushes({ database }, projectId, 20), false);
  const waiting = awaitPushes({ database }, projectId, 60_000);
  await takeAll();
  assert.equal(await waiting, true);
  assert.deepEqual(await stored(), [1]);
});

test("a time that a database cannot store is no reason to refuse an event", async (scope) => {
  const { deletion, push, stored, takeAll } = await openPushes(scope);
  await push([deletion(1), deletion(2, { occurredAt: -8.64e15 }), deletion(3, { occurredAt: 8.64e15 })]);
  await takeAll();
  assert.deepEqual((await stored()).toSorted(), [1, 2, 3]);
});

test("a project whose pushes take half of the capacity is refused, and the others are not", async (scope) => {
  const { database, queries, projectId, deletion } = await openPushes(scope);
  const other = newId();
  const inbox = openPushInbox({ database, newPushes: new NewWork() });
  const target = {
    provider: "hubspot",
    installationId: null,
    body: Buffer.from(JSON.stringify([deletion(1)])),
  };
  const fill = async (id: string, max: number): Promise<void> => {
    for (let count = 0; count < max; count += 5_000)
      await insertPushes(
        queries,
        Array.from({ length: 5_000 }, () => ({ ...target, projectId: id })),
        { tells: false },
      );
  };
  assert.ok(inbox.hasCapacity(projectId));
  await fill(projectId, 25_000);
  await until(() => !inbox.hasCapacity(projectId));
  assert.ok(inbox.hasCapacity(other));
});

test("a push of many events for many installations is stored in parts, in order, and delays no other project", async (scope) => {
  const { database, queries, projectId, deletion, push, taking, subscribe } = await openPushes(scope);
  const neighbours = 29;
  for (let count = 0; count < neighbours; count += 1) await subscribe(`neighbour-${count}`);
  const numbers = Array.from({ length: 400 }, (_, index) => index + 1);
  // More bytes than a batch has.
  const note = "x".repeat(2_000);
  await push(numbers.map((number) => deletion(number, { note })));
  const other = { projectId: newId(), provider: "hubspot", installationId: null };
  const body = Buffer.from(JSON.stringify([deletion(1)]));
  await insertPushes(queries, [{ ...other, body }], { tells: false });
  const take = taking();
  const { stored: first } = await take();
  assert.ok(first > 0 && first <= 5_000, String(first));
  const waiting = await queries.selectFrom("receivedPushes").select(["projectId", "position"]).execute();
  assert.deepEqual(
    waiting.map((row) => row.projectId),
    [projectId],
  );
  assert.equal(await awaitPushes({ database }, projectId, 0), false);
  const ids = async () => {
    const rows = await queries.selectFrom("subscriptionEvents").select("recordId").distinct().execute();
    return rows.map(({ recordId }) => Number(recordId)).toSorted((one, next) => one - next);
  };
  const stored = await ids();
  assert.deepEqual(stored, numbers.slice(0, stored.length));
  while ((await take()).taken > 0);
  assert.deepEqual(await ids(), numbers);
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::integer as count from subscription_events`.execute(queries);
  assert.equal(rows[0]?.count, numbers.length * (neighbours + 1));
});
