// Single Salesforce records: shapes, checks, refusals, duplicates, upsert.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { startSandbox } from "../sandbox.ts";
import { getAt, openCaller, readList, openSandbox, readText, type Call } from "../test-client.ts";

const sandbox = await openSandbox();
let call: Call;
beforeEach(() => {
  call = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
});

const SOBJECTS = "/services/data/v60.0/sobjects";
const NORTHWIND = "001Sb0000000001IAA";

async function catchCode(object: string, body: unknown): Promise<unknown> {
  const answer = await call("POST", `${SOBJECTS}/${object}`, body);
  assert.equal(answer.status, 400, answer.text);
  return getAt(answer.json, "0.errorCode");
}

test("a create answers with the id only, an update with nothing, and a get shows both", async () => {
  const created = await call("POST", `${SOBJECTS}/Contact`, { LastName: "Abc", Birthdate: "1990-02-03" });
  assert.equal(created.status, 201);
  const id = readText(created.json, "id");
  assert.deepEqual(created.json, { id, success: true, errors: [] });
  const updated = await call("PATCH", `${SOBJECTS}/Contact/${id}`, { FirstName: "Zoe", Birthdate: null });
  assert.equal(updated.status, 204);
  assert.equal(updated.text, "");
  const posted = await call("POST", `${SOBJECTS}/contact/${id.slice(0, 15)}?_HttpMethod=PATCH`, {
    title: "CTO",
  });
  assert.equal(posted.status, 204);
  const shown = await call("GET", `${SOBJECTS}/Contact/${id}?fields=id,Name,Title,Birthdate`);
  assert.deepEqual(shown.json, {
    attributes: { type: "Contact", url: `${SOBJECTS}/Contact/${id}` },
    Id: id,
    Name: "Zoe Abc",
    Title: "CTO",
    Birthdate: null,
  });
  assert.match(shown.headers.get("sforce-limit-info") ?? "", /^api-usage=4\/\d+$/);
});

test("values are refused with Salesforce's codes", async () => {
  assert.equal(await catchCode("Contact", { FirstName: "x" }), "REQUIRED_FIELD_MISSING");
  assert.equal(await catchCode("Contact", { LastName: "x", Nope: 1 }), "INVALID_FIELD");
  assert.equal(
    await catchCode("Contact", { LastName: "x", CreatedDate: "2026-01-01" }),
    "INVALID_FIELD_FOR_INSERT_UPDATE",
  );
  assert.equal(await catchCode("Contact", { LastName: "x".repeat(81) }), "STRING_TOO_LONG");
  assert.equal(await catchCode("Contact", { LastName: "x", Email: "bad" }), "INVALID_EMAIL_ADDRESS");
  assert.equal(await catchCode("Contact", { LastName: "x", AccountId: "bad" }), "MALFORMED_ID");
  assert.equal(
    await catchCode("Contact", { LastName: "x", AccountId: "001Sb000000ZZZZ" }),
    "INVALID_CROSS_REFERENCE_KEY",
  );
  assert.equal(await catchCode("Contact", { LastName: 5 }), "JSON_PARSER_ERROR");
  assert.equal(
    await catchCode("Account", { Name: "x", Rating: "Tepid" }),
    "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
  );
  assert.equal(
    await catchCode("Account", { Name: "x", NumberOfEmployees: 1e12 }),
    "NUMBER_OUTSIDE_VALID_RANGE",
  );
  assert.equal(await catchCode("Account", { Name: "x", External_Id__c: "A-1" }), "DUPLICATE_VALUE");
});

test("errors name the fields where Salesforce does", async () => {
  const missing = await call("POST", `${SOBJECTS}/Opportunity`, { Name: "x" });
  assert.deepEqual(missing.json, [
    {
      message: "Required fields are missing: [StageName, CloseDate]",
      errorCode: "REQUIRED_FIELD_MISSING",
      fields: ["StageName", "CloseDate"],
    },
  ]);
  const unknown = await call("POST", `${SOBJECTS}/Account`, { Name: "x", AccountNumer: "1" });
  assert.deepEqual(unknown.json, [
    { message: "No such column 'AccountNumer' on sobject of type Account", errorCode: "INVALID_FIELD" },
  ]);
});

test("the id does not belong in an update's body", async () => {
  const answer = await call("PATCH", `${SOBJECTS}/Account/${NORTHWIND}`, { Id: NORTHWIND, Name: "x" });
  assert.equal(answer.status, 400);
  assert.equal(getAt(answer.json, "0.errorCode"), "INVALID_FIELD");
});

