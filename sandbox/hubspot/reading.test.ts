// Reading a HubSpot account: generated records, scans by cursor and by key, archived records, index lag.

import assert from "node:assert/strict";
import { test } from "node:test";
import { getAt, openCaller, readList, openSandbox, readText, type Response } from "../test-client.ts";

const sandbox = await openSandbox({ limits: "off" });
const call = openCaller(sandbox.hubspot.url, sandbox.hubspot.staticToken);
const control = openCaller(sandbox.url);
const { account } = sandbox.hubspot;

const CONTACTS = "/crm/v3/objects/contacts";
const AT = Date.parse("2026-10-01T12:00:00Z");

function generate(count: number, changedFrom = AT, changedTo = AT): { firstId: string; lastId: string } {
  return account.generate("contacts", { count, changedFrom, changedTo, values: {} });
}

function search(filters: unknown[], more: Record<string, unknown> = {}): Promise<Response> {
  const sorts = [{ propertyName: "hs_object_id", direction: "ASCENDING" }];
  return call("POST", `${CONTACTS}/search`, { filterGroups: [{ filters }], sorts, limit: 200, ...more });
}

const changed = (from: number, to: number): unknown => ({
  propertyName: "lastmodifieddate",
  operator: "BETWEEN",
  value: String(from),
  highValue: new Date(to).toISOString(),
});
const behind = (id: string): unknown => ({ propertyName: "hs_object_id", operator: "GT", value: id });

async function scanByKey(from: number, to: number): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const last = ids.at(-1);
    const page = await search([changed(from, to), ...(last === undefined ? [] : [behind(last)])]);
    const found = readList(page.json, "results").map((record) => readText(record, "id"));
    if (found.length === 0) return ids;
    ids.push(...found);
  }
}

async function scanList(path = CONTACTS): Promise<Record<string, unknown>[]> {
  const records: Record<string, unknown>[] = [];
  for (let after = ""; ;) {
    const page = await call("GET", `${path}${path.includes("?") ? "&" : "?"}limit=100${after}`);
    assert.equal(page.status, 200, page.text);
    records.push(...readList(page.json, "results"));
    if (!page.text.includes('"paging"')) return records;
    after = `&after=${encodeURIComponent(readText(page.json, "paging.next.after"))}`;
  }
}

test("records with one change time are all found by key, each once, in rising order", async () => {
  generate(2_500);
  const ids = await scanByKey(AT, AT);
  assert.equal(ids.length, 2_500);
  assert.ok(ids.every((id, i) => i === 0 || BigInt(id) > BigInt(ids[i - 1] ?? 0)));
  const beyond = await search([changed(AT, AT)], { after: "10000" });
  assert.equal(beyond.status, 400);
});

test("a window is inclusive on both ends and the total counts what a limit of 1 does not show", async () => {
  generate(1_001, AT, AT + 1_000_000);
  const inWindow = await search([changed(AT + 10_000, AT + 20_000)], { limit: 1 });
  assert.equal(getAt(inWindow.json, "total"), 11);
  const customers = { propertyName: "lifecyclestage", operator: "EQ", value: "customer" };
  const filtered = await search([changed(AT, AT + 1_000_000), customers], { limit: 1 });
  assert.equal(getAt(filtered.json, "total"), 250);
  const upper = await search([{ ...customers, value: "CUSTOMER" }]);
  assert.equal(getAt(upper.json, "total"), 0);
});

test("a changed generated record counts once, with its new values", async () => {
  const { firstId } = generate(300);
  await call("PATCH", `${CONTACTS}/${firstId}`, { properties: { city: "Rome" } });
  assert.equal((await scanByKey(AT, AT)).length, 299);
  const records = await scanList();
  assert.equal(records.length, 305);
  assert.equal(new Set(records.map((record) => record["id"])).size, 305);
  const one = await call("GET", `${CONTACTS}/${firstId}?properties=city,firstname`);
  assert.equal(getAt(one.json, "properties.city"), "Rome");
  assert.equal(getAt(one.json, "properties.firstname"), "Ada");
});

