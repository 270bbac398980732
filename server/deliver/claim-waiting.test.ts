/** Claiming: deliveries that wait in the database are sent when they are due and their lane has capacity. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openDeliveryParts } from "../../tests/harness/deliveries/delivery-parts.ts";
import { until } from "../../tests/harness/until.ts";

test("a delivery whose attempt failed is claimed again when it is due, and is held until its result is saved", async (t) => {
  let attempts = 0;
  const second = Promise.withResolvers<void>();
  const { database, router, waiting, happen, saved } = await openDeliveryParts(t, async () => {
    attempts += 1;
    if (attempts === 1) return { kind: "failed", error: "busy" };
    await second.promise;
    return { kind: "delivered" };
  });
  t.after(() => second.resolve());
  await happen(1);
  await router.route();
  await until(() => saved.length === 1);
  await until(async () => (await waiting.claim()) === 1);
  const [{ destination_id: destinationId, event_id: eventId }] = (
    await database.pool.query("select * from deliveries")
  ).rows;
  assert.equal(waiting.holds({ destinationId, eventId }), true);
  await until(() => attempts === 2);
  second.resolve();
  await until(() => saved.length === 2);
  assert.equal(waiting.holds({ destinationId, eventId }), false);
  const { rows } = await database.pool.query("select state, failures from deliveries");
  assert.deepEqual(rows, [{ state: "delivered", failures: 1 }]);
});

test("deliveries that found no capacity are all sent as their lane empties", async (t) => {
  const { database, router, waiting, happen, messages, saved } = await openDeliveryParts(t);
  await database.pool.query("update destinations set failing_since = now()");
  await happen(30);
  await router.route();
  await until(async () => {
    await waiting.claim();
    return saved.filter(({ kind }) => kind === "attempted").length === 30;
  });
  assert.equal(new Set(messages.map(({ id }) => id)).size, 30);
  const { rows } = await database.pool.query("select distinct state from deliveries");
  assert.deepEqual(rows, [{ state: "delivered" }]);
});
