// HubSpot property definitions, groups, schemas, pipelines and associations between records.

import assert from "node:assert/strict";
import { test } from "node:test";
import { getAt, openCaller, readList, openSandbox, readText } from "../test-client.ts";

const sandbox = await openSandbox({ limits: "off" });
const call = openCaller(sandbox.hubspot.url, sandbox.hubspot.staticToken);

const PROPERTIES = "/crm/v3/properties/contacts";

function definition(name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { name, label: name, type: "string", fieldType: "text", groupName: "contactinformation", ...more };
}

const OPTIONS = [
  { label: "Art", value: "art" },
  { label: "Travel", value: "travel", displayOrder: 1 },
];

test("a missing group is a 404 without a body until it is created", async () => {
  const missing = await call("GET", `${PROPERTIES}/groups/mine`);
  assert.equal(missing.status, 404);
  assert.equal(missing.text, "");
  const created = await call("POST", `${PROPERTIES}/groups`, { name: "mine", label: "Mine" });
  assert.equal(created.status, 201);
  assert.equal((await call("GET", `${PROPERTIES}/groups/mine`)).status, 200);
  assert.equal((await call("POST", `${PROPERTIES}/groups`, { name: "mine" })).status, 409);
});

test("sensitive properties are listed only where their level is asked for", async () => {
  const made = await call("POST", PROPERTIES, definition("passport", { dataSensitivity: "sensitive" }));
  assert.equal(made.status, 201);
  const listNames = async (query: string) =>
    readList((await call("GET", `${PROPERTIES}${query}`)).json, "results").map((one) => one["name"]);
  assert.equal((await listNames("")).includes("passport"), false);
  assert.deepEqual(await listNames("?dataSensitivity=sensitive"), ["passport"]);
  assert.deepEqual(await listNames("?dataSensitivity=highly_sensitive"), []);
});

test("batch create makes the new ones and reports the taken names", async () => {
  const inputs = [definition("hobby__c"), definition("score", { type: "number", fieldType: "number" })];
  const first = await call("POST", `${PROPERTIES}/batch/create`, { inputs });
  assert.equal(first.status, 201);
  const second = await call("POST", `${PROPERTIES}/batch/create`, {
    inputs: [...inputs, definition("third")],
  });
  assert.equal(second.status, 207);
  assert.deepEqual(
    readList(second.json, "results").map((one) => one["name"]),
    ["third"],
  );
  assert.deepEqual(
    readList(second.json, "errors").map((one) => getAt(one, "context.name.0")),
    ["hobby__c", "score"],
  );
  assert.equal(getAt(second.json, "errors.0.subCategory"), "Properties.PROPERTY_WITH_NAME_EXISTS");
  const written = await call("POST", "/crm/v3/objects/contacts", {
    properties: { hobby__c: "chess", score: 4 },
  });
  assert.equal(written.status, 201);
});

test("definitions that break a rule are refused", async () => {
  const refused = [
    definition("Upper"),
    definition("nogroup", { groupName: "absent" }),
    definition("when", { type: "datetime", fieldType: "datetime" }),
    definition("choice", { type: "enumeration", fieldType: "select" }),
    definition("flag", { type: "bool", fieldType: "booleancheckbox", options: OPTIONS }),
  ];
  for (const body of refused)
    assert.equal((await call("POST", PROPERTIES, body)).status, 400, JSON.stringify(body));
  assert.equal((await call("POST", PROPERTIES, definition("email"))).status, 409);
});

