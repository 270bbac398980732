// Reading a Salesforce organisation: generated records, scans by locator and by key, deleted records, sub-queries.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import {
  getAt,
  openCaller,
  readList,
  openSandbox,
  readText,
  type Call,
  type Response,
} from "../test-client.ts";

const sandbox = await openSandbox({ limits: "off" });
const control = openCaller(sandbox.url);
const { account } = sandbox.salesforce;
let call: Call;
beforeEach(() => {
  call = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
});

const AT = Date.parse("2026-10-01T12:00:00Z");

function generate(count: number, changedFrom = AT, changedTo = AT): { firstId: string; lastId: string } {
  return account.generate("Contact", { count, changedFrom, changedTo, values: {} });
}

function query(soql: string, kind = "query"): Promise<Response> {
  return call("GET", `/services/data/v60.0/${kind}?q=${encodeURIComponent(soql)}`);
}

async function listIds(soql: string): Promise<string[]> {
  const ids: string[] = [];
  let page = await query(soql);
  for (;;) {
    assert.equal(page.status, 200, page.text);
    ids.push(...readList(page.json, "records").map((record) => readText(record, "Id")));
    if (getAt(page.json, "done") === true) return ids;
    page = await call("GET", readText(page.json, "nextRecordsUrl"));
  }
}

const from = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

test("records with one change time are read once by locator, and on behind any record by key", async () => {
  generate(5_000);
  const where = `SystemModstamp >= ${from(AT)} AND SystemModstamp <= ${from(AT)}`;
  const ids = await listIds(`SELECT Id FROM Contact WHERE ${where} ORDER BY SystemModstamp, Id`);
  assert.equal(new Set(ids).size, 5_000);
  assert.deepEqual(ids, ids.toSorted());
  const last = ids[2_999];
  const key = `(SystemModstamp > ${from(AT)} OR (SystemModstamp = ${from(AT)} AND Id > '${last}'))`;
  const rest = await listIds(`SELECT Id FROM Contact WHERE ${where} AND ${key} ORDER BY SystemModstamp, Id`);
  assert.deepEqual(rest, ids.slice(3_000));
  const behind = await listIds(`SELECT Id FROM Contact WHERE Id > '${last}' ORDER BY Id`);
  assert.deepEqual(behind, ids.slice(3_000));
});

test("order by change time and id holds over generated, changed and stored records", async () => {
  const { firstId } = generate(400, AT, AT + 100_000);
  await call("PATCH", `/services/data/v60.0/sobjects/Contact/${firstId}`, { Title: "Moved" });
  const page = await query("SELECT Id, SystemModstamp FROM Contact ORDER BY SystemModstamp, Id");
  const records = readList(page.json, "records");
  assert.equal(records.length, 404);
  const pairs = records.map((record) => `${readText(record, "SystemModstamp")} ${readText(record, "Id")}`);
  assert.deepEqual(pairs, pairs.toSorted());
  assert.equal(records.at(-1)?.["Id"], firstId);
  assert.match(readText(records.at(-1), "SystemModstamp"), /\.000\+0000$/);
  const count = await query(`SELECT COUNT() FROM Contact WHERE SystemModstamp > ${from(AT + 50_000)}`);
  const counted = pairs.filter((pair) => pair.slice(0, 19) > from(AT + 50_000).slice(0, 19)).length;
  assert.equal(getAt(count.json, "totalSize"), counted);
});

