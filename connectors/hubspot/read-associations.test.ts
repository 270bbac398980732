/** HubSpot's associations: long lists, large ids, faults of single records. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../ground/json.ts";
import type { SourceRecord } from "../../connector-kit/read-connector.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { addAssociations } from "./read-associations.ts";

const plan = { objectName: "contacts", associations: ["companies"] };
const records = (...ids: string[]): SourceRecord[] => ids.map((id) => ({ id, raw: {}, values: {} }));
const answer = (results: Json[], errors: JsonObject[] = []) => ({ status: 207, body: { results, errors } });
const of = (id: string, to: JsonObject[], after?: string): JsonObject => ({
  from: { id },
  to,
  ...(after !== undefined && { paging: { next: { after } } }),
});
const target = (toObjectId: Json, label: string | null = null): JsonObject => ({
  toObjectId,
  associationTypes: [{ category: "HUBSPOT_DEFINED", typeId: 279, label }],
});

test("lists that go on are read to their end, and records without any have none", async () => {
  const none = { category: "OBJECT_NOT_FOUND", message: "No company is associated with contact 3." };
  const provider = replay(
    answer([of("1", [target(601, "Primary")], "NTAw"), of("2", [target("602")])], [none]),
    answer([of("1", [target(603)])]),
  );
  const page = records("1", "2", "3");
  await addAssociations(plan, page, provider.fetch);
  assert.deepEqual(
    page.map(({ associations }) => associations?.companies?.map(({ id }) => id)),
    [["601", "603"], ["602"], undefined],
  );
  const type = { category: "HUBSPOT_DEFINED", typeId: 279 };
  assert.deepEqual(
    page[0]?.associations?.companies?.map(({ metadata }) => metadata),
    [{ associationTypes: [{ ...type, label: "Primary" }] }, { associationTypes: [type] }],
  );
  assert.deepEqual(provider.requests[1]?.body, { inputs: [{ id: "1", after: "NTAw" }] });
});

const notFound = { status: "error", category: "OBJECT_NOT_FOUND", message: "resource not found" };

test("at most 100 sources are sent at a time, and HubSpot's answer that nothing was found means none", async () => {
  const provider = replay({ status: 404, body: notFound });
  const page = records(...Array.from({ length: 201 }, (_, index) => String(index + 1)));
  await addAssociations(plan, page, provider.fetch);
  assert.equal(provider.requests.length, 3);
  assert.ok(page.every(({ associations }) => associations === undefined));
});

/**
 * The answer of the batch is that of batch reads (`BatchResponsePublicAssociationMultiWithLabel…` of HubSpot-public-api-spec-collection,
 * 2026-08-21): a state, and errors of any category beside the results. A record without associations is not one of which they are unknown.
 */
test("associations that HubSpot could not read, or an address that is not there, are not called none", async () => {
  const errors: [JsonObject, string][] = [
    [{ category: "INTERNAL", message: "oops" }, "unavailable"],
    [{ category: "RATE_LIMITS", message: "later" }, "rate_limited"],
    [{ category: "VALIDATION_ERROR", message: "no" }, "invalid"],
    [{ subCategory: "crm.associations.TIMEOUT" }, "unreadable"],
  ];
  for (const [error, kind] of errors) {
    const { fetch } = replay(answer([of("1", [target(601)])], [{ status: "error", ...error }]));
    await assert.rejects(addAssociations(plan, records("1", "2"), fetch), { kind });
  }
  for (const status of ["CANCELED", "PENDING", "PROCESSING"]) {
    const { fetch } = replay({ status: 200, body: { status, results: [] } });
    await assert.rejects(addAssociations(plan, records("1"), fetch), { kind: "unavailable" });
  }
  const gone = { status: "error", message: "Unable to infer object type from: widgets" };
  for (const reply of [{ status: 404 }, { status: 404, body: gone }])
    await assert.rejects(addAssociations(plan, records("1"), replay(reply).fetch), { kind: "not_found" });
});

test("ids too large for a number stay exact", async () => {
  const text =
    '{"results":[{"from":{"id":"1"},"to":[{"toObjectId": 9007199254740993,"associationTypes":[]}]}]}';
  const page = records("1");
  await addAssociations(plan, page, replay({ status: 200, body: text }).fetch);
  assert.equal(page[0]?.associations?.companies?.[0]?.id, "9007199254740993");
});

test("lists without an end, wrong types and missing scopes end with their reason", async () => {
  const endless = replay(answer([of("1", [target(1)], "x")]));
  await assert.rejects(addAssociations(plan, records("1"), endless.fetch), { kind: "unreadable" });
  for (const result of [null, {}, of("1", [{}]), { from: { id: "1" }, to: 7 }]) {
    const provider = replay(answer([result]));
    await assert.rejects(addAssociations(plan, records("1"), provider.fetch), { kind: "unreadable" });
  }
  const scopes = replay(answer([], [{ category: "MISSING_SCOPES", message: "no" }]));
  await assert.rejects(addAssociations(plan, records("1"), scopes.fetch), { kind: "forbidden" });
});
