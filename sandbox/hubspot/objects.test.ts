// Single HubSpot records: shapes, checks, refusals, paging.

import assert from "node:assert/strict";
import { test } from "node:test";
import { getAt, openCaller, readList, openSandbox, readText } from "../test-client.ts";

const sandbox = await openSandbox({ limits: "off" });
const call = openCaller(sandbox.hubspot.url, sandbox.hubspot.staticToken);

const CONTACTS = "/crm/v3/objects/contacts";

async function catchProblem(properties: Record<string, unknown>, type = "contacts"): Promise<unknown> {
  const answer = await call("POST", `/crm/v3/objects/${type}`, { properties });
  assert.equal(answer.status, 400, answer.text);
  return getAt(answer.json, "errors.0.code");
}

test("a created record answers with strings, whatever was sent", async () => {
  const properties = {
    email: "New@X.example",
    numberofemployees: 17,
    hs_email_optout: true,
    closedate: 1767225600000,
  };
  const answer = await call("POST", CONTACTS, { properties });
  assert.equal(answer.status, 201);
  assert.equal(getAt(answer.json, "properties.email"), "new@x.example");
  assert.equal(getAt(answer.json, "properties.numberofemployees"), "17");
  assert.equal(getAt(answer.json, "properties.hs_email_optout"), "true");
  assert.equal(getAt(answer.json, "properties.closedate"), "2026-01-01T00:00:00.000Z");
  assert.equal(getAt(answer.json, "properties.hs_object_id"), getAt(answer.json, "id"));
  assert.equal(getAt(answer.json, "archived"), false);
});

test("dated paths, type ids and singular names lead to the same records", async () => {
  for (const path of [
    "/crm/objects/2026-03/contacts/501",
    "/crm/v3/objects/0-1/501",
    "/crm/v3/objects/contact/501",
  ]) {
    assert.equal(getAt((await call("GET", path)).json, "properties.email"), "ada.king@northwind.example");
  }
  const machine = await call(
    "GET",
    "/crm/v3/objects/p4100410_machines/SN-0001?idProperty=serial_number&properties=model",
  );
  assert.equal(getAt(machine.json, "properties.model"), "B-200");
});

test("values are refused by property type, each with its own code", async () => {
  assert.equal(await catchProblem({ email: "bad" }), "INVALID_EMAIL");
  assert.equal(await catchProblem({ numberofemployees: "many" }), "INVALID_INTEGER");
  assert.equal(await catchProblem({ lifecyclestage: "nope" }), "INVALID_OPTION");
  assert.equal(await catchProblem({ hs_email_optout: "perhaps" }), "INVALID_OPTION");
  assert.equal(await catchProblem({ closedate: "someday" }), "INVALID_LONG");
  assert.equal(await catchProblem({ hs_expiration_date: 1767225600001 }, "quotes"), "INVALID_DATE");
  assert.equal(await catchProblem({ hs_object_id: "5" }), "READ_ONLY_VALUE");
  assert.equal(await catchProblem({ frist_name: "x" }), "PROPERTY_DOESNT_EXIST");
});

test("a refusal names every problem in the message and at most three in errors", async () => {
  const answer = await call("POST", CONTACTS, { properties: { a1: "", b1: "", c1: "", d1: "" } });
  const message = readText(answer.json, "message");
  const inMessage: unknown = JSON.parse(message.slice("Property values were not valid: ".length));
  assert.equal(readList(inMessage, "").length, 4);
  assert.equal(readList(answer.json, "errors").length, 3);
  assert.ok(readText(answer.json, "correlationId"));
});

test("a second contact with the same address is a conflict that names the first", async () => {
  const answer = await call("POST", CONTACTS, { properties: { email: "ADA.king@northwind.example" } });
  assert.equal(answer.status, 409);
  assert.equal(getAt(answer.json, "category"), "CONFLICT");
  assert.equal(getAt(answer.json, "message"), "Contact already exists. Existing ID: 501");
  const moved = await call("PATCH", `${CONTACTS}/502`, {
    properties: { email: "ada.king@northwind.example" },
  });
  assert.equal(moved.status, 409);
});

