/** HubSpot writes: what is sent, and what each answer means for each record. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { testConnector } from "../../connector-kit/testing/connector-suite.ts";
import type { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { orderWrite } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { classify } from "./classify.ts";
import { write } from "./write.ts";

testConnector(
  "hubspot",
  { write, classify },
  { objectName: "contacts", fields: { firstname: "Ada" }, ids: ["1", "2", "3"], upsertKey: "email" },
);

const contact = (id: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  id,
  properties: { hs_object_id: id, ...properties },
  createdAt: "2026-03-01T10:00:00.000Z",
  updatedAt: "2026-03-01T10:00:00.000Z",
  archived: false,
  ...more,
});
const ids = (outcomes: RecordOutcome[]) =>
  outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.kind));
const onlyError = (outcomes: RecordOutcome[]): ProviderError => {
  const [outcome] = outcomes;
  assert.ok(outcome && !outcome.success);
  return outcome.error;
};

test("a create sends properties and associations and gives back the record as HubSpot shows it", async () => {
  const provider = replay({
    status: 201,
    body: contact("90071992547409931", { firstname: "Ada", age: "36" }),
  });
  const associations = [
    { to: { id: "501" }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 279 }] },
  ];
  const record = { fields: { id: "ignored", firstname: "Ada", age: 36, city: null }, associations };
  const result = await write.write(orderWrite("contacts", "create", record), provider.fetch);
  assert.deepEqual(provider.requests, [
    {
      method: "POST",
      path: "/crm/objects/2026-03/contacts",
      body: { properties: { firstname: "Ada", age: 36, city: "" }, associations },
      repeatable: false,
    },
  ]);
  const [outcome] = result.outcomes;
  assert.ok(outcome?.success);
  assert.equal(outcome.recordId, "90071992547409931");
  assert.deepEqual(outcome.data?.properties, {
    hs_object_id: "90071992547409931",
    firstname: "Ada",
    age: "36",
  });
});

test("an update names the record in the address and can be repeated", async () => {
  const provider = replay({ status: 200, body: contact("7", { firstname: "Ada" }) });
  await write.write(
    orderWrite("contacts", "update", { id: "7", fields: { id: "7", firstname: "Ada" } }),
    provider.fetch,
  );
  assert.deepEqual(provider.requests, [
    {
      method: "PATCH",
      path: "/crm/objects/2026-03/contacts/7",
      body: { properties: { firstname: "Ada" } },
      repeatable: true,
    },
  ]);
});

test("a delete succeeds whether the record was there or not", async () => {
  const gone = await write.write(
    orderWrite("contacts", "delete", { id: "7", fields: {} }),
    replay({ status: 204 }).fetch,
  );
  assert.deepEqual(gone.outcomes, [{ success: true, recordId: "7" }]);
  const never = await write.write(
    orderWrite("contacts", "delete", { id: "7", fields: {} }),
    replay({ status: 404, body: "" }).fetch,
  );
  assert.deepEqual(never.outcomes, [{ success: true, recordId: "7" }]);
  assert.equal(never.warnings.length, 1);
});

test("a duplicate is a conflict that names the record already there", async () => {
  const message = "Contact already exists. Existing ID: 123";
  const provider = replay({ status: 409, body: { status: "error", message, category: "CONFLICT" } });
  const result = await write.write(
    orderWrite("contacts", "create", { fields: { email: "a@b.example" } }),
    provider.fetch,
  );
  const error = onlyError(result.outcomes);
  assert.equal(error.kind, "conflict");
  assert.equal(error.message, message);
  assert.match(result.rawResponse ?? "", /CONFLICT/);
});

const unknownProperty = (...names: string[]): JsonObject => {
  const entries = names.map((name) => ({
    isValid: false,
    message: `Property "${name}" does not exist`,
    error: "PROPERTY_DOESNT_EXIST",
    name,
  }));
  return {
    status: "error",
    message: `Property values were not valid: ${JSON.stringify(entries)}`,
    category: "VALIDATION_ERROR",
    // HubSpot lists fewer here than in the text.
    errors: entries.slice(0, 1).map((entry) => ({
      message: entry.message,
      code: entry.error,
      context: { propertyName: [entry.name] },
    })),
  };
};

test("a refusal for properties is reported in sentences, not as JSON in a text", async () => {
  const provider = replay({ status: 400, body: unknownProperty("shoe", "hat") });
  const error = onlyError(
    (await write.write(orderWrite("contacts", "create", { fields: { shoe: 1 } }), provider.fetch)).outcomes,
  );
  assert.equal(error.kind, "invalid");
  assert.equal(error.code, "PROPERTY_DOESNT_EXIST");
  assert.equal(error.message, 'Property "shoe" does not exist; Property "hat" does not exist');
});

test("missing scopes are named, wherever HubSpot puts them", () => {
  const message = "One or more of the following scopes are required.";
  for (const place of [
    { context: { requiredGranularScopes: ["crm.objects.deals.write"] } },
    { errors: [{ context: { requiredGranularScopes: ["crm.objects.deals.write"] } }] },
  ]) {
    const text = JSON.stringify({ status: "error", category: "MISSING_SCOPES", message, ...place });
    const error = classify({ status: 403, headers: {}, text });
    assert.equal(error?.kind, "forbidden");
    assert.match(error?.message ?? "", /crm\.objects\.deals\.write/);
  }
});

test("a used up quota says when it is worth trying again", (t) => {
  const nowMs = Date.now();
  t.mock.method(Date, "now", () => nowMs);
  const waitMs = (status: number, body: JsonObject, headers = {}, timeZone?: string) => {
    const error = classify({ status, headers, text: JSON.stringify(body) }, { timeZone });
    return (error?.retryAt?.getTime() ?? 0) - nowMs;
  };
  const near = (actual: number, wantedMs: number) =>
    assert.ok(Math.abs(actual - wantedMs) < 1000, `${actual}`);
  const rolling = {
    message: "You have reached your ten_secondly_rolling limit.",
    policyName: "TEN_SECONDLY_ROLLING",
  };
  near(waitMs(429, rolling), 10_000);
  near(waitMs(429, rolling, { "x-hubspot-ratelimit-interval-milliseconds": "5000" }), 5000);
  near(waitMs(429, { message: "You have reached your ten_secondly_rolling limit." }), 10_000);
  near(waitMs(429, { message: "You have reached your secondly limit.", policyName: "SECONDLY" }), 1000);
  near(waitMs(423, { message: "locked" }), 2000);
  near(waitMs(477, {}, { "retry-after": "120" }), 120_000);
  near(waitMs(477, {}), 3_600_000);

  const daily = {
    message: "You have reached your daily limit.",
    policyName: "DAILY",
    errorType: "RATE_LIMIT",
  };
  const error = classify(
    { status: 429, headers: {}, text: JSON.stringify(daily) },
    { timeZone: "Asia/Kolkata" },
  );
  assert.equal(error?.retryAt?.toISOString().slice(11), "18:30:00.000Z");
  const utc = classify({ status: 429, headers: {}, text: JSON.stringify(daily) });
  assert.equal(utc?.retryAt?.toISOString().slice(11), "00:00:00.000Z");
});

test("a create that a gateway gave up waiting for is not reported as failed", async () => {
  const create = orderWrite("contacts", "create", { fields: { firstname: "Ada" } });
  const update = orderWrite("contacts", "update", { id: "7", fields: { firstname: "Ada" } });
  await assert.rejects(write.write(create, replay({ status: 504, body: "<html>" }).fetch), {
    kind: "unknown_outcome",
  });
  await assert.rejects(write.write(update, replay({ status: 504, body: "<html>" }).fetch), {
    kind: "unavailable",
  });
  // A page of something in between proves nothing; a refusal with a time to come back does.
  await assert.rejects(write.write(create, replay({ status: 503, body: "<html>" }).fetch), {
    kind: "unknown_outcome",
  });
  const later = { status: 503, body: "", headers: { "retry-after": "7" } };
  await assert.rejects(write.write(create, replay(later).fetch), { kind: "unavailable" });
  await assert.rejects(write.write(create, replay({ status: 200, body: "<html>" }).fetch), {
    kind: "unreadable",
  });
});

test("a create that was stored, then answered with an error of the server, is neither failed nor to be repeated", async () => {
  const create = orderWrite("contacts", "create", { fields: { firstname: "Ada" } });
  const update = orderWrite("contacts", "update", { id: "7", fields: { firstname: "Ada" } });
  for (const status of [500, 501, 408, 520]) {
    const body = {
      status: "error",
      message: "internal error",
      correlationId: "aeb5f871-7f07-4993-9211-075dc63e7cbf",
    };
    await assert.rejects(write.write(create, replay({ status, body }).fetch), { kind: "unknown_outcome" });
    await assert.rejects(write.write(update, replay({ status, body }).fetch), (error: ProviderError) =>
      ["unavailable", "timeout"].includes(error.kind),
    );
  }
});

test("values are read a hundred at a time and found by id, in any order", async () => {
  const wanted = Array.from({ length: 150 }, (_, index) => String(index + 1));
  const provider = replay((request) => {
    const { inputs } = request.body as { inputs: { id: string }[] };
    const results = inputs
      .filter(({ id }) => id !== "3")
      .map(({ id }) => contact(id, { city: id === "2" ? "" : "Ulm" }));
    const errors = [
      { status: "error", category: "OBJECT_NOT_FOUND", message: "gone", context: { ids: ["3"] } },
    ];
    return { status: 207, body: { status: "COMPLETE", results: results.toReversed(), errors } };
  });
  const found = await write.readFields(
    { objectName: "contacts", ids: wanted, fields: ["city"] },
    provider.fetch,
  );
  assert.deepEqual(
    provider.requests.map(({ body }) => (body as { inputs: unknown[] }).inputs.length),
    [100, 50],
  );
  assert.equal(found.size, 149);
  assert.equal(found.get("150")?.city, "Ulm");
  assert.equal(found.has("3"), false);
  assert.ok(write.isEmpty(found.get("2")?.city));
  assert.ok(write.isEmpty(found.get("2")?.never_set));
  assert.ok(!write.isEmpty("0") && !write.isEmpty("false") && !write.isEmpty(0));
});

test("a batch of one still uses the batch form, and a batch of deletes goes one by one", async () => {
  const [request] = write.prepare({ ...orderWrite("contacts", "create", { fields: {} }), batch: true });
  assert.equal(request?.path, "/crm/objects/2026-03/contacts/batch/create");
  const provider = replay({ status: 204 });
  const records = ["1", "2"].map((id) => ({ id, fields: {} }));
  const result = await write.write(
    { ...orderWrite("contacts", "delete", { fields: {} }), batch: true, records },
    provider.fetch,
  );
  assert.deepEqual(ids(result.outcomes), ["1", "2"]);
});

test("several choices go out as one text with semicolons, none as an empty one", async () => {
  const fields = { interests: ["tea", "chess"], sizes: [1, 2], none: [], one: ["x"] };
  const provider = replay({ status: 201, body: contact("1", {}) });
  await write.write(orderWrite("contacts", "create", { fields }), provider.fetch);
  assert.deepEqual(provider.requests[0]?.body, {
    properties: { interests: "tea;chess", sizes: "1;2", none: "", one: "x" },
  });
});