test("a locator ends by time, by number and by command, with its reason", async () => {
  generate(2_100);
  const open = async (): Promise<string> =>
    readText((await query("SELECT Id FROM Contact")).json, "nextRecordsUrl");
  const refusal = async (url: string): Promise<string> => {
    const answer = await call("GET", url);
    assert.equal(answer.status, 400, answer.text);
    assert.equal(getAt(answer.json, "0.errorCode"), "INVALID_QUERY_LOCATOR");
    return readText(answer.json, "0.message");
  };
  const first = await open();
  assert.match(first, /^\/services\/data\/v60\.0\/query\/0r8\w{15}-2000$/);
  assert.equal((await call("GET", first)).status, 200);
  for (let i = 0; i < 10; i++) await open();
  assert.match(await refusal(first), /QUERY_LOCATOR_EXPIRED/);
  const second = await open();
  await control("POST", "/sandbox/locators/expire");
  assert.match(await refusal(second), /QUERY_LOCATOR_EXPIRED/);
  const third = await open();
  assert.match(await refusal(third.replace("-2000", "-9000")), /LOCATOR_LOCATION_EXCEEDS_SIZE/);
  await control("POST", "/sandbox/settings", { salesforce: { locatorLifetimeMs: 1_000 } });
  await control("POST", "/sandbox/clock", { advanceMs: 1_001 });
  assert.match(await refusal(third), /QUERY_LOCATOR_EXPIRED/);
  assert.match(await refusal("/services/data/v60.0/query/nonsense"), /INVALID_QUERY_LOCATOR_FORMAT/);
});

test("pages show the ids of the moment of the query with the values of the moment of the page", async () => {
  const { lastId } = generate(2_001);
  const first = await query("SELECT Id, Title FROM Contact WHERE Title LIKE 'Title%' ORDER BY Id");
  await call("PATCH", `/services/data/v60.0/sobjects/Contact/${lastId}`, { Title: "New" });
  const second = await call("GET", readText(first.json, "nextRecordsUrl"));
  assert.equal(getAt(second.json, "records.0.Title"), "New");
});

test("deleting moves the change time, queryAll shows it until the record is purged", async () => {
  const id = "003Sb0000000001IAA";
  const soql = `SELECT Id, SystemModstamp FROM Contact WHERE IsDeleted = true AND SystemModstamp > 2026-02-01T00:00:00Z ORDER BY SystemModstamp, Id`;
  await call("DELETE", `/services/data/v60.0/sobjects/Contact/${id}`);
  assert.equal(getAt((await query(soql, "queryAll")).json, "records.0.Id"), id);
  assert.equal(getAt((await query(soql)).json, "totalSize"), 0);
  await control("POST", "/sandbox/clock", { advanceMs: 16 * 86_400_000 });
  assert.equal(getAt((await query(soql, "queryAll")).json, "totalSize"), 0);
  assert.equal(getAt((await query("SELECT COUNT() FROM Contact")).json, "totalSize"), 3);
});

test("merging deletes the losers, which name the winner", async () => {
  const [winner, loser] = ["003Sb0000000001IAA", "003Sb0000000002IAA"];
  const body = { provider: "salesforce", object: "Contact", winner, losers: [loser] };
  await control("POST", "/sandbox/records/merge", body);
  const soql = "SELECT Id, MasterRecordId FROM Contact WHERE IsDeleted = true";
  const lost = await query(soql, "queryAll");
  assert.equal(getAt(lost.json, "records.0.Id"), loser);
  assert.equal(getAt(lost.json, "records.0.MasterRecordId"), winner);
});

test("a late commit appears with a change time that was already read", async () => {
  generate(10, AT + 60_000, AT + 60_000);
  const made = await control("POST", "/sandbox/records", {
    provider: "salesforce",
    object: "Contact",
    records: [{ values: { LastName: "Late" }, changedAt: AT }],
  });
  const ids = await listIds(
    `SELECT Id FROM Contact WHERE SystemModstamp >= ${from(AT)} ORDER BY SystemModstamp, Id`,
  );
  assert.equal(ids.length, 11);
  assert.equal(ids[0], readText(made.json, "ids.0"));
});