test("an address is free again after its contact was archived", async () => {
  assert.equal((await call("DELETE", `${CONTACTS}/501`)).status, 204);
  assert.equal((await call("DELETE", `${CONTACTS}/501`)).status, 204);
  assert.equal((await call("GET", `${CONTACTS}/501`)).status, 404);
  assert.equal((await call("GET", `${CONTACTS}/501?archived=true`)).status, 200);
  const again = await call("POST", CONTACTS, { properties: { email: "ada.king@northwind.example" } });
  assert.equal(again.status, 201);
});

test("an update changes what is named, an empty string clears, null does not", async () => {
  const body = { properties: { firstname: "", lastname: null, jobtitle: "Director" } };
  assert.equal((await call("PATCH", `${CONTACTS}/501`, body)).status, 200);
  const answer = await call("GET", `${CONTACTS}/501?properties=firstname,lastname,jobtitle,unknown_one`);
  assert.equal(getAt(answer.json, "properties.firstname"), null);
  assert.equal(getAt(answer.json, "properties.lastname"), "King");
  assert.equal(getAt(answer.json, "properties.jobtitle"), "Director");
  assert.doesNotMatch(answer.text, /unknown_one/);
});

test("a leading semicolon adds to a multiple choice", async () => {
  await call("PATCH", `${CONTACTS}/501`, { properties: { hs_buying_role: "CHAMPION" } });
  await call("PATCH", `${CONTACTS}/501`, { properties: { hs_buying_role: ";END_USER" } });
  const answer = await call("GET", `${CONTACTS}/501?properties=hs_buying_role`);
  assert.equal(getAt(answer.json, "properties.hs_buying_role"), "CHAMPION;END_USER");
});

test("an update moves the last-modified time of contacts and of other types under their own names", async () => {
  const contact = await call("PATCH", `${CONTACTS}/501`, { properties: { city: "Oslo" } });
  assert.equal(getAt(contact.json, "properties.lastmodifieddate"), getAt(contact.json, "updatedAt"));
  const company = await call("PATCH", "/crm/v3/objects/companies/601", { properties: { city: "Oslo" } });
  assert.equal(getAt(company.json, "properties.hs_lastmodifieddate"), getAt(company.json, "updatedAt"));
});

test("unknown records, types and bodies are refused in HubSpot's words", async () => {
  const missing = await call("PATCH", `${CONTACTS}/999`, { properties: {} });
  assert.equal(missing.status, 404);
  assert.equal(getAt(missing.json, "category"), "OBJECT_NOT_FOUND");
  const type = await call("GET", "/crm/v3/objects/butterflies");
  assert.equal(type.status, 400);
  assert.equal(getAt(type.json, "message"), "Unable to infer object type from: butterflies");
  assert.ok(!type.text.includes("category"));
  const broken = await call("POST", CONTACTS, "{oops", { "content-type": "application/json" });
  assert.equal(broken.status, 400);
  assert.match(readText(broken.json, "message"), /^Invalid input JSON on line/);
  const required = await call("POST", "/crm/v3/objects/deals", { properties: { amount: 1 } });
  assert.match(readText(required.json, "message"), /Some required properties were not set/);
});

test("lists page by id and end without paging", async () => {
  const ids: string[] = [];
  let after: string | undefined = "0";
  while (after !== undefined) {
    const answer = await call("GET", `${CONTACTS}?limit=2&after=${after}`);
    ids.push(...readList(answer.json, "results").map((record) => readText(record, "id")));
    after = answer.text.includes('"paging"') ? readText(answer.json, "paging.next.after") : undefined;
  }
  assert.deepEqual(ids, ["501", "502", "503", "504", "505"]);
});

test("associations on create follow direction and type", async () => {
  const body = (typeId: number, id = "601"): unknown => ({
    properties: { firstname: "A" },
    associations: [
      { to: { id }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: typeId }] },
    ],
  });
  const created = await call("POST", CONTACTS, body(279));
  assert.equal(created.status, 201);
  const seen = await call(
    "GET",
    `/crm/v4/objects/contacts/${readText(created.json, "id")}/associations/companies`,
  );
  assert.equal(getAt(seen.json, "results.0.toObjectId"), 601);
  assert.equal(getAt(seen.json, "results.0.associationTypes.0.typeId"), 279);
  // 280 is company to contact.
  for (const wrong of [body(280), body(279, "999"), body(4)]) {
    const answer = await call("POST", CONTACTS, wrong);
    assert.equal(answer.status, 400);
    assert.match(readText(answer.json, "message"), /one or more associations are not valid/);
  }
});
