/** A read that failed waits, is given up or fails at once, and its object is paused when it goes on failing. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { ProviderError, type ProviderErrorKind } from "../../../connector-kit/calls/provider-error.ts";
import { nowMs } from "../../../ground/clock.ts";
import { saveRefreshFailure } from "../../store/connections/connection-states.ts";
import { listHealthReasons } from "../../store/integrations/installation-health.ts";
import { commitReadPages } from "../../store/reads/read-pages.ts";
import type { ReadKind } from "../../store/reads/read-runs.ts";
import { MINUTE_MS, openInstallations, WORKER } from "../../../tests/fixtures/installed-fixture.ts";
import { settleFailure, waitForDestination } from "./settle-read.ts";

const HOUR_MS = 60 * MINUTE_MS;
const read = { schedule: "0 * * * *", backfill: { defaultPeriod: { fullHistory: true } } };

const failure = (kind: ProviderErrorKind, retryAt?: Date) =>
  new ProviderError({ kind, message: `it is ${kind}`, ...(retryAt && { retryAt }) });

async function openFailing(t: TestContext) {
  const busbar = await openInstallations(t, read);
  const { id, connectionId } = await busbar.install("acme", { objectName: "account" });
  await busbar.sync();
  const deps = {
    database: busbar.database,
    workerId: () => WORKER,
    commit: async (page: Parameters<typeof commitReadPages>[1][number]) =>
      (await commitReadPages(busbar.queries, [page])).size > 0,
    retryBaseMs: 1_000,
    minuteMs: MINUTE_MS,
  };
  const begin = (kind: ReadKind) => busbar.begin(id, kind);
  const makeDue = () =>
    busbar.queries
      .updateTable("readRuns")
      .set({ dueTime: new Date(0) })
      .where("claimedBy", "is", null)
      .execute();
  /** Claims the run of this kind and lets it fail; returns the operation afterwards. */
  async function fail(kind: ReadKind, error: ProviderError) {
    await makeDue();
    const run = await busbar.claim(id, kind);
    await settleFailure(deps, run, await busbar.findTarget(run), { error, calls: 1 });
    const operation = (await busbar.operations(id)).find((one) => one.id === run.operationId);
    assert.ok(operation);
    return operation;
  }
  const run = async (kind: ReadKind) => (await busbar.runs(id)).find((one) => one.kind === kind);
  /** Moves the last page of all runs, or their first failure, into the past. */
  const age = (ms: number) =>
    busbar.queries
      .updateTable("readRuns")
      .set({ pageTime: new Date(nowMs() - ms) })
      .execute();
  const object = async () => (await busbar.listObjects(id))[0];
  return {
    ...busbar,
    id,
    connectionId,
    deps,
    begin,
    makeDue,
    fail,
    run,
    age,
    object,
    events: busbar.listEvents,
  };
}

test("what may pass is waited for, longer each time, and the log says until when and why", async (t) => {
  const { fail, run, begin } = await openFailing(t);
  await begin("scheduled");
  for (const kind of ["unavailable", "timeout", "rate_limited", "locked_out", "unknown_outcome"] as const) {
    const operation = await fail("scheduled", failure(kind));
    assert.equal(operation.status, "in_progress");
    assert.match(JSON.stringify(operation.log), new RegExp(`Waiting until [^"]*: it is ${kind}`));
  }
  const waiting = await run("scheduled");
  assert.equal(waiting?.claimedBy, null);
  assert.ok((waiting?.dueTime.getTime() ?? 0) > nowMs() - 1_000);
});

test("a time that the provider names is kept", async (t) => {
  const { fail, run } = await openFailing(t);
  const retryAt = new Date(nowMs() + 20 * MINUTE_MS);
  await fail("backfill", failure("rate_limited", retryAt));
  assert.deepEqual((await run("backfill"))?.dueTime, retryAt);
});