test("a list pages by an opaque cursor that is refused when it is foreign or too old", async () => {
  const page = await call("GET", `${CONTACTS}?limit=2`);
  const after = encodeURIComponent(readText(page.json, "paging.next.after"));
  assert.doesNotMatch(after, /^\d+$/);
  assert.equal(getAt((await call("GET", `${CONTACTS}?limit=2&after=${after}`)).json, "results.0.id"), "503");
  const foreign = await call("GET", `${CONTACTS}?after=nonsense`);
  assert.match(readText(foreign.json, "message"), /Cannot deserialize value of type/);
  await control("POST", "/sandbox/settings", { hubspot: { cursorLifetimeMs: 60_000 } });
  await control("POST", "/sandbox/clock", { advanceMs: 61_000 });
  assert.equal((await call("GET", `${CONTACTS}?limit=2&after=${after}`)).status, 400);
});

/** A machine can answer within the millisecond in which cursors were made to expire. */
test("cursors that expire are refused, and those issued afterwards are not, within one moment", async ({
  mock,
}) => {
  mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const readNext = async (after?: string): Promise<Response> =>
    call("GET", `${CONTACTS}?limit=2${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`);
  const early = readText((await readNext()).json, "paging.next.after");
  account.expireCursors();
  const late = readText((await readNext()).json, "paging.next.after");
  assert.equal((await readNext(early)).status, 400);
  assert.equal((await readNext(late)).status, 200);
  account.expireCursors();
  assert.equal((await readNext(late)).status, 400);
});

test("archiving leaves the change time alone, restoring moves it, a merge leaves nothing of the loser", async () => {
  const before = await call("GET", `${CONTACTS}/501`);
  assert.equal((await call("DELETE", `${CONTACTS}/501`)).status, 204);
  const [archived] = await scanList(`${CONTACTS}?archived=true`);
  assert.equal(archived?.["id"], "501");
  assert.ok(archived?.["archivedAt"]);
  assert.equal(archived?.["updatedAt"], getAt(before.json, "updatedAt"));
  assert.equal(getAt((await search([behind("500")])).json, "results.0.id"), "502");
  await control("POST", "/sandbox/records/restore", {
    provider: "hubspot",
    object: "contacts",
    ids: ["501"],
  });
  const restored = await call("GET", `${CONTACTS}/501`);
  assert.ok(readText(restored.json, "updatedAt") > readText(before.json, "updatedAt"));
  await control("POST", "/sandbox/records/merge", {
    provider: "hubspot",
    object: "contacts",
    winner: "501",
    losers: ["502"],
  });
  const winner = await call("GET", `${CONTACTS}/501?properties=hs_merged_object_ids`);
  assert.equal(getAt(winner.json, "properties.hs_merged_object_ids"), "502");
  assert.equal((await scanList(`${CONTACTS}?archived=true`)).length, 0);
  // github.com/tailoredshapes/merkql, tests of its HubSpot source: an id that was merged leads to the record that is left.
  assert.equal(getAt((await call("GET", `${CONTACTS}/502`)).json, "id"), "501");
  const read = await call("POST", `${CONTACTS}/batch/read`, {
    inputs: [{ id: "501" }],
    properties: [],
    propertiesWithHistory: ["hs_merged_object_ids"],
  });
  assert.equal(getAt(read.json, "results.0.propertiesWithHistory.hs_merged_object_ids.0.value"), "502");
});

test("archived records are gone after ninety days", async () => {
  await call("DELETE", `${CONTACTS}/501`);
  await control("POST", "/sandbox/clock", { advanceMs: 89 * 86_400_000 });
  assert.equal((await scanList(`${CONTACTS}?archived=true`)).length, 1);
  sandbox.clock.advance(2 * 86_400_000);
  assert.equal((await scanList(`${CONTACTS}?archived=true`)).length, 0);
});

