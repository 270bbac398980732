/** Objects that installations read follow configuration, manifest and connection; cursors survive what need not end them. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import {
  findConnection,
  updateConnection,
  updateRefreshedConnection,
} from "../../store/connections/connections.ts";
import { touchInstallation } from "../../store/integrations/installations.ts";
import { pauseReadObjects } from "../../store/reads/read-objects.ts";
import { queueSyncs } from "../../store/integrations/installation-syncs.ts";
import { listDueRuns, putBackRun } from "../../store/reads/read-runs.ts";
import { openInstallations, WORKER } from "../../../tests/fixtures/installed-fixture.ts";
import { choosing } from "../../../tests/fixtures/read-fixture.ts";

const EVERY_HOUR = "0 * * * *";
const account = { objectName: "account" };

/** An installation that reads `account` with a schedule and a backfill of 30 days. */
async function openAccount(t: TestContext) {
  const read = { schedule: EVERY_HOUR, backfill: { defaultPeriod: { days: 30 } } };
  const busbar = await openInstallations(t, read, { ...read, objectName: "lead" });
  const { id, connectionId } = await busbar.install("acme", account);
  await busbar.sync();
  const object = async (name = "account") =>
    (await busbar.listObjects(id)).find(({ objectName }) => objectName === name);
  const configure = async (...chosen: Parameters<typeof choosing>) => {
    await busbar.configure(id, choosing(...chosen));
    await busbar.sync();
  };
  const moveCursor = (to: Date) =>
    busbar.queries
      .updateTable("readObjects")
      .set({ cursorTime: to })
      .where("installationId", "=", id)
      .execute();
  const due = () => listDueRuns(busbar.queries, { maxPerProject: 10, among: 10 });
  return { ...busbar, id, connectionId, object, configureAll: configure, moveCursor, due };
}

const LATER = new Date("2031-01-01T00:00:00Z");

test("a new object is read from when it was configured on, and its backfill covers what is older", async (t) => {
  const { id, object, runs } = await openAccount(t);
  const row = await object();
  assert.ok(row?.nextTick);
  const [backfill, ...others] = await runs(id);
  assert.deepEqual(others, []);
  assert.equal(backfill?.kind, "backfill");
  assert.deepEqual(backfill.untilTime, row.cursorTime);
  assert.equal(row.cursorTime.getTime() - (backfill.sinceTime?.getTime() ?? 0), 30 * 86_400_000);
});

test("a backfill of more days than there are begins in 1970, where every provider takes a bound", async (t) => {
  for (const days of [36_500, 1e12]) {
    const busbar = await openInstallations(t, {
      schedule: EVERY_HOUR,
      backfill: { defaultPeriod: { days } },
    });
    const { id } = await busbar.install("acme", account);
    await busbar.sync();
    const [backfill] = await busbar.runs(id);
    assert.deepEqual(backfill?.sinceTime, new Date(0));
  }
});

test("an object without a backfill never reads what is older than itself", async (t) => {
  const busbar = await openInstallations(t, { schedule: EVERY_HOUR });
  const { id } = await busbar.install("acme", account);
  await busbar.sync();
  assert.deepEqual(await busbar.runs(id), []);
  const row = await busbar.queries.selectFrom("readObjects").selectAll().executeTakeFirstOrThrow();
  assert.deepEqual(row.floorTime, row.cursorTime);
});

test("a period of no days is no backfill, a full history has no lower bound", async (t) => {
  const busbar = await openInstallations(
    t,
    { backfill: { defaultPeriod: { days: 0 } } },
    { objectName: "lead", backfill: { defaultPeriod: { fullHistory: true } } },
  );
  const { id } = await busbar.install("acme", account, { objectName: "lead" });
  await busbar.sync();
  assert.deepEqual(
    (await busbar.runs(id)).map(({ objectName, sinceTime }) => [objectName, sinceTime]),
    [["lead", null]],
  );
});

test("an object added later begins then, and leaves the others alone", async (t) => {
  const { id, object, runs, configureAll, moveCursor } = await openAccount(t);
  await moveCursor(LATER);
  await configureAll(account, { objectName: "lead" });
  assert.deepEqual((await object())?.cursorTime, LATER);
  assert.ok((await object("lead"))?.nextTick);
  assert.deepEqual(
    (await runs(id)).map(({ objectName, kind }) => `${kind} ${objectName}`),
    ["backfill account", "backfill lead"],
  );
});