test("a rate limit is waited for beyond the hour, up to a day, in reads of every kind", async (t) => {
  const { fail, age, begin, run } = await openFailing(t);
  for (const kind of ["triggered", "scheduled"] as const) {
    await begin(kind);
    const retryAt = new Date(nowMs() + 5 * HOUR_MS);
    const operation = await fail(kind, failure("rate_limited", retryAt));
    assert.equal(operation.status, "in_progress");
    const waits = `Waiting until ${retryAt.toISOString()}: it is rate_limited`;
    assert.ok(JSON.stringify(operation.log).includes(waits));
    assert.deepEqual((await run(kind))?.dueTime, retryAt);
    await age(5 * HOUR_MS);
    assert.equal((await fail(kind, failure("rate_limited", retryAt))).status, "in_progress", "once more");
  }
  const inTwoDays = new Date(nowMs() + 48 * HOUR_MS);
  assert.equal((await fail("triggered", failure("rate_limited", inTwoDays))).status, "failure");
});

test("a rate limit until before the next tick is waited for, however far away that is", async (t) => {
  const { fail, begin, queries } = await openFailing(t);
  await begin("scheduled");
  await queries
    .updateTable("readObjects")
    .set({ nextTick: new Date(nowMs() + 72 * HOUR_MS) })
    .execute();
  const inTwoDays = new Date(nowMs() + 48 * HOUR_MS);
  assert.equal((await fail("scheduled", failure("rate_limited", inTwoDays))).status, "in_progress");
});

test("a provider that is away when its limit of some hours ends gets as long as one without a limit", async (t) => {
  const { fail, age, begin, queries } = await openFailing(t);
  await begin("triggered");
  await fail("triggered", failure("rate_limited", new Date(nowMs() + 5 * HOUR_MS)));
  const waited = new Date(nowMs() - 5 * HOUR_MS);
  await age(5 * HOUR_MS);
  await queries.updateTable("operations").set({ updateTime: waited }).execute();
  assert.equal((await fail("triggered", failure("unavailable"))).status, "in_progress");
  assert.equal(
    (await fail("triggered", failure("unavailable"))).status,
    "in_progress",
    "nor at the second failure",
  );
  await age(1.1 * HOUR_MS);
  assert.equal((await fail("triggered", failure("unavailable"))).status, "failure");
});

test("a backfill that fails for a day is given up, and its object is paused with the reason", async (t) => {
  const { fail, age, object, events, id } = await openFailing(t);
  await fail("backfill", failure("unavailable"));
  await age(23.9 * HOUR_MS);
  assert.equal((await fail("backfill", failure("unavailable"))).status, "in_progress");
  await age(24.1 * HOUR_MS);
  const operation = await fail("backfill", failure("unavailable"));
  const text = "[account] Error reading from provider: it is unavailable";
  assert.deepEqual([operation.status, operation.result], ["failure", text]);
  const { pause, failures } = (await object()) ?? {};
  assert.deepEqual([pause?.by, pause?.error, failures], ["auto", text, 0]);
  const [event] = await events("read.schedule.paused");
  assert.deepEqual([event?.["installationId"], event?.["error"]], [id, text]);
});

test("other reads are given up after an hour, a scheduled one not before its next tick; neither pauses", async (t) => {
  const { fail, age, begin, object, events, queries, id } = await openFailing(t);
  await begin("triggered");
  await begin("scheduled");
  const nextTick = new Date(nowMs() + HOUR_MS);
  await queries.updateTable("readObjects").set({ nextTick }).execute();
  for (const kind of ["triggered", "scheduled"] as const) await fail(kind, failure("timeout"));
  await age(1.1 * HOUR_MS);
  assert.equal((await fail("scheduled", failure("timeout"))).status, "in_progress");
  assert.equal((await fail("triggered", failure("timeout"))).status, "failure");
  await queries
    .updateTable("readObjects")
    .set({ nextTick: new Date(nowMs() - 1) })
    .execute();
  assert.equal((await fail("scheduled", failure("timeout"))).status, "failure");
  assert.deepEqual([(await object())?.pause, (await object())?.failures], [null, 0]);
  // Until a scheduled one succeeds, not only while the next one fails.
  const reasons = (await listHealthReasons(queries, [id])).get(id) ?? [];
  assert.deepEqual(
    reasons
      // This database has no worker, which is a reason as well.
      .filter(({ type }) => type === "read")
      .map(({ type, name, detail }) => [type, name, detail]),
    [["read", "account", "it is timeout"]],
  );
  const [event] = await events("read.triggered.error");
  assert.equal(event?.["error"], "it is timeout");
});

