/** Conformance tests for destination types; the test of each type calls `testDestination`. */
import assert from "node:assert/strict";
import { lookup } from "node:dns";
import { describe, test } from "node:test";
import type {
  Channel,
  DestinationType,
  Exchange,
  Message,
  OutgoingRequest,
  Outcome,
  DestinationNetwork,
} from "../../../destination-kit/destination.ts";

export interface DestinationSample {
  config: Record<string, unknown>;
  secrets?: Record<string, unknown>;
  /** Settings that must be refused, with their fault. */
  faulty: { what: string; config?: Record<string, unknown>; secrets?: Record<string, unknown> }[];
  /** The receiver's answer to an accepted message; undefined when the type does not use `send`. */
  taken?: { status: number; headers?: Record<string, string>; body?: string };
  /** Requests for an accepted message; 1 without it. */
  requestsEach?: number;
}

/** A network whose receiver gives the answer that the test sets. */
interface TestNetwork extends DestinationNetwork {
  requests: OutgoingRequest[];
  lines: string[];
  answer: () => Exchange | Promise<Exchange>;
}

export function testNetwork(filesFolder = "/nonexistent"): TestNetwork {
  const network: TestNetwork = {
    requests: [],
    lines: [],
    answer: () => buildExchange(200),
    async send(request) {
      network.requests.push(request);
      return network.answer();
    },
    guardedLookup: () => lookup,
    timeoutMs: 60_000,
    allowsPlainHttp: (host) => host === "127.0.0.1",
    mayReach: (host) => host !== "10.0.0.1",
    filesFolder,
    print: (line) => void network.lines.push(line),
  };
  return network;
}

export const buildExchange = (status: number, body = "", headers: Record<string, string> = {}): Exchange => ({
  status,
  headers,
  body: Buffer.from(body),
});

export const sampleMessage = (changes: Partial<Message> = {}): Message => ({
  id: "01890a5d-ac96-774b-bcce-b302099a8057",
  topic: "connection.created",
  kind: "event",
  time: new Date("2026-01-02T03:04:05.006Z"),
  data: '{"projectId":"p1","consumerName":"Zoë <&>"}',
  projectId: "p1",
  destinationId: "d1",
  ...changes,
});

export const sampleDataMessage = (changes: Partial<Message> = {}): Message =>
  sampleMessage({
    topic: "read",
    kind: "data",
    data: '{"action":"read","installationId":"i1","operationId":"o1","objectName":"company","result":[{"id":"<7>"}]}',
    ...changes,
  });

/** PostgreSQL's jsonb rejects NULs and half surrogate pairs; one such text would block saving results. */
export function assertStorable({ error = "", answer = "" }: Outcome): void {
  for (const text of [error, answer]) assert.ok(!text.includes("\0") && text.isWellFormed(), text);
  assert.ok(answer.length <= 16 * 1024);
}

export function openSample(
  type: DestinationType,
  sample: DestinationSample,
  network: DestinationNetwork,
): Channel {
  const { config, secrets = {} } = sample;
  return type.open(
    { config, secrets, signingKeys: () => ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], name: "sample" },
    network,
  );
}

/** Failures: answers of receivers, and exchanges without an answer. */
const TROUBLE: Exchange[] = [
  ...[301, 400, 401, 403, 404, 429, 500, 503].map((status) => buildExchange(status, "no")),
  buildExchange(500, "\0".repeat(20_000)),
  buildExchange(503, "<html>", { "retry-after": "soon" }),
  { failure: "unreachable", message: "cannot connect" },
  { failure: "forbidden", message: "private address" },
];

export function testDestination(type: DestinationType, sample: DestinationSample): void {
  describe(`${type.type} as a destination`, () => {
    test("takes its sample settings and refuses faulty ones, naming the member", () => {
      const { config, secrets = {}, faulty } = sample;
      assert.deepEqual(type.check({ config, secrets }, testNetwork()), []);
      for (const { what, ...changed } of faulty) {
        const faults = type.check({ config, secrets, ...changed }, testNetwork());
        assert.ok(faults.length > 0, what);
        for (const fault of faults) assert.match(fault.name, /^(metadata|secrets)\./, what);
      }
    });
    if (sample.taken) testExchanges(type, sample, sample.taken);
    test("closes twice without harm", async () => {
      const channel = openSample(type, sample, testNetwork());
      await channel.close();
      await channel.close();
    });
  });
}

function testExchanges(
  type: DestinationType,
  sample: DestinationSample,
  taken: NonNullable<DestinationSample["taken"]>,
): void {
  test("an accepted message is delivered, also many at once", async () => {
    const network = testNetwork();
    network.answer = () => buildExchange(taken.status, taken.body, taken.headers);
    const channel = openSample(type, sample, network);
    const messages = Array.from({ length: 20 }, (_, index) => sampleMessage({ id: `m${index}` }));
    const outcomes = await Promise.all(messages.map((message) => channel.deliver(message)));
    assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(["delivered"]));
    assert.equal(network.requests.length, 20 * (sample.requestsEach ?? 1));
    await channel.close();
  });
  test("a failure fails the attempt with a reason that can be stored, and nothing is sent twice", async () => {
    for (const exchange of TROUBLE) {
      const network = testNetwork();
      network.answer = () => exchange;
      const channel = openSample(type, sample, network);
      const outcome = await channel.deliver(sampleMessage());
      assert.equal(outcome.kind, "failed", JSON.stringify(exchange));
      assert.ok(outcome.error, JSON.stringify(exchange));
      assertStorable(outcome);
      assert.equal(network.requests.length, 1, JSON.stringify(exchange));
      await channel.close();
    }
  });
  test("410 ends a destination of a type that can be disabled; others are retried", async () => {
    const network = testNetwork();
    network.answer = () => buildExchange(410, "gone");
    const { kind, error } = await openSample(type, sample, network).deliver(sampleMessage());
    assert.equal(kind, type.signs ? "gone" : "failed");
    assert.ok(error);
  });
  test("a 429 with Retry-After counts as overloaded, with that wait", async () => {
    const network = testNetwork();
    network.answer = () => buildExchange(429, "slower", { "retry-after": "90" });
    const { kind, overloaded, retryAfterMs } = await openSample(type, sample, network).deliver(
      sampleMessage(),
    );
    assert.deepEqual([kind, overloaded, retryAfterMs], ["failed", true, 90_000]);
  });
  test("a timeout counts as overloaded", async () => {
    const network = testNetwork();
    network.answer = () => ({ failure: "timeout", message: "no answer" });
    const outcome = await openSample(type, sample, network).deliver(sampleMessage());
    assert.equal(outcome.kind, "failed");
    assert.equal(outcome.overloaded, true);
  });
}
