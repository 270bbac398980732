/** The limit of webhooks a second holds over all processes of a project. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { newId } from "../../../ground/ids.ts";
import { openWebhookRateLimit } from "./webhook-rate-limit.ts";

const PER_SECOND = 500;

test("two processes together never exceed the limit", async (t) => {
  const database = await testDatabase(t);
  const [one, two] = [
    openWebhookRateLimit(database.queries, PER_SECOND),
    openWebhookRateLimit(database.queries, PER_SECOND),
  ];
  const projectId = newId();
  const started = performance.now();
  const leaves: number[] = [];
  const note = () => void leaves.push(performance.now());
  const waves = [0, 1, 2].map(() =>
    Array.from({ length: 50 }, () => [one.take(projectId).then(note), two.take(projectId).then(note)]),
  );
  await Promise.all(waves.flat(2));
  assert.equal(leaves.length, 300);
  leaves.sort((a, b) => a - b);
  // Not measured between two of them: on a busy machine one leaves late, and the next on time.
  const ahead = leaves.filter((at, index) => at - started < (index * 1_000) / PER_SECOND - 2);
  assert.deepEqual(ahead, []);
});

test("a project that sends little never waits, and 0 is no limit", async (t) => {
  const database = await testDatabase(t);
  const pace = openWebhookRateLimit(database.queries, PER_SECOND);
  const projectId = newId();
  await pace.take(projectId);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await pace.take(projectId);
  await openWebhookRateLimit(database.queries, 0).take(newId());
});

test("a stop ends all waits", async (t) => {
  const database = await testDatabase(t);
  const pace = openWebhookRateLimit(database.queries, 1);
  const projectId = newId();
  const all = Promise.all([pace.take(projectId), pace.take(projectId), pace.take(projectId)]);
  await pace.take(newId());
  pace.stop();
  await all;
});