test("time in which the provider was not asked does not count: the first failure begins the wait", async (t) => {
  const { fail, age, makeDue, claim, id, deps } = await openFailing(t);
  await age(100 * HOUR_MS);
  assert.equal((await fail("backfill", failure("unavailable"))).status, "in_progress");
  await age(100 * HOUR_MS);
  // The destination is away in the middle of it.
  await makeDue();
  await waitForDestination(deps, await claim(id, "backfill"), "disabled");
  assert.equal((await fail("backfill", failure("unavailable"))).status, "in_progress");
});

test("what stays wrong ends the read at once", async (t) => {
  const { fail, begin, run } = await openFailing(t);
  for (const kind of ["invalid", "not_found", "forbidden", "conflict"] as const) {
    await begin("triggered");
    const operation = await fail("triggered", failure(kind));
    assert.equal(operation.status, "failure");
    assert.equal(operation.result, `[account] Error reading from provider: it is ${kind}`);
  }
  assert.equal(await run("triggered"), undefined);
});

test("a broken page is asked for three times", async (t) => {
  const { fail } = await openFailing(t);
  assert.equal((await fail("backfill", failure("unreadable"))).status, "in_progress");
  assert.equal((await fail("backfill", failure("unreadable"))).status, "in_progress");
  assert.equal((await fail("backfill", failure("unreadable"))).status, "failure");
});

test("five scheduled reads in a row that failed for good, and an hour, pause the object", async (t) => {
  const { fail, begin, object, events, queries } = await openFailing(t);
  const failOnce = async () => {
    await begin("scheduled");
    await fail("scheduled", failure("invalid"));
  };
  for (let n = 1; n <= 6; n++) {
    await failOnce();
    assert.deepEqual([(await object())?.failures, (await object())?.pause], [n, null], "not within the hour");
  }
  await queries
    .updateTable("readObjects")
    .set({ failures: 3, failingSince: new Date(nowMs() - 2 * HOUR_MS) })
    .execute();
  await failOnce();
  assert.equal((await object())?.pause, null);
  await failOnce();
  assert.equal((await object())?.pause?.by, "auto");
  const [event, ...more] = await events("read.schedule.paused");
  assert.deepEqual(more, []);
  assert.match(String(event?.["error"]), /^\[account\] Error reading from provider: it is invalid/);
});

/** Lets the begun run of this kind succeed; a scheduled one moves the cursor. */
async function succeed({ claim, id, deps }: Awaited<ReturnType<typeof openFailing>>, kind: ReadKind) {
  const { operationId } = await claim(id, kind);
  const cursor = { cursorTime: new Date(), settled: false, forgetBefore: new Date(0) };
  await deps.commit({
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
    end: {
      status: "success",
      result: "[account] No new data found",
      ...(kind === "scheduled" && { cursor }),
    },
  });
}

test("a read that succeeds sets the failures back", async (t) => {
  const failing = await openFailing(t);
  const { fail, begin, object } = failing;
  await begin("scheduled");
  await fail("scheduled", failure("invalid"));
  await begin("scheduled");
  await succeed(failing, "scheduled");
  assert.deepEqual([(await object())?.failures, (await object())?.failingSince], [0, null]);
});

test("a triggered read that succeeds has the failing schedule tried at once, and hides no reason until then", async (t) => {
  const failing = await openFailing(t);
  const { fail, begin, object, id, queries } = failing;
  const reasons = async () =>
    ((await listHealthReasons(queries, [id])).get(id) ?? [])
      .filter(({ type }) => type !== "worker")
      .map(({ type, detail }) => ({ type, detail }));
  await begin("scheduled");
  await fail("scheduled", failure("invalid"));
  const nextTick = new Date(nowMs() + HOUR_MS);
  await queries.updateTable("readObjects").set({ nextTick }).execute();
  await begin("triggered");
  await succeed(failing, "triggered");
  assert.deepEqual(await reasons(), [{ type: "read", detail: "it is invalid" }]);
  assert.ok(((await object())?.nextTick?.getTime() ?? 0) <= nowMs(), "the scheduled read is due");
  await begin("scheduled");
  await succeed(failing, "scheduled");
  assert.deepEqual(await reasons(), []);
});

test("triggered reads that succeed do not bring a failing schedule to its pause", async (t) => {
  const failing = await openFailing(t);
  const { fail, begin, object, queries } = failing;
  const inAnHour = new Date(nowMs() + HOUR_MS);
  for (let count = 1; count <= 3; count += 1) {
    await begin("scheduled");
    await fail("scheduled", failure("invalid"));
  }
  await queries.updateTable("readObjects").set({ nextTick: inAnHour }).execute();
  await begin("triggered");
  await succeed(failing, "triggered");
  assert.deepEqual((await object())?.nextTick, inAnHour);
});