test("sub-queries show one level, with a way on that ends with the parents' next page", async () => {
  account.generate("Contact", {
    count: 250,
    changedFrom: AT,
    changedTo: AT,
    values: { AccountId: "001Sb0000000001IAA" },
  });
  account.generate("Account", { count: 2_000, changedFrom: AT, changedTo: AT, values: {} });
  const page = await query(
    "SELECT Id, (SELECT Id FROM Contacts), (SELECT Id FROM Cases) FROM Account ORDER BY Id",
  );
  const [first, second, , fourth] = readList(page.json, "records");
  assert.equal(getAt(first, "Contacts.totalSize"), 252);
  assert.equal(getAt(first, "Contacts.done"), false);
  assert.equal(readList(first, "Contacts.records").length, 200);
  assert.equal(getAt(first, "Cases.done"), true);
  assert.equal(getAt(second, "Contacts.totalSize"), 1);
  assert.equal(fourth?.["Contacts"], null);
  const url = readText(first, "Contacts.nextRecordsUrl");
  const more = await call("GET", url);
  assert.equal(readList(more.json, "records").length, 52);
  assert.equal(getAt(more.json, "done"), true);
  assert.equal((await call("GET", readText(page.json, "nextRecordsUrl"))).status, 200);
  assert.equal((await call("GET", url)).status, 400);
  const describe = await call("GET", "/services/data/v60.0/sobjects/Account/describe");
  const names = readList(describe.json, "childRelationships").map((one) => one["relationshipName"]);
  assert.ok(names.includes("Contacts") && names.includes("Opportunities"));
});

test("generated records refer to generated parents in turn", async () => {
  const span = { changedFrom: AT, changedTo: AT, values: {} };
  const { firstId, lastId } = account.generate("Account", { count: 2, ...span });
  account.generate("Contact", { count: 5, ...span, linked: [{ object: "Account", firstId, count: 2 }] });
  const page = await query(
    `SELECT Id, (SELECT Id FROM Contacts) FROM Account WHERE Id IN ('${firstId}','${lastId}') ORDER BY Id`,
  );
  assert.equal(getAt(page.json, "records.0.Contacts.totalSize"), 3);
  assert.equal(getAt(page.json, "records.1.Contacts.totalSize"), 2);
  const parents = await query("SELECT Account.Name FROM Contact WHERE Account.Name = 'Account 1'");
  assert.equal(getAt(parents.json, "totalSize"), 2);
});

test("an address is an object of its parts and cannot be filtered by", async () => {
  const answer = await query("SELECT BillingAddress FROM Account WHERE Id = '001Sb0000000001IAA'");
  assert.equal(getAt(answer.json, "records.0.BillingAddress.city"), "Oslo");
  const refused = await query("SELECT Id FROM Account WHERE BillingAddress = 'Oslo'");
  assert.equal(getAt(refused.json, "0.errorCode"), "INVALID_FIELD");
});

test("a hidden field is missing in describe and refused in queries", async () => {
  account.hideField("Account", "Industry", true);
  const describe = await call("GET", "/services/data/v60.0/sobjects/Account/describe");
  assert.ok(!readList(describe.json, "fields").some((field) => field["name"] === "Industry"));
  const refused = await query("SELECT Id, Industry FROM Account");
  assert.match(readText(refused.json, "0.message"), /No such column 'Industry' on entity 'Account'/);
});

test("a formula field changes without a stamp", async () => {
  const soql = "SELECT Age_In_Days__c, SystemModstamp FROM Machine__c";
  const before = await query(soql);
  await control("POST", "/sandbox/clock", { advanceMs: 86_400_000 });
  const after = await query(soql);
  const age = (answer: Response): number => Number(getAt(answer.json, "records.0.Age_In_Days__c"));
  assert.equal(age(after), age(before) + 1);
  assert.equal(getAt(after.json, "records.0.SystemModstamp"), getAt(before.json, "records.0.SystemModstamp"));
});

test("wide rows come in smaller pages", async () => {
  generate(500);
  await control("POST", "/sandbox/settings", { salesforce: { pageCharacters: 20_000 } });
  const page = await query("SELECT Id, Name FROM Contact");
  const size = readList(page.json, "records").length;
  assert.ok(size > 10 && size < 200, String(size));
  assert.equal((await listIds("SELECT Id FROM Contact")).length, 504);
});

