// SOQL: what is answered, what is refused, and paging.

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

const sandbox = await openSandbox();
let call: Call;
beforeEach(() => {
  call = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
});

function query(soql: string, kind = "query", headers: Record<string, string> = {}): Promise<Response> {
  return call("GET", `/services/data/v60.0/${kind}?q=${encodeURIComponent(soql)}`, undefined, headers);
}

async function names(soql: string): Promise<unknown[]> {
  const answer = await query(soql);
  assert.equal(answer.status, 200, answer.text);
  return readList(answer.json, "records").map((record) => record["Name"]);
}

async function refusal(soql: string): Promise<string> {
  const answer = await query(soql);
  assert.equal(answer.status, 400, answer.text);
  return readText(answer.json, "0.errorCode");
}

test("conditions compare by field type", async () => {
  assert.deepEqual(await names("SELECT Name FROM Account WHERE NumberOfEmployees > 100 ORDER BY Name"), [
    "Fabrikam Power",
    "Northwind Traders",
  ]);
  assert.deepEqual(await names("select name from account where name = 'CONTOSO software'"), [
    "Contoso Software",
  ]);
  assert.deepEqual(await names("SELECT Name FROM Account WHERE Name LIKE '%trad_rs' AND Active__c = true"), [
    "Northwind Traders",
  ]);
  assert.deepEqual(await names("SELECT Name FROM Account WHERE External_Id__c = null"), ["Contoso Software"]);
  assert.deepEqual(
    await names(
      "SELECT Name FROM Account WHERE (Industry = 'Retail' OR Industry = 'Energy') AND NOT (Name = 'x') ORDER BY NumberOfEmployees DESC LIMIT 1",
    ),
    ["Fabrikam Power"],
  );
  assert.deepEqual(await names("SELECT Name FROM Account WHERE Industry NOT IN ('Retail','Energy')"), [
    "Contoso Software",
  ]);
  assert.deepEqual(
    await names("SELECT Name FROM Opportunity WHERE CloseDate <= 2026-03-31 AND Amount >= 12000.0"),
    ["Northwind renewal"],
  );
  assert.deepEqual(await names("SELECT Name FROM Contact WHERE SystemModstamp > 2026-01-05T09:00:00Z"), []);
  assert.deepEqual(
    await names(
      "SELECT Name FROM Contact WHERE SystemModstamp >= 2026-01-05T10:00:00+01:00 ORDER BY Name LIMIT 2 OFFSET 1",
    ),
    ["Grace Moore", "Linus Berg"],
  );
  assert.deepEqual(
    await names("SELECT Name FROM Account WHERE Id IN ('001Sb0000000001','001Sb0000000003IAA') ORDER BY Id"),
    ["Northwind Traders", "Contoso Software"],
  );
  assert.deepEqual(await names("SELECT Name FROM Contact WHERE Account.Industry = 'Energy'"), ["Linus Berg"]);
});

/** SOQL and SOSL Reference, ORDER BY: "There's no guarantee of the order of results unless you use an ORDER BY clause" (read 2026-11-28). */
test("without an order, results come neither in that of ids nor in that of a list of ids", async () => {
  const byId = ["Northwind Traders", "Fabrikam Power", "Contoso Software"];
  assert.deepEqual(await names("SELECT Name FROM Account ORDER BY Id"), byId);
  assert.deepEqual(await names("SELECT Name FROM Account"), byId.toReversed());
  assert.deepEqual(await names("SELECT Name FROM Account LIMIT 2"), ["Fabrikam Power", "Northwind Traders"]);
  const some = "SELECT Name FROM Account WHERE Id IN ('001Sb0000000001','001Sb0000000003IAA')";
  assert.deepEqual(await names(some), ["Contoso Software", "Northwind Traders"]);
});

test("quotes and backslashes in strings are taken as data", async () => {
  await call("POST", "/services/data/v60.0/sobjects/Account", { Name: "O'Neil \\ Sons" });
  assert.deepEqual(await names("SELECT Name FROM Account WHERE Name = 'O\\'Neil \\\\ Sons'"), [
    "O'Neil \\ Sons",
  ]);
});

