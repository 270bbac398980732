/** Batches: what is sent together, when, and that every message gets its own outcome. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { BatchLimits, Message, Outcome } from "../../destination-kit/destination.ts";
import { sampleMessage } from "../../tests/harness/destinations/destination-suite.ts";
import { BatchGatherer } from "./batch-gatherer.ts";
import type { OpenDestination } from "./destinations/channels.ts";

const LIMITS: BatchLimits = { messages: 3, bytes: 1_000, waitMs: 30_000 };

const buildOutcome = ({ id }: Message): Outcome => ({ kind: "delivered", answer: id });

/** A destination that records the ids of each batch. */
function openWarehouse(
  answer = async (messages: Message[]): Promise<Outcome[]> => messages.map(buildOutcome),
) {
  const batches: string[][] = [];
  const deliverAll = (messages: Message[]) => {
    batches.push(messages.map(({ id }) => id));
    return answer(messages);
  };
  const deliver = async (): Promise<Outcome> => ({ kind: "failed", error: "was sent alone" });
  const row = { id: "d1", projectId: "p1" } as OpenDestination["row"];
  const type = { paced: false, maxMessageBytes: undefined, disables: false };
  const destination: OpenDestination = { row, type, channel: { deliver, deliverAll, close: async () => {} } };
  return { destination, batches };
}

function gather(destination: OpenDestination, gatherer = new BatchGatherer()) {
  return {
    gatherer,
    send: async (id: string, { bytes = 10, limits = LIMITS } = {}): Promise<Outcome> =>
      (await gatherer.join(destination, limits, bytes)).deliver(sampleMessage({ id })),
  };
}

const stopTimers = (t: TestContext) => t.mock.timers.enable({ apis: ["setTimeout"] });

test("a full batch is sent at once, and each message gets its own outcome", async () => {
  const { destination, batches } = openWarehouse();
  const { send } = gather(destination);
  const outcomes = await Promise.all(["a", "b", "c"].map((id) => send(id)));
  assert.deepEqual(batches, [["a", "b", "c"]]);
  assert.deepEqual(
    outcomes.map(({ answer }) => answer),
    ["a", "b", "c"],
  );
});

test("an incomplete batch is sent when its first message has waited long enough", async (t) => {
  stopTimers(t);
  const { destination, batches } = openWarehouse();
  const { send } = gather(destination);
  const first = send("a");
  t.mock.timers.tick(20_000);
  const second = send("b");
  t.mock.timers.tick(9_999);
  assert.deepEqual(batches, []);
  t.mock.timers.tick(1);
  await Promise.all([first, second]);
  assert.deepEqual(batches, [["a", "b"]]);
});

test("a message that does not fit begins another batch", async () => {
  const { destination, batches } = openWarehouse();
  const { send, gatherer } = gather(destination);
  const sent = ["a", "b", "c"].map((id) => send(id, { bytes: 600 }));
  gatherer.complete(() => true);
  await Promise.all(sent);
  assert.deepEqual(batches, [["a"], ["b"], ["c"]]);
});

test("a message for a destination that was reopened is not sent with its old settings", async () => {
  const [before, after] = [openWarehouse(), openWarehouse()];
  const gatherer = new BatchGatherer();
  const old = gather(before.destination, gatherer).send("a");
  const fresh = gather(after.destination, gatherer).send("b");
  gatherer.complete(() => true);
  await Promise.all([old, fresh]);
  assert.deepEqual([before.batches, after.batches], [[["a"]], [["b"]]]);
});

test("a place that is given up does not hold up the others, and nothing is sent if all are", async () => {
  const { destination, batches } = openWarehouse();
  const gatherer = new BatchGatherer();
  const join = () => gatherer.join(destination, LIMITS, 1);
  const [first, second, third] = await Promise.all([join(), join(), join()]);
  const sent = first.deliver(sampleMessage({ id: "a" }));
  second.giveUp();
  second.giveUp();
  third.giveUp();
  assert.equal((await sent).kind, "delivered");
  assert.deepEqual(batches, [["a"]]);
  const others = await Promise.all([join(), join(), join()]);
  for (const seat of others) seat.giveUp();
  assert.equal(batches.length, 1);
});

test("if sending fails with an error, or a message has no outcome, the messages have failed", async () => {
  const broken = openWarehouse(async () => {
    throw new Error("cannot connect");
  });
  const sent = await Promise.all(["a", "b", "c"].map((id) => gather(broken.destination).send(id, ONE)));
  assert.deepEqual(new Set(sent.map(({ error }) => error)), new Set(["cannot connect"]));
  const silent = openWarehouse(async () => []);
  const outcome = await gather(silent.destination).send("a", ONE);
  assert.equal(outcome.kind, "failed");
});

const ONE = { limits: { ...LIMITS, messages: 1 } };