test("a lagging index finds a record by its old values and shows the new ones", async () => {
  await control("POST", "/sandbox/settings", { hubspot: { searchLagMs: 5_000 } });
  const city = (value: string): unknown => ({ propertyName: "city", operator: "EQ", value });
  await call("PATCH", "/crm/v3/objects/companies/601", { properties: { city: "Rome" } });
  const find = (value: string): Promise<Response> =>
    call("POST", "/crm/v3/objects/companies/search", {
      filterGroups: [{ filters: [city(value)] }],
      properties: ["city"],
    });
  assert.equal(getAt((await find("Oslo")).json, "results.0.properties.city"), "Rome");
  assert.equal(getAt((await find("Rome")).json, "total"), 0);
  await call("POST", CONTACTS, { properties: { email: "late@x.example" } });
  const late = { propertyName: "email", operator: "EQ", value: "late@x.example" };
  assert.equal(getAt((await search([late])).json, "total"), 0);
  await control("POST", "/sandbox/clock", { advanceMs: 5_001 });
  assert.equal(getAt((await find("Rome")).json, "total"), 1);
  assert.equal(getAt((await find("Oslo")).json, "total"), 0);
  assert.equal(getAt((await search([late])).json, "total"), 1);
});

test("records are created and changed at chosen times, with or without a stamp", async () => {
  const made = await control("POST", "/sandbox/records", {
    provider: "hubspot",
    object: "contacts",
    records: [{ values: { email: "old@x.example" }, changedAt: "2026-02-03T04:05:06.007Z" }],
  });
  const id = readText(made.json, "ids.0");
  assert.equal(getAt((await call("GET", `${CONTACTS}/${id}`)).json, "updatedAt"), "2026-02-03T04:05:06.007Z");
  const records = [{ id, values: { city: "Rome" }, stamp: false }];
  await control("POST", "/sandbox/records", { provider: "hubspot", object: "contacts", records });
  const after = await call("GET", `${CONTACTS}/${id}?properties=city`);
  assert.equal(getAt(after.json, "properties.city"), "Rome");
  assert.equal(getAt(after.json, "properties.lastmodifieddate"), "2026-02-03T04:05:06.007Z");
  const wrong = await control("POST", "/sandbox/records", {
    provider: "hubspot",
    object: "contacts",
    records: [{ values: { nope: 1 } }],
  });
  assert.match(readText(wrong.json, "message"), /contacts has no property nope/);
});

test("the dump has every record with all values, generated ones included", async () => {
  const { lastId } = generate(1_200);
  await call("DELETE", `${CONTACTS}/${lastId}`);
  const lines = async (more = ""): Promise<string[]> => {
    const dump = await control("GET", `/sandbox/records/dump?provider=hubspot&object=contacts${more}`);
    return dump.text.trim().split("\n");
  };
  const records = await lines();
  assert.equal(records.length, 1_204);
  const last: unknown = JSON.parse(records.at(-1) ?? "");
  assert.equal(getAt(last, "values.email"), "person-1198@generated.example");
  assert.equal((await lines("&deleted=true")).length, 1_205);
});

test("a hidden property disappears from answers and is refused in filters", async () => {
  account.hideField("contacts", "city", true);
  const shown = await call("GET", `${CONTACTS}/501?properties=city,email`);
  assert.doesNotMatch(shown.text, /city/);
  assert.equal((await search([{ propertyName: "city", operator: "EQ", value: "x" }])).status, 400);
});

test("a request line that is too long is answered with HTML and 414", async () => {
  const properties = Array.from({ length: 1_500 }, (_, i) => `property_${i}`).join(",");
  const answer = await call("GET", `${CONTACTS}?properties=${properties}`);
  assert.equal(answer.status, 414);
  assert.match(answer.text, /^<html>[^]*414 Request-URI Too Large/);
  assert.equal((await call("GET", `${CONTACTS}?properties=${properties.slice(0, 16_000)}`)).status, 200);
});

