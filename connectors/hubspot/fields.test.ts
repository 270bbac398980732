/** HubSpot properties: definitions as its API takes them, differences only, and everything it cannot hold. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../ground/json.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { FieldDefinition, FieldRequest } from "../../connector-kit/fields.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { fields } from "./fields.ts";
import { readProperty } from "./property.ts";
import { planProperty } from "./property-plan.ts";

const busbar = (definition: Partial<FieldDefinition> = {}): FieldRequest => ({
  objectName: "contacts",
  definition: { fieldName: "score", displayName: "Score", valueType: "string", ...definition },
});
const property = (more: JsonObject = {}): JsonObject => ({
  name: "score",
  label: "Score",
  description: "",
  type: "string",
  fieldType: "text",
  options: [],
  ...more,
});
const plan = (definition: Partial<FieldDefinition>, existing?: JsonObject) =>
  planProperty(busbar(definition), existing && readProperty(property(existing)));
const choice = (valueType: FieldDefinition["valueType"], ...values: string[]): Partial<FieldDefinition> => ({
  valueType,
  stringOptions: { values },
});
const listed = (...results: Json[]): Reply => ({ status: 200, body: { results } });
const GROUP: Reply = { status: 200, body: { name: "integrationcreatedproperties" } };

test("a patch holds what differs and nothing else", () => {
  assert.equal(plan({}, {}).body, undefined);
  assert.equal(plan({}, { description: "kept", fieldType: "textarea" }).body, undefined);
  assert.deepEqual(plan({ displayName: "Points" }, {}).body, { label: "Points" });
  assert.deepEqual(plan({ description: "How good" }, { description: "?" }).body, { description: "How good" });
});

test("HubSpot's own definitions are not touched, which is reported", () => {
  const own = { modificationMetadata: { readOnlyDefinition: true, readOnlyValue: true } };
  const { body, outcome } = plan({ displayName: "Points", description: "x" }, own);
  assert.equal(body, undefined);
  assert.match(outcome.warnings.join(), /its label and description cannot be changed/);
  assert.match(outcome.warnings.join(), /set by HubSpot alone/);
  const select = { ...own, type: "enumeration", fieldType: "select" };
  assert.match(plan(choice("singleSelect", "a"), select).outcome.warnings.join(), /lacks the values a/);
  const open = { ...select, modificationMetadata: { readOnlyDefinition: true, readOnlyOptions: false } };
  assert.deepEqual(plan(choice("singleSelect", "a"), open).body, {
    options: [{ label: "a", value: "a", displayOrder: 1, hidden: false }],
  });
});

test("options of the customer's are sent back as they came, new ones behind them", () => {
  const options: JsonObject[] = [
    { label: "Gold!", value: "gold", displayOrder: 5, hidden: true, description: "best" },
    { label: "Tin", value: "tin", displayOrder: 2, hidden: false },
  ];
  const { body } = plan(choice("multiSelect", "gold", "iron"), {
    type: "enumeration",
    fieldType: "checkbox",
    options,
  });
  const iron = { label: "iron", value: "iron", displayOrder: 6, hidden: false };
  assert.deepEqual(body, { options: [...options, iron] });
});

test("a property of another type is a conflict with a remedy; numbers are of one type", () => {
  assert.equal(plan({ valueType: "int" }, { type: "number", fieldType: "number" }).outcome.error, undefined);
  assert.equal(plan({}, { type: "phone_number", fieldType: "phonenumber" }).outcome.error, undefined);
  const error = plan({ valueType: "date" }, { type: "datetime", fieldType: "date" }).outcome.error;
  assert.equal(error?.kind, "conflict");
  assert.match(error?.message ?? "", /define it as datetime, or choose another fieldName/);
  const select = { type: "enumeration", fieldType: "select" };
  assert.match(plan(choice("multiSelect", "a"), select).outcome.error?.message ?? "", /as a singleSelect/);
});

test("a long text is a text area, a text with values a choice, a unique one unique", () => {
  assert.equal(plan({ stringOptions: { length: 2_000 } }).body?.fieldType, "textarea");
  assert.equal(plan({ stringOptions: { values: ["a"] } }).body?.type, "enumeration");
  assert.equal(plan({ unique: true }).body?.hasUniqueValue, true);
  const { warnings } = plan({ unique: true }, {}).outcome;
  assert.match(warnings.join(), /does not change that once a property exists/);
});

test("names, references and choices that HubSpot could never hold are faults", () => {
  const members = (definition: Partial<FieldDefinition>) =>
    fields.check(busbar(definition)).map(({ member }) => member);
  for (const fieldName of ["1a", "a b", "a-b", "_a", "ä", "a".repeat(101)])
    assert.deepEqual(members({ fieldName }), ["fieldName"], fieldName);
  const association = { associationType: "lookup", targetObject: "companies" };
  assert.deepEqual(members({ association }), ["association"]);
  const values = (list: string[]) => ({ valueType: "multiSelect", stringOptions: { values: list } }) as const;
  assert.deepEqual(members(values(["a", "a"])), ["stringOptions.values"]);
  assert.deepEqual(members(values(["a;b"])), ["stringOptions.values"]);
  assert.equal(fields.check({ ...busbar(), objectName: "../x" })[0]?.member, "");
});

test("a missing group is made, and its 404 without a body is understood", async () => {
  const provider = replay(
    listed(),
    { status: 404 },
    { status: 201, body: {} },
    { status: 201, body: { results: [property()] } },
  );
  const [outcome] = await fields.upsert([busbar()], provider.fetch);
  assert.equal(outcome?.action, "create");
  assert.equal(outcome?.error, undefined);
  assert.deepEqual(provider.requests[2]?.body, {
    name: "integrationcreatedproperties",
    label: "Integration Created Properties",
  });
});

test("results of a batch are matched by name, and a property made meanwhile is changed instead", async () => {
  const taken = {
    category: "OBJECT_ALREADY_EXISTS",
    message: "A property named 'score' already exists.",
    context: { name: ["score"] },
  };
  const provider = replay(
    listed(),
    GROUP,
    { status: 207, body: { results: [property({ name: "other" })], errors: [taken] } },
    { status: 200, body: property({ label: "Elsewhere" }) },
    { status: 200, body: property() },
  );
  const outcomes = await fields.upsert([busbar(), busbar({ fieldName: "other" })], provider.fetch);
  assert.deepEqual(
    outcomes.map(({ fieldName, action, error }) => [fieldName, action, error]),
    [
      ["score", "update", undefined],
      ["other", "create", undefined],
    ],
  );
  assert.deepEqual(provider.requests.at(-1)?.body, { label: "Score" });
});

test("what no answer mentions is reported as unknown", async () => {
  const provider = replay(listed(), GROUP, { status: 207, body: { results: [], errors: [] } });
  const [outcome] = await fields.upsert([busbar()], provider.fetch);
  assert.equal(outcome?.error?.kind, "unknown_outcome");
});

test("an outage before anything was written is thrown, one after it is reported field by field", async () => {
  const down: Reply = { status: 503 };
  await assert.rejects(fields.upsert([busbar()], replay(listed(), GROUP, down).fetch), ProviderError);
  const requests = [busbar(), busbar({ fieldName: "b" })];
  const first = replay(
    listed(property({ label: "x" }), property({ name: "b", label: "y" })),
    { status: 200, body: property() },
    down,
  );
  const outcomes = await fields.upsert(requests, first.fetch);
  assert.deepEqual(
    outcomes.map(({ action, error }) => [action, error?.kind]),
    [
      ["update", undefined],
      ["none", "unavailable"],
    ],
  );
});

test("a description holds kinds, choices, references and the stages of pipelines", async () => {
  const stage = property({
    name: "dealstage",
    type: "enumeration",
    fieldType: "radio",
    externalOptions: true,
  });
  const owner = property({
    name: "owner",
    type: "enumeration",
    fieldType: "select",
    referencedObjectType: "OWNER",
    hubspotDefined: true,
    modificationMetadata: { readOnlyValue: true },
  });
  const provider = replay(
    listed(stage, owner, property({ type: "date", fieldType: "date" })),
    { status: 403, body: { message: "no scope", category: "MISSING_SCOPES" } },
    listed({ id: "p", label: "Sales", stages: [{ id: "s1", label: "New" }] }),
  );
  const { displayName, fields: described } = await fields.describe("deals", provider.fetch);
  assert.equal(displayName, "Deals");
  assert.deepEqual(described["dealstage"]?.values, [{ value: "s1", displayValue: "New" }]);
  assert.equal(described["score"]?.valueType, "date");
  assert.deepEqual(described["owner"], {
    fieldName: "owner",
    displayName: "Score",
    valueType: "reference",
    providerType: "enumeration",
    readOnly: true,
    isCustom: false,
    isRequired: false,
    referenceTo: ["OWNER"],
  });
});