test("a removed object stops with its runs and leaves nothing; added again it is new", async (t) => {
  const { id, object, runs, operations, configureAll, moveCursor, queries, claim } = await openAccount(t);
  await moveCursor(LATER);
  await claim(id, "backfill");
  const fingerprint = { installationId: id, objectName: "account", recordId: "1", changeTime: LATER };
  await queries
    .insertInto("readFingerprints")
    .values({ ...fingerprint, hash: Buffer.from("a") })
    .execute();
  await configureAll({ objectName: "lead" });
  assert.equal(await object(), undefined);
  assert.equal((await runs(id)).length, 1);
  assert.deepEqual(await queries.selectFrom("readFingerprints").selectAll().execute(), []);
  const [stopped] = await operations(id);
  assert.deepEqual(
    [stopped?.status, stopped?.result],
    ["failure", "[account] Stopped: the object is not read any more"],
  );
  await configureAll(account);
  assert.notDeepEqual((await object())?.cursorTime, LATER);
  assert.deepEqual(
    (await runs(id)).map(({ objectName }) => objectName),
    ["account"],
  );
});

test("a disabled object stops, and goes on from its cursor when it is enabled, without another backfill", async (t) => {
  const { id, object, runs, configureAll, moveCursor } = await openAccount(t);
  await moveCursor(LATER);
  await configureAll({ ...account, disabled: true });
  const disabled = await object();
  assert.deepEqual([disabled?.schedule, disabled?.nextTick, disabled?.cursorTime], [null, null, LATER]);
  await configureAll(account);
  const enabled = await object();
  assert.deepEqual([enabled?.schedule, enabled?.cursorTime], [EVERY_HOUR, LATER]);
  assert.ok(enabled?.nextTick);
  assert.equal((await runs(id)).length, 1);
});

test("a disabled object keeps a half-read backfill, which goes on when it is enabled; other reads end", async (t) => {
  const { id, runs, operations, configureAll, claim, begin, due, listEvents } = await openAccount(t);
  const { operationId } = await claim(id, "backfill");
  await begin(id, "scheduled");
  await begin(id, "triggered");
  await configureAll({ ...account, disabled: true });
  const [kept, ...others] = await runs(id);
  assert.deepEqual([kept?.operationId, kept?.claimedBy, others], [operationId, null, []]);
  assert.deepEqual(await due(), []);
  assert.deepEqual(
    (await operations(id)).map(({ status, result }) => [status, result]),
    [
      ["in_progress", null],
      ["failure", "[account] Stopped: the object was disabled"],
      ["failure", "[account] Stopped: the object was disabled"],
    ],
  );
  const [event, ...more] = await listEvents("read.triggered.error");
  assert.deepEqual(
    [event?.["objectName"], event?.["error"], more],
    ["account", "Stopped: the object was disabled", []],
  );
  await configureAll(account);
  assert.deepEqual(
    (await due()).map((run) => run.operationId),
    [operationId],
  );
});

test("a change of the installation makes a read due that waits for something else than the provider", async (t) => {
  const { id, claim, queries, projectId, connectionId, sync, due } = await openAccount(t);
  const { operationId } = await claim(id, "backfill");
  const wait = (attempts: number) =>
    putBackRun(queries, {
      operationId,
      workerId: WORKER,
      dueTime: LATER,
      attempts,
      waitsFor: "credentials",
      log: [],
    });
  await wait(0);
  await queueSyncs(queries, { projectId, connectionId });
  await sync();
  assert.equal((await due()).length, 1);
  await claim(id, "backfill");
  await wait(1);
  await queueSyncs(queries, { projectId, connectionId });
  await sync();
  assert.deepEqual(await due(), []);
});

test("an object that was disabled from the beginning begins when it is enabled", async (t) => {
  const busbar = await openInstallations(t, { backfill: { defaultPeriod: { fullHistory: true } } });
  const { id } = await busbar.install("acme", { ...account, disabled: true });
  await busbar.sync();
  assert.deepEqual([await busbar.listObjects(id), await busbar.runs(id)], [[], []]);
  await busbar.configure(id, choosing(account));
  await busbar.sync();
  assert.deepEqual([(await busbar.listObjects(id)).length, (await busbar.runs(id)).length], [1, 1]);
});

