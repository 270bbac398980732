/** Routing: new events reach the lanes, and what finds no capacity waits in the database. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openDeliveryParts } from "../../tests/harness/deliveries/delivery-parts.ts";
import { until } from "../../tests/harness/until.ts";

test("each new event is routed once and sent", async (t) => {
  const { router, happen, messages, saved } = await openDeliveryParts(t);
  await happen(3);
  assert.equal(await router.route(), 3);
  assert.equal(await router.route(), 0);
  await until(() => saved.length === 3);
  assert.equal(new Set(messages.map(({ id }) => id)).size, 3);
  assert.ok(saved.every((result) => result.kind === "attempted" && result.state === "delivered"));
});

test("an event for a disabled destination fails without an attempt", async (t) => {
  const { database, router, happen, messages, saved } = await openDeliveryParts(t);
  await database.pool.query("update destinations set disabled_time = now()");
  await happen(1);
  await router.route();
  await until(() => saved.length === 1);
  assert.equal(saved[0]?.kind, "skipped");
  assert.deepEqual(messages, []);
});

test("a failing destination takes a few deliveries; the others wait in the database and are not lost", async (t) => {
  const end = Promise.withResolvers<{ kind: "delivered" }>();
  const { database, router, happen, messages, saved } = await openDeliveryParts(t, () => end.promise);
  t.after(() => end.resolve({ kind: "delivered" }));
  await database.pool.query("update destinations set failing_since = now()");
  await happen(10);
  assert.equal(await router.route(), 10);
  await until(() => saved.length === 6);
  assert.ok(saved.every(({ kind }) => kind === "released"));
  assert.equal(messages.length, 4);
  const { rows } = await database.pool.query("select state from deliveries");
  assert.deepEqual(new Set(rows.map(({ state }) => state)), new Set(["waiting"]));
  end.resolve({ kind: "delivered" });
  await until(() => saved.length === 10);
});
