/** Sending: nothing is sent with outdated settings or after a stop. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openDeliveryParts } from "../../tests/harness/deliveries/delivery-parts.ts";
import { until } from "../../tests/harness/until.ts";

/** A destination with 64 deliveries under way and one in line. */
async function openFullLane(t: Parameters<typeof openDeliveryParts>[0]) {
  const end = Promise.withResolvers<{ kind: "delivered" }>();
  const parts = await openDeliveryParts(t, () => end.promise);
  t.after(() => end.resolve({ kind: "delivered" }));
  await parts.happen(65);
  await until(async () => {
    await parts.router.route();
    return parts.messages.length === 64;
  });
  // One statement routes 50 events at first, so the last ones may come with another.
  await parts.router.route();
  return { ...parts, end: () => end.resolve({ kind: "delivered" }) };
}

test("a delivery whose destination has changed while it was in line is released, and sent after a new claim", async (t) => {
  const { sender, destinationId, waiting, saved, messages, end } = await openFullLane(t);
  sender.destinationChanged(destinationId);
  end();
  await until(() => saved.length === 65);
  assert.equal(saved.filter(({ kind }) => kind === "released").length, 1);
  assert.equal(messages.length, 64);
  await until(async () => (await waiting.claim()) === 1);
  await until(() => messages.length === 65);
});

test("after a stop, deliveries in line are released and those under way finish", async (t) => {
  const { sender, saved, messages, end } = await openFullLane(t);
  sender.stopSending();
  end();
  await until(() => saved.length === 65);
  assert.equal(messages.length, 64);
  assert.equal(saved.filter(({ kind }) => kind === "released").length, 1);
});