test("a new schedule, destination or name acts at once; the cursor stays and nothing is read again", async (t) => {
  const { id, object, runs, configureAll, deploy, sync, moveCursor } = await openAccount(t);
  await moveCursor(LATER);
  const before = await object();
  await configureAll({ ...account, schedule: "30 3 1 1 *", destination: "other" });
  const after = await object();
  assert.deepEqual([after?.schedule, after?.destination, after?.cursorTime], ["30 3 1 1 *", "other", LATER]);
  assert.notDeepEqual(after?.nextTick, before?.nextTick);
  await configureAll({ ...account, schedule: "" });
  assert.deepEqual([(await object())?.schedule, (await object())?.nextTick], [null, null]);
  await deploy({
    schedule: EVERY_HOUR,
    mapToName: "firm",
    backfill: { defaultPeriod: { fullHistory: true } },
  });
  await sync();
  assert.equal((await object())?.messageName, "firm");
  assert.equal((await runs(id)).length, 1, "a changed backfill period is too late");
});

test("a change that does not concern the schedule leaves the next tick", async (t) => {
  const { object, configureAll } = await openAccount(t);
  const before = await object();
  await configureAll({ ...account, selectedFields: { name: true } });
  assert.deepEqual(await object(), before);
});

test("another connection to the same account goes on; another account begins anew", async (t) => {
  const { id, object, runs, operations, connect, queries, projectId, sync, moveCursor } =
    await openAccount(t);
  await moveCursor(LATER);
  const swap = async (groupRef: string, workspace: string) => {
    const { connectionId } = await connect(groupRef, workspace);
    await touchInstallation(queries, projectId, id, { connectionId });
    await sync();
  };
  await swap("same", "acme");
  assert.deepEqual((await object())?.cursorTime, LATER);
  const [first] = await runs(id);
  await swap("other", "elsewhere");
  assert.notDeepEqual((await object())?.cursorTime, LATER);
  const [second, ...more] = await runs(id);
  assert.deepEqual(more, []);
  assert.notEqual(second?.operationId, first?.operationId);
  assert.equal((await operations(id))[0]?.result, "[account] Stopped: another account was connected");
});

test("an account that gets its name later, or another one at a token refresh, is the same account", async (t) => {
  const { id, object, connect, queries, projectId, sync, moveCursor, listEvents } = await openAccount(t);
  const { connectionId } = await connect("imported");
  await touchInstallation(queries, projectId, id, { connectionId });
  await sync();
  await moveCursor(LATER);
  // The schema watch compares fields of one account only.
  const baseline = { installationId: id, objectName: "account", account: connectionId, fields: "{}" };
  await queries.insertInto("schemaBaselines").values(baseline).execute();
  const refreshed = async (providerWorkspaceRef: string) => {
    const row = await findConnection(queries, projectId, connectionId);
    assert.ok(row);
    await updateRefreshedConnection(queries, row, { status: "created", providerWorkspaceRef });
    await queueSyncs(queries, { projectId, connectionId });
    await sync();
    assert.deepEqual((await object())?.cursorTime, LATER, providerWorkspaceRef);
    const known = await queries.selectFrom("schemaBaselines").select("account").executeTakeFirst();
    assert.equal(known?.account, providerWorkspaceRef);
  };
  await refreshed("named");
  await refreshed("renamed");
  assert.equal((await object())?.accountRef, "renamed");
  // A customer who connects again may choose another account.
  await updateConnection(queries, projectId, connectionId, { providerWorkspaceRef: "elsewhere" });
  await sync();
  assert.notDeepEqual((await object())?.cursorTime, LATER);
  assert.deepEqual(await listEvents("read.triggered.error"), []);
});

test("an account whose name becomes known when the customer connects again may be another one, and is read anew", async (t) => {
  const { id, object, connect, queries, projectId, sync, moveCursor } = await openAccount(t);
  const { connectionId } = await connect("imported");
  await touchInstallation(queries, projectId, id, { connectionId });
  await sync();
  await moveCursor(LATER);
  await updateConnection(queries, projectId, connectionId, {
    status: "created",
    providerWorkspaceRef: "named",
  });
  await sync();
  assert.notDeepEqual((await object())?.cursorTime, LATER);
});