test("associations page by source, and a source without any is named in errors", async () => {
  await control("POST", "/sandbox/settings", { hubspot: { associationPage: 2, associationInputs: 3 } });
  const types = [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 280 }];
  const inputs = ["501", "502", "503", "504", "505"].map((id) => ({
    from: { id: "603" },
    to: { id },
    types,
  }));
  await call("POST", "/crm/v4/associations/companies/contacts/batch/create", { inputs });
  const read = (version: string, ...sources: unknown[]): Promise<Response> => {
    const path = version === "v4" ? "/crm/v4/associations" : `/crm/associations/${version}`;
    return call("POST", `${path}/companies/contacts/batch/read`, { inputs: sources });
  };
  const ids: unknown[] = [];
  for (let input: Record<string, string> = { id: "603" }; ;) {
    const page = await read("v4", input);
    ids.push(...readList(page.json, "results.0.to").map((target) => target["toObjectId"]));
    if (!page.text.includes('"paging"')) break;
    input = { id: "603", after: readText(page.json, "results.0.paging.next.after") };
  }
  assert.deepEqual(ids, [501, 502, 503, 504, 505]);
  await call("POST", "/crm/v3/objects/companies", { properties: { name: "Lonely" } });
  const lonely = await read("2026-03", { id: "602" }, { id: "90000000001" });
  assert.equal(lonely.status, 207);
  assert.equal(getAt(lonely.json, "results.0.to.0.toObjectId"), "503");
  assert.equal(getAt(lonely.json, "errors.0.subCategory"), "crm.associations.NO_ASSOCIATIONS_FOUND");
  assert.equal(getAt(lonely.json, "errors.0.context.fromObjectId.0"), "90000000001");
  assert.equal((await read("v4", { id: "1" }, { id: "2" }, { id: "3" }, { id: "4" })).status, 400);
});

test("generated records are linked in turn, from both ends, until a link is removed", async () => {
  const span = { changedFrom: AT, changedTo: AT, values: {} };
  const companies = account.generate("companies", { count: 3, ...span });
  const linked = [{ object: "companies", firstId: companies.firstId, count: 3 }];
  const contacts = account.generate("contacts", { count: 10, ...span, linked });
  const read = async (from: string, to: string, id: string): Promise<unknown[]> => {
    const page = await call("POST", `/crm/v4/associations/${from}/${to}/batch/read`, { inputs: [{ id }] });
    return page.text.includes('"errors"')
      ? []
      : readList(page.json, "results.0.to").map((one) => one["toObjectId"]);
  };
  const [company, first] = [Number(companies.firstId), Number(contacts.firstId)];
  assert.deepEqual(await read("contacts", "companies", String(first + 4)), [company + 1]);
  assert.deepEqual(await read("companies", "contacts", String(company + 1)), [
    first + 1,
    first + 4,
    first + 7,
  ]);
  const listed = await call("GET", `${CONTACTS}/${first}?associations=companies`);
  assert.equal(getAt(listed.json, "associations.companies.results.0.id"), companies.firstId);
  await call("DELETE", `/crm/v4/objects/contacts/${first + 4}/associations/companies/${company + 1}`);
  assert.deepEqual(await read("contacts", "companies", String(first + 4)), []);
  assert.deepEqual(await read("companies", "contacts", String(company + 1)), [first + 1, first + 7]);
});

test("owners and lists page each in their own way", async () => {
  const first = await call("GET", "/crm/v3/owners?limit=2");
  assert.deepEqual(
    readList(first.json, "results").map((owner) => owner["id"]),
    ["410010", "410011"],
  );
  const second = await call(
    "GET",
    `/crm/v3/owners?limit=2&after=${readText(first.json, "paging.next.after")}`,
  );
  assert.equal(getAt(second.json, "results.0.id"), "410012");
  assert.doesNotMatch(second.text, /paging/);
  const archived = await call("GET", "/crm/v3/owners?archived=true");
  assert.equal(getAt(archived.json, "results.0.id"), "410013");
  const lists = await call("POST", "/crm/v3/lists/search", { offset: 0, count: 2 });
  assert.equal(getAt(lists.json, "hasMore"), true);
  const rest = await call("POST", "/crm/v3/lists/search", { offset: getAt(lists.json, "offset"), count: 2 });
  assert.equal(getAt(rest.json, "lists.0.listId"), "3");
  assert.equal(getAt(rest.json, "hasMore"), false);
});