test("options given in an update replace the list, omitted ones keep it", async () => {
  const choice = definition("topics", { type: "enumeration", fieldType: "checkbox", options: OPTIONS });
  const created = await call("POST", PROPERTIES, choice);
  assert.deepEqual(
    readList(created.json, "options").map((option) => option["displayOrder"]),
    [2, 1],
  );
  await call("PATCH", `${PROPERTIES}/topics`, { label: "Topics" });
  assert.equal(readList((await call("GET", `${PROPERTIES}/topics`)).json, "options").length, 2);
  await call("PATCH", `${PROPERTIES}/topics`, { options: [{ label: "Music", value: "music" }] });
  const refused = await call("POST", "/crm/v3/objects/contacts", { properties: { topics: "art" } });
  assert.equal(getAt(refused.json, "errors.0.code"), "INVALID_OPTION");
  assert.equal(
    (await call("PATCH", `${PROPERTIES}/topics`, { type: "string", fieldType: "text" })).status,
    400,
  );
});

test("an archived name can be created again", async () => {
  await call("POST", PROPERTIES, definition("once"));
  assert.equal((await call("DELETE", `${PROPERTIES}/once`)).status, 204);
  assert.equal((await call("GET", `${PROPERTIES}/once`)).status, 404);
  assert.equal((await call("POST", PROPERTIES, definition("once"))).status, 201);
});

test("a unique property of one's own finds records and conflicts", async () => {
  await call("POST", PROPERTIES, definition("badge", { hasUniqueValue: true }));
  await call("PATCH", "/crm/v3/objects/contacts/501", { properties: { badge: "B1" } });
  assert.equal(getAt((await call("GET", "/crm/v3/objects/contacts/B1?idProperty=badge")).json, "id"), "501");
  assert.equal(
    (await call("PATCH", "/crm/v3/objects/contacts/502", { properties: { badge: "b1" } })).status,
    409,
  );
  assert.equal((await call("GET", "/crm/v3/objects/contacts/x?idProperty=city")).status, 400);
});

test("schemas and pipelines tell the account's shape", async () => {
  const schemas = await call("GET", "/crm-object-schemas/2026-03/schemas");
  assert.deepEqual(
    readList(schemas.json, "results").map((one) => one["fullyQualifiedName"]),
    ["p4100410_machines"],
  );
  const made = await call("POST", "/crm/v3/schemas", {
    name: "boats",
    requiredProperties: ["title"],
    properties: [{ name: "title", label: "Title" }],
  });
  const typeId = readText(made.json, "objectTypeId");
  assert.equal(
    (await call("POST", `/crm/v3/objects/${typeId}`, { properties: { title: "Ann" } })).status,
    201,
  );
  const pipelines = await call("GET", "/crm/pipelines/2026-03/deals");
  assert.equal(getAt(pipelines.json, "results.0.id"), "default");
  assert.equal(readList(pipelines.json, "results.0.stages").length, 7);
});

test("associations can be written in batches, and bad ids are reported per input", async () => {
  const types = [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 279 }];
  const inputs = [
    { from: { id: "504" }, to: { id: "603" }, types },
    { from: { id: "oops" }, to: { id: "603" }, types },
  ];
  const answer = await call("POST", "/crm/associations/2026-03/contacts/companies/batch/create", { inputs });
  assert.equal(answer.status, 207);
  assert.equal(getAt(answer.json, "results.0.toObjectId"), 603);
  assert.equal(getAt(answer.json, "errors.0.subCategory"), "crm.associations.INVALID_IDENTIFIER");
  const seen = await call("POST", "/crm/v4/associations/companies/contacts/batch/read", {
    inputs: [{ id: "603" }, { id: "602" }, { id: "999" }],
  });
  assert.equal(getAt(seen.json, "results.0.to.0.associationTypes.0.typeId"), 280);
  assert.equal(getAt(seen.json, "errors.0.subCategory"), "crm.associations.NO_ASSOCIATIONS_FOUND");
  const removed = await call("DELETE", "/crm/v4/objects/contacts/504/associations/companies/603");
  assert.equal(removed.status, 204);
  const put = await call("PUT", "/crm/v4/objects/contacts/504/associations/default/companies/603");
  assert.equal(put.status, 200);
  const labels = await call("GET", "/crm/v4/associations/contacts/companies/labels");
  assert.deepEqual(
    readList(labels.json, "results").map((label) => label["typeId"]),
    [279, 1, 931],
  );
});
