/**
 * What HubSpot's answers mean that are no success, and what records are made of. Forms and words: `Error`, `StandardError`, `SimplePublicObject` and
 * `ForwardPaging` of HubSpot-public-api-spec-collection, 2026-08-21 (CRM contacts, 2026-03); developers.hubspot.com/docs/api-reference/error-handling and
 * /changelog/upcoming-changes-to-error-responses, read 2026-11-27.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordOutcome, RecordToWrite, RecordWrite } from "../../connector-kit/connector.ts";
import { planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import type { Json, JsonObject } from "../../ground/json.ts";
import { classify } from "./classify.ts";
import { readFault, toRecordError } from "./fault.ts";
import { read } from "./read.ts";
import { write } from "./write.ts";

const toRefusal = (status: number, body: JsonObject, path = "/crm/objects/2026-03/contacts") =>
  classify({ path, status, headers: {}, text: JSON.stringify(body) });

test("a status that is no success is never taken for one, and a moved account is waited for", () => {
  assert.equal(toRefusal(300, { message: "Multiple choices" })?.kind, "unavailable");
  const moved = toRefusal(477, { status: "error", message: "Migration in progress" });
  assert.equal(moved?.kind, "unavailable");
  assert.equal(toRefusal(429, { message: "Too many requests" })?.kind, "rate_limited");
  assert.equal(toRefusal(404, { category: "OBJECT_NOT_FOUND" })?.message, "OBJECT_NOT_FOUND");
});

test("a category blames HubSpot's servers by a word, not by a part of another one", () => {
  const readKind = (category: string) => {
    const fault = readFault({ category, message: "oops" });
    return fault && toRecordError(fault).kind;
  };
  for (const category of ["INTERNAL_ERROR", "SERVER_ERROR", "REQUEST_TIMEOUT", "SERVICE_UNAVAILABLE"])
    assert.equal(readKind(category), "unavailable", category);
  for (const category of ["UNSUPPORTED_OBSERVER", "INTERNALLY_MANAGED_PROPERTY"])
    assert.equal(readKind(category), "invalid", category);
});

test("the limit of searches stops searches alone, that of an account stops everything", () => {
  const secondly = { message: "You have reached your secondly limit.", policyName: "SECONDLY" };
  const isPartial = (body: JsonObject, path?: string) => toRefusal(429, body, path)?.isPartialLimit;
  const search = "/crm/objects/2026-03/contacts/search";
  assert.equal(isPartial(secondly, search), true);
  assert.equal(isPartial({ message: "Too many requests", policyName: "SECONDLY" }, search), true);
  assert.equal(isPartial(secondly), false);
  const rolling = {
    message: "You have reached your ten_secondly_rolling limit.",
    policyName: "TEN_SECONDLY_ROLLING",
  };
  assert.equal(isPartial(rolling, search), false);
});

test("missing scopes are named as HubSpot's files call them, too", () => {
  const context = { missingScopes: ["crm.objects.deals.read", "crm.objects.deals.write"] };
  const error = toRefusal(403, {
    message: "One or more scopes are required.",
    category: "MISSING_SCOPES",
    context,
  });
  assert.match(error?.message ?? "", /Missing: crm\.objects\.deals\.read, crm\.objects\.deals\.write/);
});

test("an error that names neither a property nor a code has the category as its code", () => {
  const detail = { message: "This is an example description.", code: "example-value", in: "example-value" };
  const body = {
    message: "Invalid input (details will vary based on the error)",
    category: "VALIDATION_ERROR",
  };
  assert.equal(toRefusal(400, { ...body, errors: [detail] })?.code, "example-value");
  assert.equal(toRefusal(400, body)?.code, "VALIDATION_ERROR");
});

const batch = (type: RecordWrite["type"], records: RecordToWrite[]): RecordWrite => ({
  objectName: "contacts",
  type,
  batch: true,
  records,
  allOrNone: false,
  headers: {},
});
const mixed = (results: Json[], errors: Json[]): Reply => ({
  status: 207,
  body: { status: "COMPLETE", results, numErrors: errors.length, errors },
});
const reported = (outcomes: RecordOutcome[]) =>
  outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.kind));
const standardError = (category: string, context: JsonObject): JsonObject => ({
  status: "error",
  category,
  message: "a reason",
  context,
  errors: [],
  links: {},
});

test("each entry of a batch's errors is about the inputs whose trace ids or ids it names, and its category says what it is", async () => {
  const kinds = {
    VALIDATION_ERROR: "invalid",
    CONFLICT: "conflict",
    OBJECT_NOT_FOUND: "not_found",
    MISSING_SCOPES: "forbidden",
    RATE_LIMITS: "rate_limited",
  };
  const records = Object.keys(kinds).map((name) => ({ fields: { email: `${name}@example.com` } }));
  const errors = Object.keys(kinds).map((category, index) =>
    standardError(category, { objectWriteTraceId: [String(index)] }),
  );
  const created = await write.write(batch("create", records), replay(mixed([], errors.toReversed())).fetch);
  assert.deepEqual(reported(created.outcomes), Object.values(kinds));
  const known = Object.keys(kinds).map((name, index) => ({
    id: `${index + 1}`,
    fields: { email: `${name}@example.com` },
  }));
  const byId = Object.keys(kinds).map((category, index) =>
    standardError(category, { ids: [`${index + 1}`] }),
  );
  const updated = await write.write(batch("update", known), replay(mixed([], byId.toReversed())).fetch);
  assert.deepEqual(reported(updated.outcomes), Object.values(kinds));
});

const contact = (id: Json, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  id,
  properties,
  createdAt: "2026-03-01T10:00:00.000Z",
  updatedAt: "2026-03-02T10:00:00.000Z",
  archived: false,
  ...more,
});

test("a result belongs to the input of its trace id, whatever properties it shows", async () => {
  const records = ["a", "b"].map((text) => ({ fields: { note: text } }));
  const results = [
    contact("11", {}, { objectWriteTraceId: "1" }),
    contact("10", {}, { objectWriteTraceId: "0" }),
  ];
  const { outcomes } = await write.write(
    batch("create", records),
    replay({ status: 201, body: { results } }).fetch,
  );
  assert.deepEqual(reported(outcomes), ["10", "11"]);
  const [first] = outcomes;
  assert.ok(first?.success);
  assert.equal(first.changeTime?.toISOString(), "2026-03-02T10:00:00.000Z");
  assert.deepEqual(Object.keys(first.data ?? {}), ["id", "properties", "createdAt", "updatedAt", "archived"]);
});

test("a property that cannot be written fails the records that have it, and no other", async () => {
  const message = 'Property "hs_object_id" is read only';
  const entry = { isValid: false, message, error: "READ_ONLY_VALUE", name: "hs_object_id" };
  const provider = replay(
    {
      status: 400,
      body: {
        message: `Property values were not valid: ${JSON.stringify([entry])}`,
        category: "VALIDATION_ERROR",
      },
    },
    { status: 201, body: { results: [contact("1", { email: "a@example.com" })] } },
  );
  const records: RecordToWrite[] = [
    { fields: { email: "a@example.com" } },
    { fields: { email: "b@example.com", hs_object_id: "7" } },
  ];
  const { outcomes } = await write.write(batch("create", records), provider.fetch);
  assert.deepEqual(reported(outcomes), ["1", "invalid"]);
  assert.equal(provider.requests.length, 2);
});

test("a record has its members beside its properties, and the time of the answer where no property tells one", async () => {
  const page = { results: [contact(90_071, { email: "ada@example.com" })], paging: {} };
  const { records, next } = await read.readPage(
    planRead("contacts"),
    undefined,
    replay({ status: 200, body: page }).fetch,
  );
  assert.equal(next, undefined);
  assert.equal(records[0]?.id, "90071");
  assert.equal(records[0]?.changeTime?.toISOString(), "2026-03-02T10:00:00.000Z");
  assert.deepEqual(records[0]?.values, {
    id: 90_071,
    createdAt: "2026-03-01T10:00:00.000Z",
    updatedAt: "2026-03-02T10:00:00.000Z",
    archived: false,
    email: "ada@example.com",
  });
});

test("a next page without a cursor, which HubSpot's file requires, is broken and not the end", async () => {
  const page = { results: [contact("1", {})], paging: { next: {} } };
  await assert.rejects(
    read.readPage(planRead("contacts"), undefined, replay({ status: 200, body: page }).fetch),
    {
      kind: "unreadable",
    },
  );
});

test("members of records are no properties: they are not asked for by name", async () => {
  const provider = replay({ status: 200, body: { results: [] } });
  const fields = ["id", "createdAt", "updatedAt", "archived", "archivedAt", "url", "email"];
  await read.readPage(planRead("contacts", { fields }), undefined, provider.fetch);
  assert.match(provider.requests[0]?.path ?? "", /properties=email,lastmodifieddate$/);
});

test("each name of contacts has the contacts' property of the last change", async () => {
  for (const name of ["contact", "0-1", "contacts"]) {
    const provider = replay({ status: 200, body: { results: [] } });
    await read.readPage(planRead(name, { fields: ["email"] }), undefined, provider.fetch);
    assert.match(provider.requests[0]?.path ?? "", /properties=email,lastmodifieddate$/);
  }
});

test("a search takes six filters: four of the caller beside the time and the id", async () => {
  const provider = replay({ status: 200, body: { total: 0, results: [] } });
  const filters = ["a", "b", "c", "d", "e"].map((fieldName) => ({ fieldName, value: "x" }));
  const plan = planRead("contacts", { until: new Date("2026-03-01T00:00:00Z"), filters });
  await read.readPage(plan, { way: "search", lastId: "7" }, provider.fetch);
  const body = provider.requests[0]?.body as { filterGroups: { filters: JsonObject[] }[] };
  assert.deepEqual(body.filterGroups[0]?.filters, [
    { propertyName: "lastmodifieddate", operator: "LTE", value: "1772323200000" },
    { propertyName: "hs_object_id", operator: "GT", value: "7" },
    ...["a", "b", "c", "d"].map((propertyName) => ({ propertyName, operator: "EQ", value: "x" })),
  ]);
});
