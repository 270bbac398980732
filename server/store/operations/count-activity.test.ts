/** Counts of activity. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { bootstrap } from "../../access/bootstrap.ts";
import { buildFirstId, newId } from "../../../ground/ids.ts";
import { countActivity } from "./count-activity.ts";
import { insertOperations } from "./operations.ts";

const START_MS = Date.parse("2026-05-01T10:00:00Z");
const MINUTE_MS = 60_000;

test("a call counts the newest rows of its period up to a limit, and names the time from which it counted", async (t) => {
  const { queries } = await testDatabase(t);
  const { projectId } = await bootstrap(queries, { org: "o", project: "p" });
  const about = { projectId, configId: newId(), actionType: "write", objectName: "contacts", claimedBy: 1 };
  const insert = (afterMs: number) =>
    insertOperations(queries, [
      { ...about, id: buildFirstId(START_MS + afterMs), integrationId: newId(), installationId: newId() },
    ]);
  // Three in the first minute, three in the second one.
  for (const seconds of [0, 20, 40, 60, 80, 100]) await insert(seconds * 1_000);
  const bounds = [0, 1, 2].map((minutes) => new Date(START_MS + minutes * MINUTE_MS));
  const count = async (max: number) => {
    const { rows, countedSince } = await countActivity(queries, "operations", { projectId, bounds }, max);
    const counts = rows.map(({ bucket, count }): [number | null, number] => [bucket, count]);
    return { countedSince, counts: Object.fromEntries(counts) };
  };
  assert.deepEqual(await count(6), { countedSince: undefined, counts: { 1: 3, 2: 3, null: 6 } });
  const { countedSince, counts } = await count(4);
  assert.deepEqual(counts, { 1: 1, 2: 3, null: 4 });
  assert.equal(countedSince?.getTime(), START_MS + 20_001);
});

test("deliveries count alike with their states and by index alone", async (t) => {
  const { queries } = await testDatabase(t);
  const { projectId } = await bootstrap(queries, { org: "o", project: "p" });
  const destinationId = newId();
  await queries
    .insertInto("destinations")
    .values({ id: destinationId, projectId, name: "d", type: "webhook", metadata: "{}", secretsSealed: "" })
    .execute();
  const states = ["delivered", "failed", "delivered", "waiting", "failed", "failed"];
  await queries
    .insertInto("deliveries")
    .values(
      states.map((state, nth) => ({
        destinationId,
        eventId: buildFirstId(START_MS + nth),
        state,
        dueTime: new Date(),
      })),
    )
    .execute();
  const bounds = [new Date(START_MS), new Date(START_MS + MINUTE_MS)];
  const count = async (by?: "status" | "destination") => {
    const { rows } = await countActivity(queries, "deliveries", { projectId, bounds, ...(by && { by }) });
    return rows
      .filter(({ bucket }) => bucket === 1)
      .map(({ key, count, failed }) => [key, count, failed])
      .toSorted();
  };
  assert.deepEqual(await count(), [[null, 6, 3]]);
  assert.deepEqual(await count("destination"), [[destinationId, 6, 3]]);
  assert.deepEqual(await count("status"), [
    ["delivered", 2, 0],
    ["failed", 3, 3],
    ["waiting", 1, 0],
  ]);
});

test("attempts count at their own time with their duration, whatever became of the delivery", async (t) => {
  const { queries } = await testDatabase(t);
  const { projectId } = await bootstrap(queries, { org: "o", project: "p" });
  const destinationId = newId();
  await queries
    .insertInto("destinations")
    .values({ id: destinationId, projectId, name: "d", type: "webhook", metadata: "{}", secretsSealed: "" })
    .execute();
  const attempt = (minute: number, durationMs: number, outcome: { status?: number; error?: string }) => ({
    time: new Date(START_MS + minute * MINUTE_MS + 1).toISOString(),
    durationMs,
    ...outcome,
  });
  // An event of a minute before the period; the receiver was away in the first minute.
  const attempts = [
    attempt(0, 5_000, { error: "no answer within 5 s" }),
    attempt(0, 20, { status: 503 }),
    attempt(1, 30, { status: 204 }),
    // As queues answer: accepted without a status, and refused with one of success.
    attempt(2, 4, {}),
    attempt(2, 4, { status: 200, error: "the answer has no id" }),
  ];
  await queries
    .insertInto("deliveries")
    .values({
      destinationId,
      eventId: buildFirstId(START_MS - MINUTE_MS),
      state: "delivered",
      dueTime: new Date(),
      attempts: JSON.stringify(attempts),
    })
    .execute();
  const bounds = [0, 1, 2, 3].map((minutes) => new Date(START_MS + minutes * MINUTE_MS));
  const { rows } = await countActivity(queries, "attempts", { projectId, bounds });
  assert.deepEqual(
    rows
      .flatMap(({ bucket, count, failed, p95Ms }) =>
        bucket === null ? [] : [[bucket, count, failed, p95Ms]],
      )
      .toSorted(),
    [
      [1, 2, 2, 5_000],
      [2, 1, 0, 30],
      [3, 2, 1, 4],
    ],
  );
  const byStatus = await countActivity(queries, "attempts", { projectId, by: "status", key: "none", bounds });
  assert.deepEqual(
    byStatus.rows.filter(({ bucket }) => bucket === 1).map(({ key, count }) => [key, count]),
    [["none", 1]],
  );
});