test("a token refresh lifts no pause, unless the credentials were bad", async (t) => {
  const { id, connectionId, object, queries, projectId, sync } = await openAccount(t);
  const pause = { by: "auto" as const, time: LATER.toISOString() };
  await pauseReadObjects(queries, { installationId: id, objectNames: ["account"], pause });
  const refresh = async () => {
    const row = await findConnection(queries, projectId, connectionId);
    assert.ok(row);
    await updateRefreshedConnection(queries, row, { status: "created" });
    await sync();
  };
  await refresh();
  assert.deepEqual((await object())?.pause, pause);
  await updateConnection(queries, projectId, connectionId, { status: "bad_credentials" });
  await refresh();
  assert.equal((await object())?.pause, null);
});

test("an object that a deploy drops goes on while configurations have it, and stops when they do not", async (t) => {
  const { id, object, deploy, sync, configureAll, moveCursor } = await openAccount(t);
  await moveCursor(LATER);
  await deploy({ objectName: "lead" });
  await sync();
  assert.deepEqual((await object())?.cursorTime, LATER);
  assert.equal((await object())?.schedule, EVERY_HOUR);
  // A destructive deploy takes it out of the configurations, too.
  await configureAll({ objectName: "lead" });
  assert.equal(await object(), undefined);
  assert.equal((await object("lead"))?.installationId, id);
});

test("an object enabled for every customer runs on after a deploy without it, unless that was destructive", async (t) => {
  const always = { objectName: "lead", enabled: "always" as const, schedule: EVERY_HOUR };
  const busbar = await openInstallations(t, always);
  const { id } = await busbar.install("acme");
  await busbar.sync();
  const read = async (installationId: string) =>
    (await busbar.listObjects(installationId)).map(({ objectName, schedule }) => [objectName, schedule]);
  await busbar.deploy({});
  const later = await busbar.install("later");
  await busbar.sync();
  assert.deepEqual(await read(id), [["lead", EVERY_HOUR]]);
  assert.deepEqual(await read(later.id), [], "an installation that never read it does not begin");
  await busbar.begin(id, "scheduled", "lead");
  const { definition } = await busbar.findTarget(await busbar.claim(id, "scheduled"));
  assert.equal(definition.objectName, "lead");
  await busbar.deployAll({ destructive: true }, {});
  await busbar.sync();
  assert.deepEqual(await read(id), []);
});

test("an object enabled for every customer is read without being configured, from its deploy on", async (t) => {
  const { id, deploy, sync, object, runs } = await openAccount(t);
  await deploy({ schedule: EVERY_HOUR }, { objectName: "lead", enabled: "always", schedule: EVERY_HOUR });
  await sync();
  assert.ok((await object("lead"))?.nextTick);
  assert.equal((await runs(id)).length, 1);
});

test("a change, or a new authentication, lifts a pause by Busbar and no other", async (t) => {
  const { id, connectionId, object, configureAll, queries, projectId, sync } = await openAccount(t);
  const pause = (by: "api" | "auto") =>
    pauseReadObjects(queries, {
      installationId: id,
      objectNames: ["account"],
      pause: { by, time: LATER.toISOString() },
    });
  await pause("auto");
  await configureAll({ ...account, selectedFields: { name: true } });
  assert.equal((await object())?.pause, null);
  await pause("auto");
  await queueSyncs(queries, { projectId, connectionId });
  await sync();
  assert.equal((await object())?.pause, null);
  await pause("api");
  await configureAll(account);
  assert.equal((await object())?.pause?.by, "api");
});

test("a queue of many installations is taken in parts, and each is brought in line once", async (t) => {
  const busbar = await openInstallations(t, { schedule: EVERY_HOUR });
  for (let n = 0; n < 25; n++) await busbar.install(`g${n}`, account);
  assert.equal(await busbar.sync(), true);
  assert.equal(await busbar.sync(), false);
  const { rows } = await busbar.queries
    .selectFrom("readObjects")
    .select("installationId")
    .execute()
    .then((rows) => ({ rows }));
  assert.equal(new Set(rows.map(({ installationId }) => installationId)).size, 25);
  assert.deepEqual(await busbar.queries.selectFrom("readSyncs").selectAll().execute(), []);
});
