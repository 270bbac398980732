/** Runs of reads: whose turn it is, who owns them, and what a committed page changes. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { sql } from "kysely";
import { testDatabase } from "../../../tests/harness/database.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { newId } from "../../../ground/ids.ts";
import { upsertConsumer, upsertGroup } from "../access/customers.ts";
import { insertConnection } from "../connections/connections.ts";
import { insertInstallation, removeInstallation } from "../integrations/installations.ts";
import { upsertIntegration, findIntegration } from "../integrations/integrations.ts";
import { findOperation } from "../operations/operations.ts";
import { findReadObject, insertReadObject, pauseReadObjects, unpauseReadObjects } from "./read-objects.ts";
import { commitReadPages, listFingerprints, type ReadPageCommit } from "./read-pages.ts";
import {
  claimRuns,
  buildDueRunsStatement,
  insertReadRuns,
  listDueRuns,
  recoverRuns,
  type ReadKind,
} from "./read-runs.ts";

const WORKER = 7;
const CURSOR = new Date("2026-01-01T00:00:00Z");

async function openRuns(t: TestContext) {
  const database = await testDatabase(t);
  const { queries } = database;
  const { projectId } = await queries
    .transaction()
    .execute((deps) => bootstrap(deps, { org: "o", project: "p" }));
  const deployed = {
    projectId,
    name: "crm",
    provider: "hubspot",
    specVersion: "1.0.0",
    content: {},
    createdBy: "system",
  };
  const { id: integrationId } = await upsertIntegration(queries, deployed);
  const revisionId = (await findIntegration(queries, projectId, integrationId))?.latestRevision.id ?? "";
  const install = async (groupRef: string) => {
    const group = await upsertGroup(queries, { projectId, groupRef });
    const consumer = await upsertConsumer(queries, { projectId, consumerRef: groupRef });
    const connectionId = newId();
    await insertConnection(queries, {
      id: connectionId,
      projectId,
      provider: "hubspot",
      groupId: group.id,
      consumerId: consumer.id,
      authScheme: "oauth2",
      providerMetadata: {},
      credentialsSealed: "",
    });
    const row = {
      projectId,
      integrationId,
      groupId: group.id,
      connectionId,
      createdBy: "t",
      revisionId,
      content: {},
    };
    const { id } = await insertInstallation(queries, row);
    const common = { projectId, accountRef: "a", messageName: "person", destination: "sink" };
    const times = { schedule: null, nextTick: null, cursorTime: CURSOR, floorTime: null, backfillId: null };
    await insertReadObject(queries, { installationId: id, objectName: "contacts", ...common, ...times });
    return id;
  };
  const begin = async (installationId: string, kind: ReadKind): Promise<string> => {
    const operationId = newId();
    const run = { operationId, projectId, integrationId, installationId, configId: newId(), kind };
    const what = { objectName: "contacts", messageName: "person" };
    await insertReadRuns(queries, [{ ...run, ...what, sinceTime: null, untilTime: null, settles: false }]);
    return operationId;
  };
  const due = async () =>
    (await listDueRuns(queries, { maxPerProject: 10, among: 10 })).map(({ operationId }) => operationId);
  return { queries, projectId, integrationId, install, begin, due };
}

const page = (operationId: string, more: Partial<ReadPageCommit> = {}): ReadPageCommit => ({
  operationId,
  workerId: WORKER,
  untilTime: null,
  stage: "records",
  checkpoint: { after: "1" },
  metadata: { read: { pages: 1 } },
  log: [{ severity: "DEBUG", msg: "Page 1" }],
  messages: [],
  seen: [],
  fingerprints: [],
  forgotten: [],
  release: false,
  ...more,
});

test("backfills come after all other runs, and triggered runs of an object one after the other", async (t) => {
  const { install, begin, due, queries } = await openRuns(t);
  const installationId = await install("acme");
  const backfill = await begin(installationId, "backfill");
  const first = await begin(installationId, "triggered");
  const second = await begin(installationId, "triggered");
  const scheduled = await begin(installationId, "scheduled");
  assert.deepEqual(await due(), [first, scheduled, backfill]);
  await claimRuns(queries, WORKER, [first]);
  assert.deepEqual(await due(), [scheduled, backfill]);
  await commitReadPages(queries, [page(first, { end: { status: "success", result: "done" } })]);
  assert.deepEqual(await due(), [second, scheduled, backfill]);
});

test("an object has one scheduled run and one backfill at a time", async (t) => {
  const { install, begin } = await openRuns(t);
  const installationId = await install("acme");
  await begin(installationId, "scheduled");
  await assert.rejects(begin(installationId, "scheduled"), /read_runs_one/);
});

test("runs of a paused object wait, triggered ones do not", async (t) => {
  const { install, begin, due, queries } = await openRuns(t);
  const installationId = await install("acme");
  const backfill = await begin(installationId, "backfill");
  const triggered = await begin(installationId, "triggered");
  const pause = { by: "api" as const, time: "2026-01-01T00:00:00Z" };
  await pauseReadObjects(queries, { installationId, objectNames: ["contacts"], pause });
  assert.deepEqual(await due(), [triggered]);
  await unpauseReadObjects(queries, { installationId, objectNames: ["contacts"] });
  assert.deepEqual(await due(), [triggered, backfill]);
});

test("a run belongs to one worker, until that worker is dead", async (t) => {
  const { install, begin, due, queries } = await openRuns(t);
  const operationId = await begin(await install("acme"), "backfill");
  assert.equal((await claimRuns(queries, WORKER, [operationId])).length, 1);
  assert.equal((await claimRuns(queries, 8, [operationId])).length, 0);
  await recoverRuns(queries, WORKER);
  assert.deepEqual(await due(), [operationId]);
});

test("a page of a run that another worker has taken over changes nothing", async (t) => {
  const { install, begin, queries, projectId } = await openRuns(t);
  const installationId = await install("acme");
  const operationId = await begin(installationId, "backfill");
  await claimRuns(queries, 8, [operationId]);
  const lost = page(operationId, {
    messages: [{ id: newId(), projectId, type: "read", data: "{}", destinationId: newId(), held: false }],
    fingerprints: [{ recordId: "1", changeTime: CURSOR, hash: Buffer.from("a") }],
    end: { status: "success", result: "done" },
  });
  assert.equal((await commitReadPages(queries, [lost])).size, 0);
  assert.equal((await findOperation(queries, projectId, operationId))?.status, "in_progress");
  const { rows } = await queries
    .selectFrom("events")
    .select("id")
    .execute()
    .then((rows) => ({ rows }));
  assert.equal(rows.length, 0);
  const known = await listFingerprints(queries, { installationId, objectName: "contacts", recordIds: ["1"] });
  assert.equal(known.size, 0);
});

test("a page commits its messages, checkpoint, progress and fingerprints; the last one also the cursor", async (t) => {
  const { install, begin, queries, projectId } = await openRuns(t);
  const installationId = await install("acme");
  const operationId = await begin(installationId, "scheduled");
  await claimRuns(queries, WORKER, [operationId]);
  const destinationId = newId();
  const id = newId();
  const untilTime = new Date("2026-02-01T00:00:00Z");
  const committed = await commitReadPages(queries, [
    page(operationId, {
      untilTime,
      messages: [{ id, projectId, type: "read", data: '{"action":"read"}', destinationId, held: false }],
      fingerprints: [{ recordId: "1", changeTime: untilTime, hash: Buffer.from("a") }],
      release: true,
    }),
  ]);
  assert.deepEqual([...committed], [operationId]);
  const event = await queries.selectFrom("events").selectAll().where("id", "=", id).executeTakeFirst();
  assert.equal(event?.destinationId, destinationId);
  const [claimed] = await claimRuns(queries, WORKER, [operationId]);
  assert.deepEqual(claimed?.checkpoint, { after: "1" });
  assert.deepEqual(claimed?.untilTime, untilTime);
  assert.equal(
    (await findReadObject(queries, installationId, "contacts"))?.cursorTime.getTime(),
    CURSOR.getTime(),
  );
  const cursor = { cursorTime: untilTime, settled: true, forgetBefore: new Date("2026-03-01T00:00:00Z") };
  await commitReadPages(queries, [
    page(operationId, { checkpoint: null, end: { status: "success", result: "done", cursor } }),
  ]);
  const object = await findReadObject(queries, installationId, "contacts");
  assert.deepEqual([object?.cursorTime, object?.settledTime], [untilTime, untilTime]);
  const known = await listFingerprints(queries, { installationId, objectName: "contacts", recordIds: ["1"] });
  assert.equal(known.size, 0, "what is older than the longest overlap is forgotten");
  const operation = await findOperation(queries, projectId, operationId);
  assert.deepEqual([operation?.status, operation?.result], ["success", "done"]);
});

test("the operation of a run ends when its installation is deleted", async (t) => {
  const { install, begin, queries, projectId } = await openRuns(t);
  const installationId = await install("acme");
  const operationId = await begin(installationId, "backfill");
  await removeInstallation(queries, projectId, installationId);
  const operation = await findOperation(queries, projectId, operationId);
  assert.deepEqual(
    [operation?.status, operation?.result],
    ["failure", "[contacts] Stopped: the installation was deleted"],
  );
});

test("a search for due runs reads those that it returns, however many are due", async (t) => {
  const { queries, projectId, integrationId, install, due } = await openRuns(t);
  const installationId = await install("acme");
  const what = { projectId, integrationId, installationId, configId: newId(), messageName: "person" };
  const run = { ...what, kind: "scheduled" as const, sinceTime: null, untilTime: null, settles: false };
  const names = Array.from({ length: 500 }, (_, nth) => `object ${nth}`);
  await insertReadRuns(
    queries,
    names.map((objectName) => ({ ...run, objectName, operationId: newId() })),
  );
  assert.equal((await due()).length, 10);
  const statement = buildDueRunsStatement({ maxPerProject: 10, among: 10 });
  const { rows } = await sql<{ "QUERY PLAN": [{ Plan: PlanNode }] }>`
    explain (analyze, timing off, format json) ${statement}`.execute(queries);
  assert.ok(listRows("read_runs", rows[0]?.["QUERY PLAN"][0].Plan) < 50);
});

interface PlanNode {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: PlanNode[];
}

/** Returns how many rows of a table a statement read. */
function listRows(table: string, node: PlanNode | undefined): number {
  if (!node) return 0;
  const own =
    node["Relation Name"] === table
      ? (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
      : 0;
  return (node.Plans ?? []).reduce((sum, plan) => sum + listRows(table, plan), own);
}
