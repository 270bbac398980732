/** A batch of HubSpot updates: always partial, matched by id, each id once per request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import type { RecordOutcome, RecordWrite } from "../../connector-kit/connector.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { write } from "./write.ts";

const updates = (records: [id: string, fields: JsonObject][], allOrNone = false): RecordWrite => ({
  objectName: "contacts",
  type: "update",
  batch: true,
  records: records.map(([id, fields]) => ({ id, fields: { ...fields, id } })),
  allOrNone,
  headers: {},
});
const inputs = (request: ProviderRequest) =>
  (request.body as unknown as { inputs: { id: string; properties: JsonObject }[] }).inputs;
const reported = (outcomes: RecordOutcome[]) =>
  outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.kind));
const done = (request: ProviderRequest, except: string[] = []) =>
  inputs(request)
    .filter(({ id }) => !except.includes(id))
    .map(({ id, properties }) => ({ id, properties }));

test("results are matched by id, and one error entry can speak for several records", async () => {
  const provider = replay((request) => ({
    status: 207,
    body: {
      status: "COMPLETE",
      results: done(request, ["2", "4"]).toReversed(),
      errors: [
        { status: "error", category: "OBJECT_NOT_FOUND", message: "gone", context: { ids: ["4", "2"] } },
      ],
    },
  }));
  const result = await write.write(
    updates(["1", "2", "3", "4"].map((id) => [id, { city: "Ulm" }])),
    provider.fetch,
  );
  assert.deepEqual(reported(result.outcomes), ["1", "not_found", "3", "not_found"]);
  assert.deepEqual(inputs(provider.requests[0]!)[0], {
    id: "1",
    properties: { city: "Ulm" },
    objectWriteTraceId: "0",
  });
});

test("a repeated id waits for the next request, so that the last value wins", async () => {
  const provider = replay((request) => ({ status: 200, body: { results: done(request) } }));
  const batch = updates([
    ["1", { city: "Ulm" }],
    ["2", { city: "Ulm" }],
    ["1", { city: "Bonn" }],
  ]);
  const result = await write.write(batch, provider.fetch);
  assert.deepEqual(
    provider.requests.map((request) => inputs(request).map(({ id, properties }) => [id, properties.city])),
    [
      [
        ["1", "Ulm"],
        ["2", "Ulm"],
      ],
      [["1", "Bonn"]],
    ],
  );
  assert.deepEqual(reported(result.outcomes), ["1", "2", "1"]);
  assert.deepEqual(provider.requests, write.prepare(batch));
});

test("an unknown property fails the records that use it and no other", async () => {
  const provider = replay((request): Reply => {
    if (!inputs(request).some(({ properties }) => Object.hasOwn(properties, "shoe"))) {
      return { status: 200, body: { results: done(request) } };
    }
    const detail = {
      message: 'Property "shoe" does not exist',
      code: "PROPERTY_DOESNT_EXIST",
      context: { propertyName: ["shoe"] },
    };
    return {
      status: 400,
      body: { status: "error", message: "not valid", category: "VALIDATION_ERROR", errors: [detail] },
    };
  });
  const batch = updates([
    ["1", { city: "Ulm" }],
    ["2", { shoe: 1 }],
    ["3", { city: "Ulm" }],
  ]);
  const result = await write.write(batch, provider.fetch);
  assert.deepEqual(reported(result.outcomes), ["1", "invalid", "3"]);
  assert.equal(provider.requests.length, 2);
});

test("a bad value is found by halving and does not fail its neighbours", async () => {
  const provider = replay((request): Reply => {
    if (!inputs(request).some(({ properties }) => properties.email === "nonsense")) {
      return { status: 200, body: { results: done(request) } };
    }
    const list = [{ message: "Email address nonsense is invalid", error: "INVALID_EMAIL", name: "email" }];
    const message = `Property values were not valid: ${JSON.stringify(list)}`;
    return { status: 400, body: { status: "error", message, category: "VALIDATION_ERROR" } };
  });
  const batch = updates(
    ["1", "2", "3", "4"].map((id) => [id, { email: id === "3" ? "nonsense" : "a@b.example" }]),
  );
  const result = await write.write(batch, provider.fetch);
  assert.deepEqual(reported(result.outcomes), ["1", "2", "invalid", "4"]);
});

test("allOrNone has no effect on updates, and the caller is told", async () => {
  const provider = replay((request) => ({ status: 200, body: { results: done(request) } }));
  const result = await write.write(updates([["1", {}]], true), provider.fetch);
  assert.match(result.warnings.join(), /allOrNone has no effect/);
});

test("an id that cannot be one is refused without being sent, the others are written", async () => {
  const provider = replay((request) => ({ status: 200, body: { results: done(request) } }));
  const result = await write.write(
    updates([
      ["1", {}],
      ["../x", {}],
      ["3", {}],
    ]),
    provider.fetch,
  );
  assert.deepEqual(reported(result.outcomes), ["1", "invalid", "3"]);
  assert.deepEqual(
    inputs(provider.requests[0]!).map(({ id }) => id),
    ["1", "3"],
  );
});

test("a record that HubSpot's servers failed at is updated again later", async () => {
  const failed = { status: "error", category: "INTERNAL_ERROR", message: "internal error" };
  const provider = replay((request) => ({
    status: 207,
    body: { results: done(request, ["2"]), errors: [{ ...failed, context: { ids: ["2"] } }] },
  }));
  const batch = updates([
    ["1", { city: "Ulm" }],
    ["2", { city: "Ulm" }],
  ]);
  assert.deepEqual(reported((await write.write(batch, provider.fetch)).outcomes), ["1", "unavailable"]);
});

/** HubSpot's changelog of 2025-01-14 (updated-merge-functionality-for-contacts-and-companies): both earlier ids lead to a new record with an id of its own. */
const merged = (request: ProviderRequest, into: Record<string, string>, marked: boolean) =>
  inputs(request).map(({ id, properties, ...rest }) => ({
    id: into[id] ?? id,
    properties,
    ...(marked && rest),
  }));

test("an update under an id from before a merge succeeds, with the id of the record that is left", async () => {
  for (const marked of [true, false]) {
    const provider = replay((request) => ({
      status: 200,
      body: { status: "COMPLETE", results: merged(request, { "2": "900" }, marked).toReversed() },
    }));
    const batch = updates([
      ["1", { city: "Ulm" }],
      ["2", { city: "Bonn" }],
      ["3", { city: "Köln" }],
    ]);
    const { outcomes } = await write.write(batch, provider.fetch);
    assert.deepEqual(reported(outcomes), ["1", "900", "3"]);
  }
});

test("two updates whose records merged into one are told apart by their trace ids, and are unknown without them", async () => {
  const into = { "2": "900", "3": "900" };
  const batch = updates([
    ["1", { city: "Ulm" }],
    ["2", { city: "Bonn" }],
    ["3", { city: "Köln" }],
  ]);
  const run = async (marked: boolean) => {
    const provider = replay((request) => ({ status: 200, body: { results: merged(request, into, marked) } }));
    return reported((await write.write(batch, provider.fetch)).outcomes);
  };
  assert.deepEqual(await run(true), ["1", "900", "900"]);
  assert.deepEqual(await run(false), ["1", "unknown_outcome", "unknown_outcome"]);
});
