/** Sending: nothing is sent with outdated settings or after a stop, and batches grow beyond what is sent at once. */
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

const LIMITS = { messages: 200, bytes: 1_000_000, waitMs: 600_000 };

/** A destination that takes 200 messages together, and whose batches wait for ever. */
async function openBatches(t: Parameters<typeof openDeliveryParts>[0], events: number, limits = LIMITS) {
  const parts = await openDeliveryParts(t, async () => ({ kind: "delivered" }), limits);
  await parts.happen(events);
  let routed = 0;
  await until(async () => {
    routed += await parts.router.route();
    return routed === events;
  });
  return parts;
}

test("messages are sent together as soon as a batch is full, and each has its own delivery", async (t) => {
  const { batches, saved, sender } = await openBatches(t, 450);
  await until(() => saved.length === 400);
  assert.deepEqual(batches, [200, 200]);
  assert.deepEqual(new Set(saved.map(({ kind }) => kind)), new Set(["attempted"]));
  sender.stopSending();
  await until(() => saved.length === 450);
});

test("a batch larger than half of a lane grows until it is full", async (t) => {
  const { batches, happen, router, saved } = await openBatches(t, 600, { ...LIMITS, messages: 1_000 });
  await happen(400);
  await until(async () => {
    await router.route();
    return saved.length === 1_000;
  });
  assert.deepEqual(batches, [1_000]);
});

test("what is around the data of a message counts towards the bytes of a batch", async (t) => {
  // The data is `{}`.
  const { batches, saved } = await openBatches(t, 50, { ...LIMITS, bytes: 25 * 202 });
  await until(() => saved.length === 25);
  assert.deepEqual(batches, [25]);
});

test("after a stop, messages of an incomplete batch are released and not sent", async (t) => {
  const { sender, saved, messages } = await openBatches(t, 50);
  sender.stopSending();
  await until(() => saved.length === 50);
  assert.deepEqual(new Set(saved.map(({ kind }) => kind)), new Set(["released"]));
  assert.deepEqual(messages, []);
});

test("messages of an incomplete batch whose destination has changed are released, and sent after a new claim", async (t) => {
  const { sender, saved, destinationId, waiting, batches } = await openBatches(t, 50);
  sender.destinationChanged(destinationId);
  await until(() => saved.length === 50);
  assert.deepEqual(new Set(saved.map(({ kind }) => kind)), new Set(["released"]));
  await until(async () => (await waiting.claim()) === 50);
  assert.deepEqual(batches, []);
});

test("where little capacity is left for a project, an incomplete batch is sent at once", async (t) => {
  const { sender, saved, batches } = await openBatches(t, 50);
  sender.freeCapacity();
  assert.deepEqual(batches, []);
  t.mock.method(sender.lanes, "isTight", () => true);
  sender.freeCapacity();
  await until(() => saved.length === 50);
  assert.deepEqual(batches, [50]);
});