test("parents are nested, counting gives a total only", async () => {
  const answer = await query(
    "SELECT Id, Account.Name, Account.Industry FROM Contact WHERE LastName = 'King'",
  );
  assert.equal(getAt(answer.json, "records.0.Account.Name"), "Northwind Traders");
  assert.equal(getAt(answer.json, "records.0.Account.Industry"), "Retail");
  assert.equal(getAt(answer.json, "records.0.Account.attributes.type"), "Account");
  const count = await query("SELECT COUNT() FROM Contact");
  assert.deepEqual(count.json, { totalSize: 4, done: true, records: [] });
});

test("all fields need a limit", async () => {
  assert.equal(await refusal("SELECT FIELDS(ALL) FROM Account"), "MALFORMED_QUERY");
  const answer = await query("SELECT FIELDS(ALL) FROM Account LIMIT 1");
  assert.equal(getAt(answer.json, "records.0.BillingCity"), "Oslo");
});

test("queries that cannot be answered are refused with Salesforce's codes", async () => {
  assert.equal(await refusal("SELECT Id FROM Accout"), "INVALID_TYPE");
  assert.equal(await refusal("SELECT Nope FROM Account"), "INVALID_FIELD");
  assert.equal(await refusal("SELECT Id FROM Account WHERE Nope = 1"), "INVALID_FIELD");
  assert.equal(await refusal("SELECT Id FROM Account WHERE Name = 5"), "INVALID_FIELD");
  assert.equal(
    await refusal("SELECT Id FROM Account WHERE CreatedDate > '2026-01-01T00:00:00Z'"),
    "INVALID_FIELD",
  );
  for (const soql of [
    "",
    "SELECT FROM Account",
    "SELECT Id FROM Account WHERE Name = 'open",
    "SELECT Id FROM Account WHERE Name = 'a' OR Name = 'b' AND Name = 'c'",
    "SELECT Id FROM Account; DELETE",
    "SELECT Id, (SELECT Id, (SELECT Id FROM Cases) FROM Contacts) FROM Account",
    "SELECT COUNT(Id) FROM Account",
  ]) {
    assert.equal(await refusal(soql), "MALFORMED_QUERY", soql);
  }
});

test("objects without a modification stamp or a deletion mark refuse these names", async () => {
  assert.equal(await refusal("SELECT Id, SystemModstamp FROM AccountHistory"), "INVALID_FIELD");
  assert.equal(await refusal("SELECT Id FROM AccountShare WHERE CreatedDate = null"), "INVALID_FIELD");
  assert.equal(await refusal("SELECT Id FROM User WHERE IsDeleted = false"), "INVALID_FIELD");
  assert.equal(
    (await query("SELECT Id FROM AccountHistory WHERE CreatedDate > 2026-01-01T00:00:00Z")).status,
    200,
  );
  assert.equal(await refusal("SELECT Id FROM Account OFFSET 2001"), "NUMBER_OUTSIDE_VALID_RANGE");
});

test("deleted records appear in queryAll only", async () => {
  const made = await call("POST", "/services/data/v60.0/sobjects/Campaign", { Name: "Gone" });
  await call("DELETE", `/services/data/v60.0/sobjects/Campaign/${readText(made.json, "id")}`);
  const soql = "SELECT Id FROM Campaign WHERE IsDeleted = true";
  assert.equal(getAt((await query(soql)).json, "totalSize"), 0);
  assert.equal(getAt((await query(soql, "queryAll")).json, "totalSize"), 1);
});

test("long results come in pages, an unknown cursor is refused", async () => {
  for (let i = 0; i < 3; i++) {
    const records = Array.from({ length: 150 }, (_, n) => ({
      attributes: { type: "Task" },
      Subject: `${i}-${n}`,
    }));
    await call("POST", "/services/data/v60.0/composite/sobjects", { records });
  }
  const options = { "sforce-query-options": "batchSize=200" };
  const sizes: number[] = [];
  let page = await query("SELECT Subject FROM Task", "query", options);
  for (;;) {
    sizes.push(readList(page.json, "records").length);
    assert.equal(getAt(page.json, "totalSize"), 450);
    if (getAt(page.json, "done") === true) break;
    page = await call("GET", readText(page.json, "nextRecordsUrl"), undefined, options);
  }
  assert.deepEqual(sizes, [200, 200, 50]);
  const lost = await call("GET", "/services/data/v60.0/query/01gNone-2000");
  assert.equal(getAt(lost.json, "0.errorCode"), "INVALID_QUERY_LOCATOR");
});
