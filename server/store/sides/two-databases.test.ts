/** Control tables and data tables in two databases: which tables each has, when copies are there, and what goes with them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { openTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { addProject, testDatabase } from "../../../tests/harness/database.ts";
import { openSink } from "../../../tests/harness/deliveries/sink.ts";
import { drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { until } from "../../../tests/harness/until.ts";
import { resumeCopies, stopCopies, waitForCopies } from "../../../tests/harness/wait-for-copies.ts";
import { elapsedMs } from "../../../ground/clock.ts";
import { connectBoth } from "../../../tests/harness/two-databases.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { transactControl, type Database } from "../database/database.ts";
import { listenToDatabase } from "../database/changes.ts";
import { queueOutbox } from "../database/outbox.ts";
import { listTables, type ControlQueries } from "../database/sides.ts";
import { READ_POSITION } from "./copies.ts";

const TWO = { isDivided: true };
const log = createLog("silent");

const insertProject = ({ connectionString }: Database): Promise<string> =>
  addProject(connectionString, { name: newId() });

async function countIn(database: Database, table: "projects" | "events" | "event_topics"): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ${sql.table(table)}
  `.execute(database.data);
  return rows[0]?.count ?? 0;
}

const queueEvent = (queries: ControlQueries, projectId: string) =>
  queueOutbox(queries, [
    { projectId, kind: "event", content: { id: newId(), type: "connection.updated", data: "{}" } },
  ]);

test("each database has the tables of its side only", async (t) => {
  const { control, data } = await testDatabase(t, TWO);
  const listFound = async (queries: typeof control | typeof data) => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relname = any(${listTables("control", "shared", "data", "own")})
      order by relname
    `.execute(queries);
    return rows.map(({ name }) => name);
  };
  assert.deepEqual(await listFound(control), listTables("control", "shared", "own").toSorted());
  assert.deepEqual(await listFound(data), listTables("data", "shared", "own").toSorted());
  await assert.rejects(sql`select from operations`.execute(control), { code: "42P01" });
  await assert.rejects(sql`select from api_keys`.execute(data), { code: "42P01" });
});

test("who changes a shared row finds its copy changed, and a cache of the copy has heard of it", async (t) => {
  const database = await testDatabase(t, TWO);
  const projectId = await insertProject(database);
  const changes = await listenToDatabase(database, log);
  t.after(() => changes.close());
  const heard: (string | undefined)[] = [];
  changes.subscribe((change) => heard.push(change?.id));
  for (let n = 0; n < 20; n += 1) {
    heard.length = 0;
    const startedMs = elapsedMs();
    await transactControl(database, (queries) =>
      sql`update projects set name = ${`p${n}`} where id = ${projectId}`.execute(queries),
    );
    // It waits for a second at most, which may be too short for a busy machine.
    if (elapsedMs() - startedMs >= 1_000) await waitForCopies(database);
    const { rows } = await sql<{ name: string }>`select name from projects`.execute(database.data);
    assert.deepEqual(rows, [{ name: `p${n}` }]);
    await changes.caughtUp();
    assert.deepEqual(heard, [projectId, projectId], "both databases have told it");
  }
});

test("a data row cannot be stored without its copy, and goes with it, as in one database", async (t) => {
  const database = await testDatabase(t, TWO);
  const insertEvent = (id: string, projectId: string) =>
    sql`insert into events (id, project_id, type, data) values (${id}, ${projectId}, 'read', '{}')`.execute(
      database.data,
    );
  await assert.rejects(insertEvent(newId(), newId()), { code: "23503" });
  const [gone, kept] = [await insertProject(database), await insertProject(database)];
  const ids = [newId(), newId()] as const;
  await waitForCopies(database);
  await insertEvent(ids[0], gone);
  await insertEvent(ids[1], kept);
  for (const id of ids)
    await sql`insert into event_topics (event_id, topic_id, topic_name) values (${id}, ${newId()}, 't')`.execute(
      database.data,
    );
  await sql`delete from organizations where id = (select org_id from projects where id = ${gone})`.execute(
    database.control,
  );
  await waitForCopies(database);
  assert.equal(await countIn(database, "projects"), 1);
  assert.equal(await countIn(database, "events"), 1);
  assert.equal(await countIn(database, "event_topics"), 1, "the trigger of the removed event has run");
});

test("what belonged to a row goes although the process that removed it died before its copy was gone", async (t) => {
  const database = await testDatabase(t, TWO);
  const projectId = await insertProject(database);
  await waitForCopies(database);
  await sql`insert into events (id, project_id, type, data) values (${newId()}, ${projectId}, 'read', '{}')`.execute(
    database.data,
  );
  // Over pg's own pool nobody waits for copies.
  await database.pool.query("delete from projects");
  await until(async () => (await countIn(database, "projects")) === 0);
  assert.equal(await countIn(database, "events"), 1);
  await database.outbox.carryOver();
  assert.equal(await countIn(database, "events"), 0);
});

test("an event waits for the copies that it speaks of, and is stored once when replication goes on", async (t) => {
  const database = await testDatabase(t, TWO);
  // The position of another database on the same server says nothing about this one.
  const other = await testDatabase(t, TWO);
  const dataUrl = database.dataUrl ?? "";
  await stopCopies(dataUrl);
  const projectId = await insertProject(database);
  await transactControl(database, (queries) => queueEvent(queries, projectId));
  const { rows: known } = await database.pool.query<{ position: string }>(READ_POSITION);
  await insertProject(other);
  assert.equal(await database.copied?.applied(known[0]?.position ?? ""), false);
  await assert.rejects(database.outbox.carryOver(), /copies of shared tables are late/);
  assert.equal(await countIn(database, "events"), 0, "an event of an absent project would be dropped");
  await resumeCopies(dataUrl);
  await until(() =>
    database.outbox.carryOver().then(
      () => true,
      () => false,
    ),
  );
  assert.deepEqual([await countIn(database, "projects"), await countIn(database, "events")], [1, 1]);
  const { rows } = await sql`select from outbox`.execute(database.control);
  assert.equal(rows.length, 0);
});

test("a customer is connected, written for, told of it, and erased from both databases", async (t) => {
  const sink = await openSink();
  const busbar = await openTestBusbar(TWO);
  t.after(async () => {
    await busbar.stop();
    await sink.close();
  });
  await drawRoute(busbar, `${sink.url}/hook`, ["write.async.done"]);
  const customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });
  const body = { type: "create", mode: "asynchronous", record: { name: "one" } };
  await waitForCopies(busbar);
  const accepted = await customer.write("companies", body, { "idempotency-key": "once" });
  assert.equal(accepted.status, 200, accepted.text);
  await until(() => sink.messagesAt("/hook").length === 1);
  assert.equal((await customer.write("companies", body, { "idempotency-key": "once" })).text, accepted.text);
  await busbar.restart();
  await customer.succeed("companies", { type: "create", record: { name: "two" } });
  await until(async () => (await busbar.inProject("DELETE", "/groups/acme")).body.done);
  await waitForCopies(busbar);
  const both = await connectBoth(busbar);
  for (const table of ["groups", "connections", "installations", "operations", "own_writes"])
    assert.equal((await both.query(`select from ${table}`)).rowCount, 0, table);
  await both.end();
  assert.equal(sink.messagesAt("/hook").length, 1);
});

test("a customer who is added while copies are late is served when they are there, and nothing of it is lost", async (t) => {
  const sink = await openSink();
  const busbar = await openTestBusbar({ ...TWO, env: { BUSBAR_METRICS: "true" } });
  t.after(async () => {
    await busbar.stop();
    await sink.close();
  });
  await drawRoute(busbar, `${sink.url}/hook`, ["write.async.done"]);
  await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"], groupRef: "early" });
  const dataUrl = busbar.dataUrl ?? "";
  await stopCopies(dataUrl);
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    objects: ["companies"],
    groupRef: "late",
  });
  const body = { type: "create", mode: "asynchronous", record: { name: "one" } };
  const refused = await customer.write("companies", body);
  assert.equal(refused.status, 503, refused.text);
  assert.match(refused.text, /not in the second database yet/);
  assert.match((await busbar.call("GET", "/metrics")).text, /^busbar_copies_complete 0$/m);
  await resumeCopies(dataUrl);
  const accepted = await until(async () => {
    const answer = await customer.write("companies", body);
    return answer.status === 200 && answer;
  });
  await until(async () => /^busbar_copies_complete 1$/m.test((await busbar.call("GET", "/metrics")).text));
  await until(() => sink.messagesAt("/hook").length === 1);
  assert.equal(
    (await busbar.inProject("GET", `/operations/${accepted.body.operationId}`)).body.status,
    "success",
  );
});