test("unknown objects, ids and deleted records are told apart", async () => {
  const object = await call("POST", `${SOBJECTS}/Nope`, {});
  assert.equal(object.status, 404);
  assert.equal(getAt(object.json, "0.message"), "The requested resource does not exist");
  const id = await call("PATCH", `${SOBJECTS}/Account/001oops`, { Name: "x" });
  assert.equal(id.status, 404);
  assert.match(readText(id.json, "0.message"), /^Provided external ID field does not exist/);
  assert.equal((await call("DELETE", `${SOBJECTS}/Account/${NORTHWIND}`)).status, 204);
  const deleted = await call("PATCH", `${SOBJECTS}/Account/${NORTHWIND}`, { Name: "x" });
  assert.equal(deleted.status, 404);
  assert.deepEqual(deleted.json, [
    { message: "entity is deleted", errorCode: "ENTITY_IS_DELETED", fields: [] },
  ]);
});

test("a duplicate rule alerts, and the header lets the record pass", async () => {
  const body = { LastName: "King", Email: "ADA.KING@northwind.example" };
  const details = { "sforce-duplicate-rule-header": "includeRecordDetails=true" };
  const refused = await call("POST", `${SOBJECTS}/Contact`, body, details);
  assert.equal(refused.status, 400);
  assert.equal(getAt(refused.json, "0.errorCode"), "DUPLICATES_DETECTED");
  assert.equal(getAt(refused.json, "0.duplicateResult.allowSave"), true);
  assert.equal(
    getAt(refused.json, "0.duplicateResult.matchResults.0.matchRecords.0.record.Id"),
    "003Sb0000000001IAA",
  );
  const saved = await call("POST", `${SOBJECTS}/Contact`, body, {
    "sforce-duplicate-rule-header": "allowSave=true",
  });
  assert.equal(saved.status, 201);
});

test("a blocking rule blocks whatever the header says", async () => {
  const other = await startSandbox({
    salesforce: { duplicateRules: [{ object: "Account", field: "Name", action: "block" }] },
  });
  const call = openCaller(other.salesforce.url, other.salesforce.mintToken().accessToken);
  const header = { "sforce-duplicate-rule-header": "allowSave=true" };
  const refused = await call("POST", `${SOBJECTS}/Account`, { Name: "northwind traders" }, header);
  assert.equal(getAt(refused.json, "0.errorCode"), "DUPLICATES_DETECTED");
  await other.close();
});

test("upsert by external id creates, then updates; a parent can be named by its external id", async () => {
  const path = `${SOBJECTS}/Contact/External_Id__c/C-77`;
  const created = await call("PATCH", path, { LastName: "Up", Account: { External_Id__c: "A-2" } });
  assert.equal(created.status, 201);
  assert.equal(getAt(created.json, "created"), true);
  const updated = await call("PATCH", path, { FirstName: "Sert" });
  assert.equal(updated.status, 200);
  assert.equal(getAt(updated.json, "id"), getAt(created.json, "id"));
  const shown = await call("GET", `${path}?fields=AccountId,Name`);
  assert.equal(getAt(shown.json, "AccountId"), "001Sb0000000002IAA");
  assert.equal(getAt(shown.json, "Name"), "Sert Up");
});

test("versions from 40 on exist, the list of them needs no session", async () => {
  const open = openCaller(sandbox.salesforce.url);
  assert.equal((await open("GET", "/services/data/")).status, 200);
  assert.equal((await call("GET", "/services/data/v40.0/sobjects")).status, 200);
  assert.equal((await call("GET", "/services/data/v39.0/sobjects")).status, 404);
  assert.equal((await call("PUT", `${SOBJECTS}/Account`)).status, 405);
  assert.equal((await open("GET", "/services/data/v60.0/sobjects")).status, 401);
});

test("describe tells what can be written", async () => {
  const { json } = await call("GET", `${SOBJECTS}/account/describe`);
  const fields = new Map(readList(json, "fields").map((field) => [field["name"], field]));
  assert.equal(getAt(fields.get("Name"), "nillable"), false);
  assert.equal(getAt(fields.get("CreatedDate"), "createable"), false);
  assert.equal(getAt(fields.get("External_Id__c"), "externalId"), true);
  assert.equal(getAt(fields.get("Rating"), "picklistValues.0.value"), "Hot");
  assert.deepEqual(getAt(fields.get("ParentId"), "referenceTo"), ["Account"]);
});

test("links without the provider's prefix lead to Salesforce too", async () => {
  const { accessToken } = sandbox.salesforce.mintToken();
  const answer = await openCaller(sandbox.url, accessToken)("GET", `${SOBJECTS}/Account/${NORTHWIND}`);
  assert.equal(getAt(answer.json, "Name"), "Northwind Traders");
});
