/**
 * Guarantees that hold for every connector, whatever its provider answers; each connector's test calls `testConnector`.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nowMs } from "../../ground/clock.ts";
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import type { Connector, RecordWrite, WriteConnector } from "../connector.ts";
import { isRetryable, ProviderError } from "../calls/provider-error.ts";
import { getTextAt } from "../calls/get-text-at.ts";
import { replay, toResponse, type Reply } from "./replay.ts";

export interface ConnectorSample {
  objectName: string;
  fields: JsonObject;
  /** At least three ids of the provider's form. */
  ids: string[];
  /** Pairs of ids that name one record. */
  sameIds?: [string, string][];
  /** Key of an upsert of this object, where the provider has it. */
  upsertKey?: string;
  /** False for an object whose records cannot be deleted. */
  deletes?: false;
  /** False for an object whose records cannot be changed. */
  updates?: false;
  /** True if a success with a list `errors` is a refusal. */
  errorsRefuse?: true;
  /** `path=value`: a success with another value there is a refusal. */
  okWhen?: string;
  /** Tests one part of the answers, for connectors that share an engine. */
  share?: { index: number; of: number };
}

export function testConnector(name: string, connector: Connector, sample: ConnectorSample): void {
  describe(`${name} as a connector`, () => {
    const { write, classify } = connector;
    if (write) testWrite(write, sample);
    if (classify) testClassify(classify, sample);
    if (classify) testForeignRefusals(classify);
  });
}

/** Answers that no API describes and answers that one might, each sent with every status. */
const BODIES: Reply["body"][] = [
  undefined,
  "<html><body>Bad gateway</body></html>",
  "null",
  "[]",
  "{}",
  "0",
  '{"results":',
  { results: [{}], errors: [{}] },
  {
    results: [{ id: 7 }, null, "x"],
    errors: [{ message: "no", context: { ids: [1], objectWriteTraceId: ["99"] } }],
  },
  { status: "error", category: "VALIDATION_ERROR", message: "no" },
  [{ success: true }, { success: false, errors: [{}] }, null],
  [{ message: "no", errorCode: "JSON_PARSER_ERROR" }],
  { compositeResponse: [{ referenceId: "write", httpStatusCode: 201, body: {} }, null] },
];
const STATUSES = [200, 201, 204, 207, 302, 400, 401, 403, 404, 409, 423, 429, 477, 500, 503, 504];

const ANSWERS = STATUSES.flatMap((status) => BODIES.map((body) => ({ status, body })));

const BAD_WORDS = ["", "..", ".", "../contacts", "a/b", "a?b=c", "a#b", "a%2fb", "a b", "a\nb", "ä"];

function testWrite(connector: WriteConnector, sample: ConnectorSample): void {
  const writes = sampleWrites(sample);
  const { index, of } = sample.share ?? { index: 0, of: 1 };
  const answers = ANSWERS.filter((_answer, at) => at % of === index);

  test("gives one outcome per record or throws a ProviderError, whatever the provider answers", async () => {
    for (const write of writes) {
      for (const reply of answers) {
        const provider = replay(reply);
        const result = await catchProviderError(connector.write(write, provider.fetch));
        const reported = `${write.type} ${JSON.stringify(reply)}`;
        assert.ok(provider.requests.length <= 2 * write.records.length + 1, `too many requests: ${reported}`);
        if (result instanceof ProviderError) continue;
        assert.equal(result.outcomes.length, write.records.length, reported);
        for (const outcome of result.outcomes) {
          if (outcome.success) assert.ok(outcome.recordId, reported);
          else assert.ok(outcome.error instanceof ProviderError && outcome.error.message !== "", reported);
        }
      }
    }
  });

  test("sends first what it says it will send, and only creates as not repeatable", async () => {
    for (const write of writes) {
      const provider = replay({ status: 503 });
      await assert.rejects(connector.write(write, provider.fetch), ProviderError);
      const prepared = connector.prepare(write);
      assert.deepEqual(provider.requests[0], prepared[0]);
      for (const request of prepared) {
        assert.match(request.path, /^\/(?!\/)/);
        assert.equal(
          request.repeatable || request.method === "GET",
          write.type !== "create" || request.method === "GET",
        );
      }
    }
  });

  test("passes on that no answer came when nothing was written before; of a request that only reads, that nothing was sent", async () => {
    for (const write of writes) {
      const lost = new ProviderError({ kind: "unknown_outcome", message: "connection reset" });
      const provider = replay(lost);
      const error = await catchProviderError(connector.write(write, provider.fetch));
      // Another method than that of the write: the record, or its fields, are read first.
      const isReading = write.type !== "upsert" && provider.requests[0]?.method === "GET";
      if (!isReading) assert.equal(error, lost);
      else assert.ok(error instanceof ProviderError && error.kind === "unavailable" && error.cause === lost);
    }
  });

  test("has one key for each record, and the same for every spelling of its id", () => {
    const keys = new Set(sample.ids.map((id) => connector.recordKey(id)));
    assert.equal(keys.size, sample.ids.length);
    for (const [id, other] of sample.sameIds ?? [])
      assert.equal(connector.recordKey(id), connector.recordKey(other));
  });

  test("sends nothing for an object name or a record id that could change the address", async () => {
    for (const word of BAD_WORDS) {
      for (const write of writes) {
        await refusesUnsent(connector, { ...write, objectName: word });
        if (write.type === "create") continue;
        if (write.type === "upsert") {
          if (!/^\w+$/.test(word)) await refusesUnsent(connector, { ...write, key: word });
          continue;
        }
        await refusesUnsent(connector, { ...write, records: [{ id: word, fields: sample.fields }] });
      }
      const provider = replay({ status: 200, body: [] });
      const reading = { objectName: sample.objectName, ids: [word], fields: ["x"] };
      assert.equal((await connector.readFields(reading, provider.fetch)).size, 0);
      assert.equal(provider.requests.length, 0);
    }
  });
}