test("bad credentials end a read at once with the reason, and pause nothing", async (t) => {
  const { fail, begin, object } = await openFailing(t);
  for (const kind of ["scheduled", "triggered"] as const) {
    await begin(kind);
    const operation = await fail(kind, failure("unauthorized"));
    assert.deepEqual(
      [operation.status, operation.result],
      ["failure", "[account] Error reading from provider: it is unauthorized"],
    );
  }
  assert.deepEqual([(await object())?.failures, (await object())?.pause], [0, null]);
});

test("a backfill waits for new credentials as long as it takes, and the log says so once", async (t) => {
  const { fail, age, run, object } = await openFailing(t);
  for (let n = 0; n < 3; n++) {
    await age(100 * HOUR_MS);
    const operation = await fail("backfill", failure("unauthorized"));
    assert.equal(operation.status, "in_progress");
    assert.equal((operation.metadata as { read: { waitsFor?: string } }).read.waitsFor, "credentials");
    assert.equal(JSON.stringify(operation.log).match(/until the customer connects again/g)?.length, 1);
  }
  const dueMs = (await run("backfill"))?.dueTime.getTime() ?? 0;
  assert.ok(dueMs > nowMs() && dueMs <= nowMs() + 5 * MINUTE_MS);
  assert.equal((await object())?.pause, null);
});

test("a wait that ends early counts for as long as it took", async (t) => {
  const { fail, queries } = await openFailing(t);
  await fail("backfill", failure("unauthorized"));
  await queries
    .updateTable("operations")
    .set({ updateTime: new Date(nowMs() - 7_000) })
    .execute();
  const { metadata } = await fail("backfill", failure("unauthorized"));
  const { waitedMs } = (metadata as { read: { waitedMs: number } }).read;
  assert.ok(waitedMs >= 7_000 && waitedMs < 5 * MINUTE_MS, String(waitedMs));
});

// Salesforce: the hours in which a user may sign in are the customer's to change, and may leave out a weekend.
test("a backfill waits as long as no new token can be had, and other outages end it after a day", async (t) => {
  const { fail, age, object, queries, projectId, connectionId } = await openFailing(t);
  await saveRefreshFailure(queries, projectId, connectionId, "invalid login hours");
  for (let n = 0; n < 2; n++) {
    await fail("backfill", failure("unavailable"));
    await age(25 * HOUR_MS);
    const operation = await fail("backfill", failure("unavailable"));
    assert.equal(operation.status, "in_progress");
    assert.equal((operation.metadata as { read: { waitsFor?: string } }).read.waitsFor, "credentials");
    assert.match(JSON.stringify(operation.log), /Waiting until there is a new token: it is unavailable/);
  }
  assert.equal((await object())?.pause, null);
  await queries
    .updateTable("connections")
    .set({ refreshFailure: null })
    .where("id", "=", connectionId)
    .execute();
  await fail("backfill", failure("unavailable"));
  await age(25 * HOUR_MS);
  assert.equal((await fail("backfill", failure("unavailable"))).status, "failure");
});

test("a read of an object that no manifest has any more ends with its event", async (t) => {
  const { id, begin, makeDue, claim, deps, findOwner, findTarget, events, queries } = await openFailing(t);
  await queries.updateTable("readRuns").set({ objectName: "gone" }).execute();
  await begin("triggered");
  await queries.updateTable("readRuns").set({ objectName: "gone" }).execute();
  for (const kind of ["backfill", "triggered"] as const) {
    await makeDue();
    const run = await claim(id, kind);
    const error = await findTarget(run).catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ProviderError);
    await settleFailure(deps, run, await findOwner(run), { error, calls: 0 });
  }
  const error = "The manifest has no read object `gone` any more.";
  const [paused, ...more] = await events("read.schedule.paused");
  assert.deepEqual([paused?.["error"], more], [`[account] Error reading from provider: ${error}`, []]);
  const [failed] = await events("read.triggered.error");
  assert.deepEqual([failed?.["objectName"], failed?.["error"]], ["account", error]);
});