test("deleted and updated give ids of a span, purged records included", async () => {
  const now = Date.parse(readText((await control("GET", "/sandbox/clock")).json, "now"));
  const span = (kind: string, start: number, end: number): Promise<Response> => {
    const query = `start=${encodeURIComponent(`${from(start).slice(0, -1)}+00:00`)}&end=${from(end)}`;
    return call("GET", `/services/data/v60.0/sobjects/Contact/${kind}/?${query}`);
  };
  const id = "003Sb0000000001IAA";
  await call("DELETE", `/services/data/v60.0/sobjects/Contact/${id}`);
  await control("POST", "/sandbox/records/purge", { provider: "salesforce", object: "Contact", ids: [id] });
  const deleted = await span("deleted", now - 3_600_000, now + 3_600_000);
  assert.equal(getAt(deleted.json, "deletedRecords.0.id"), id);
  assert.match(readText(deleted.json, "latestDateCovered"), /:00\.000\+0000$/);
  await call("PATCH", "/services/data/v60.0/sobjects/Contact/003Sb0000000002IAA", { Title: "New" });
  const updated = await span("updated", now - 3_600_000, now + 3_600_000);
  assert.deepEqual(getAt(updated.json, "ids"), ["003Sb0000000002IAA"]);
  for (const [start, end] of [
    [now - 60_000, now - 30_000],
    [now - 16 * 86_400_000, now],
  ]) {
    const refused = await span("deleted", start ?? 0, end ?? 0);
    assert.equal(getAt(refused.json, "0.errorCode"), "INVALID_REPLICATION_DATE");
  }
  assert.equal((await span("updated", now - 16 * 86_400_000, now)).status, 200);
});

test("a log of deletions that is not complete yet ends before its span does", async () => {
  const now = Date.parse(readText((await control("GET", "/sandbox/clock")).json, "now"));
  const span = `start=${from(now - 3_600_000)}&end=${from(now + 3_600_000)}`;
  const read = (): Promise<Response> => call("GET", `/services/data/v60.0/sobjects/Contact/deleted/?${span}`);
  await call("DELETE", "/services/data/v60.0/sobjects/Contact/003Sb0000000001IAA");
  await control("POST", "/sandbox/settings", { salesforce: { replicationLagMs: 600_000 } });
  const early = await read();
  assert.deepEqual(getAt(early.json, "deletedRecords"), []);
  assert.ok(Date.parse(readText(early.json, "latestDateCovered")) <= now - 540_000, early.text);
  await control("POST", "/sandbox/clock", { advanceMs: 720_000 });
  assert.equal(readList((await read()).json, "deletedRecords").length, 1);
});

test("a request line that is too long with its headers is answered with HTML and 414 or 431", async () => {
  const long = `SELECT Id FROM Contact WHERE Title != '${"x".repeat(16_400)}'`;
  const answer = await query(long);
  assert.equal(answer.status, 414);
  assert.match(answer.text, /URI Too Long/);
  const compositeRequest = [
    { method: "GET", referenceId: "q", url: `/services/data/v60.0/query?q=${encodeURIComponent(long)}` },
  ];
  const composite = await call("POST", "/services/data/v60.0/composite", { compositeRequest });
  assert.equal(getAt(composite.json, "compositeResponse.0.httpStatusCode"), 200);
  await control("POST", "/sandbox/settings", { salesforce: { tooLongStatus: 431 } });
  assert.equal((await query(long)).status, 431);
});

test("every answer carries the daily usage and a date that may run late", async () => {
  await control("POST", "/sandbox/clock", { dateSkewMs: -3_600_000 });
  const answer = await query("SELECT Id FROM Contact LIMIT 1");
  assert.match(answer.headers.get("sforce-limit-info") ?? "", /^api-usage=\d+\/\d+$/);
  const lag = Date.now() - Date.parse(answer.headers.get("date") ?? "");
  assert.ok(lag > 3_500_000 && lag < 3_700_000, String(lag));
});