async function refusesUnsent(connector: WriteConnector, write: RecordWrite): Promise<void> {
  const provider = replay({ status: 200, body: {} });
  const result = await connector.write(write, provider.fetch);
  assert.equal(provider.requests.length, 0);
  for (const outcome of result.outcomes) assert.ok(!outcome.success && outcome.error.kind === "invalid");
  assert.throws(() => connector.prepare(write), ProviderError);
}

function testClassify(
  classify: NonNullable<Connector["classify"]>,
  { errorsRefuse, okWhen = "" }: ConnectorSample,
): void {
  const [okPath = "", okValue] = okWhen.split("=");
  test("classifies every status that is not a success, whatever the body", () => {
    for (const status of STATUSES) {
      for (const body of BODIES) {
        const error = classify(toResponse({ status, body }));
        const told = isJsonObject(body) ? getTextAt(body, okPath) : undefined;
        const isRefusal =
          (errorsRefuse === true && JSON.stringify(body)?.includes('"errors":[{"message"')) ||
          (okWhen !== "" && told !== undefined && told !== okValue);
        if (status < 300 && !isRefusal) assert.equal(error, undefined);
        else assert.equal(error?.status, status);
      }
    }
  });

  test("knows expired credentials, a used up quota and an outage", () => {
    assert.equal(classify(toResponse({ status: 401 }))?.kind, "unauthorized");
    const limited = classify(toResponse({ status: 429, headers: { "retry-after": "7" } }));
    assert.equal(limited?.kind, "rate_limited");
    const waitMs = (limited?.retryAt?.getTime() ?? 0) - nowMs();
    assert.ok(waitMs > 5000 && waitMs <= 7000);
    assert.equal(classify(toResponse({ status: 503, body: "<html>" }))?.kind, "unavailable");
  });
}

/** What firewalls, proxies and pages of maintenance answer: RFC 9110 gives a 4xx no form. */
const FOREIGN_BODIES = ["<html><body>Request blocked</body></html>", "Blocked."];

function testForeignRefusals(classify: NonNullable<Connector["classify"]>): void {
  test("tries again what is refused with a 4xx that is not explained in the provider's own form", () => {
    for (const status of [400, 402, 403, 404, 406, 407, 409, 410, 418, 420, 422, 451]) {
      for (const body of FOREIGN_BODIES) {
        const error = classify(toResponse({ status, body }));
        assert.ok(error && isRetryable(error.kind), `${status} ${body}: ${error?.kind}`);
      }
    }
    for (const status of [400, 403, 406, 409, 420]) {
      const error = classify(toResponse({ status, body: "" }));
      assert.ok(error && isRetryable(error.kind), `${status} without a body: ${error?.kind}`);
    }
    const tooLarge = classify(toResponse({ status: 413, body: "<html>" }));
    assert.ok(tooLarge && !isRetryable(tooLarge.kind));
  });

  test("waits for the reset of a rate limit that is told by 400, 403 or 503 with headers", () => {
    const reset = Math.ceil(nowMs() / 1000) + 40;
    const exhausted = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": `${reset}` };
    for (const [status, headers] of [
      [403, exhausted],
      [503, exhausted],
      [403, { "retry-after": "40" }],
      [400, { "retry-after": "40" }],
    ] as const) {
      const error = classify(toResponse({ status, headers, body: { message: "Slow down" } }));
      assert.equal(error?.kind, "rate_limited", `${status} ${JSON.stringify(headers)}`);
      const waitMs = (error.retryAt?.getTime() ?? 0) - nowMs();
      assert.ok(waitMs > 38_000 && waitMs <= 41_000, `waits ${waitMs} ms`);
    }
  });
}

function sampleWrites(sample: ConnectorSample): RecordWrite[] {
  const common = { objectName: sample.objectName, headers: {} };
  const records = sample.ids.map((id) => ({ id, fields: sample.fields }));
  const created = records.map(({ fields }) => ({ fields }));
  const one = { ...common, batch: false, allOrNone: false };
  const many = { ...common, batch: true };
  return [
    { ...one, type: "create", records: created.slice(0, 1) },
    { ...one, type: "create", records: created.slice(0, 1), readBack: false },
    ...(sample.updates === false ? [] : [{ ...one, type: "update" as const, records: records.slice(0, 1) }]),
    ...(sample.deletes === false ? [] : [{ ...one, type: "delete" as const, records: records.slice(0, 1) }]),
    { ...many, type: "create", records: created, allOrNone: false },
    { ...many, type: "create", records: created, allOrNone: true },
    ...(sample.updates === false
      ? []
      : [
          { ...many, type: "update" as const, records, allOrNone: false },
          { ...many, type: "update" as const, records, allOrNone: true },
        ]),
    ...testUpserts(sample, one, many),
  ];
}

function testUpserts(
  { upsertKey: key, ids, fields }: ConnectorSample,
  one: Omit<RecordWrite, "type" | "records">,
  many: Omit<RecordWrite, "type" | "records" | "allOrNone">,
): RecordWrite[] {
  if (key === undefined) return [];
  const records = ids.map((id) => ({ fields: { ...fields, [key]: `ada+${id}@quill.example` } }));
  return [
    { ...one, type: "upsert", key, records: records.slice(0, 1) },
    { ...many, type: "upsert", key, records, allOrNone: false },
  ];
}

const catchProviderError = async <T>(promise: Promise<T>): Promise<T | ProviderError> =>
  promise.catch((error: unknown) => {
    if (error instanceof ProviderError) return error;
    throw error;
  });
