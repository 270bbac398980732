// Collections and composite requests: results per record, all-or-none, references.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { getAt, openCaller, readList, openSandbox, readText, type Call } from "../test-client.ts";

const sandbox = await openSandbox();
let call: Call;
beforeEach(() => {
  call = openCaller(sandbox.salesforce.url, sandbox.salesforce.mintToken().accessToken);
});

const DATA = "/services/data/v60.0";
const COLLECTION = `${DATA}/composite/sobjects`;
const ADA = "003Sb0000000001IAA";

function contact(values: Record<string, unknown>): unknown {
  return { attributes: { type: "Contact" }, ...values };
}

test("results come in request order, errors with statusCode and fields", async () => {
  const records = [
    contact({ LastName: "A" }),
    contact({ FirstName: "B" }),
    contact({ LastName: "C", Nope: 1 }),
  ];
  const answer = await call("POST", COLLECTION, { allOrNone: false, records });
  assert.equal(answer.status, 200);
  assert.deepEqual(
    readList(answer.json, "").map((result) => result["success"]),
    [true, false, false],
  );
  assert.deepEqual(getAt(answer.json, "1.errors"), [
    {
      statusCode: "REQUIRED_FIELD_MISSING",
      message: "Required fields are missing: [LastName]",
      fields: ["LastName"],
    },
  ]);
  assert.deepEqual(getAt(answer.json, "2.errors.0.fields"), []);
});

test("all-or-none keeps nothing and blames only the culprit", async () => {
  const records = [contact({ LastName: "A", External_Id__c: "X" }), contact({ FirstName: "B" })];
  const answer = await call("POST", COLLECTION, { allOrNone: true, records });
  assert.equal(answer.status, 200);
  assert.equal(getAt(answer.json, "0.errors.0.statusCode"), "ALL_OR_NONE_OPERATION_ROLLED_BACK");
  assert.equal(getAt(answer.json, "1.errors.0.statusCode"), "REQUIRED_FIELD_MISSING");
  assert.equal(sandbox.records("salesforce", "Contact").length, 4);
  const update = {
    allOrNone: true,
    records: [contact({ id: ADA, Title: "Changed" }), contact({ id: ADA, Nope: 1 })],
  };
  await call("PATCH", COLLECTION, update);
  const ada = sandbox.records("salesforce", "Contact").find((record) => record["Id"] === ADA);
  assert.equal(ada?.["Title"], "Chief Engineer");
  // The external id is free again.
  assert.equal(
    (await call("POST", `${DATA}/sobjects/Contact`, { LastName: "A", External_Id__c: "X" })).status,
    201,
  );
});

test("an update without an id, with a repeated and with an unknown one fails record by record", async () => {
  const records = [
    contact({ Title: "x" }),
    contact({ id: ADA, Title: "y" }),
    contact({ Id: ADA.slice(0, 15), Title: "z" }),
    contact({ id: "003Sb000000ZZZZ", Title: "z" }),
  ];
  const answer = await call("PATCH", COLLECTION, { records });
  assert.equal(getAt(answer.json, "0.errors.0.statusCode"), "MISSING_ARGUMENT");
  assert.equal(getAt(answer.json, "1.success"), true);
  assert.equal(getAt(answer.json, "2.errors.0.statusCode"), "DUPLICATE_VALUE");
  assert.equal(getAt(answer.json, "3.errors.0.statusCode"), "INVALID_CROSS_REFERENCE_KEY");
});

test("a request that is not well-formed is refused as a whole", async () => {
  const none = await call("POST", COLLECTION, { records: [] });
  assert.equal(none.status, 400);
  assert.deepEqual(none.json, [
    { message: "At least 1 record is required", errorCode: "REQUIRED_FIELD_MISSING" },
  ]);
  const records = Array.from({ length: 201 }, () => contact({ LastName: "x" }));
  assert.equal((await call("POST", COLLECTION, { records })).status, 400);
  const unknown = await call("POST", COLLECTION, { records: [{ attributes: { type: "Nope" } }] });
  assert.equal(getAt(unknown.json, "0.errorCode"), "INVALID_TYPE");
});

test("reading gives null for what is missing, one bad field refuses all", async () => {
  const body = { ids: [ADA, "003Sb000000ZZZZ", "oops"], fields: ["Id", "lastname"] };
  const answer = await call("POST", `${COLLECTION}/Contact`, body);
  assert.deepEqual(readList(answer.json, "").length, 3);
  assert.equal(getAt(answer.json, "0.LastName"), "King");
  assert.equal(getAt(answer.json, "1"), null);
  assert.equal((await call("POST", `${COLLECTION}/Contact`, { ...body, fields: ["Nope"] })).status, 400);
});

test("upsert and delete work on many", async () => {
  const records = [
    contact({ External_Id__c: "C-1", Title: "t" }),
    contact({ External_Id__c: "C-9", LastName: "New" }),
  ];
  const upserted = await call("PATCH", `${COLLECTION}/Contact/External_Id__c`, { records });
  assert.deepEqual(
    readList(upserted.json, "").map((result) => result["created"]),
    [false, true],
  );
  const deleted = await call("DELETE", `${COLLECTION}?ids=${ADA},${ADA},oops&allOrNone=false`);
  assert.equal(getAt(deleted.json, "0.success"), true);
  assert.equal(getAt(deleted.json, "1.errors.0.statusCode"), "ENTITY_IS_DELETED");
  assert.equal(getAt(deleted.json, "2.errors.0.statusCode"), "MALFORMED_ID");
});

test("composite requests see each other's results, a failed part has a list as its body", async () => {
  const part = (referenceId: string, url: string, body?: unknown, method = "POST"): unknown => ({
    method,
    url: `${DATA}/${url}`,
    referenceId,
    ...(body === undefined ? {} : { body }),
  });
  const parts = [
    part("acc", "sobjects/Account", { Name: "Ref" }),
    part("con", "sobjects/Contact", { LastName: "Ref", AccountId: "@{acc.id}" }),
    part("read", "query?q=SELECT+Id+FROM+Contact+WHERE+AccountId='@{acc.id}'", undefined, "GET"),
    part("bad", "sobjects/Nope/describe", undefined, "GET"),
  ];
  const answer = await call("POST", `${DATA}/composite`, { compositeRequest: parts });
  const statuses = readList(answer.json, "compositeResponse").map((one) => one["httpStatusCode"]);
  assert.deepEqual(statuses, [201, 201, 200, 404]);
  assert.equal(
    getAt(answer.json, "compositeResponse.2.body.records.0.Id"),
    getAt(answer.json, "compositeResponse.1.body.id"),
  );
  assert.equal(readText(answer.json, "compositeResponse.3.body.0.errorCode"), "NOT_FOUND");
  const failing = [parts[0], part("b", "sobjects/Contact", {})];
  // REST API Developer Guide, Composite Subrequest (read 2026-11-28): these headers are inherited.
  const plain = { method: "GET", url: `${DATA}/sobjects/Account`, referenceId: "one" };
  const named = [{ ...plain, httpHeaders: { Accept: "application/json" } }];
  assert.equal((await call("POST", `${DATA}/composite`, { compositeRequest: named })).status, 400);
  const halted = await call("POST", `${DATA}/composite`, { allOrNone: true, compositeRequest: failing });
  assert.equal(getAt(halted.json, "compositeResponse.0.body.0.errorCode"), "PROCESSING_HALTED");
  assert.equal(getAt(halted.json, "compositeResponse.1.body.0.errorCode"), "REQUIRED_FIELD_MISSING");
  assert.equal(sandbox.records("salesforce", "Account").length, 4);
  const many = await call("POST", `${DATA}/composite`, {
    compositeRequest: Array.from({ length: 26 }, () => parts[0]),
  });
  assert.equal(many.status, 400);
});

test("an all-or-none collection inside an all-or-none composite takes back its own records only", async () => {
  const compositeRequest = [
    { method: "POST", url: `${DATA}/sobjects/Account`, referenceId: "a", body: { Name: "Stays" } },
    {
      method: "POST",
      url: COLLECTION,
      referenceId: "b",
      body: { allOrNone: true, records: [contact({ LastName: "Goes" }), contact({})] },
    },
  ];
  await call("POST", `${DATA}/composite`, { allOrNone: true, compositeRequest });
  assert.equal(sandbox.records("salesforce", "Contact").length, 4);
  assert.equal(sandbox.records("salesforce", "Account").length, 4);
});

test("a composite batch answers part by part, a tree all or none", async () => {
  const batchRequests = [
    { method: "GET", url: "v60.0/limits" },
    { method: "GET", url: "v60.0/sobjects/Nope" },
  ];
  const batch = await call("POST", `${DATA}/composite/batch`, { batchRequests });
  assert.equal(getAt(batch.json, "hasErrors"), true);
  assert.deepEqual(
    readList(batch.json, "results").map((one) => one["statusCode"]),
    [200, 404],
  );
  const records = [
    { attributes: { type: "Account", referenceId: "r1" }, Name: "T" },
    { attributes: { type: "Account", referenceId: "r2" } },
  ];
  const tree = await call("POST", `${DATA}/composite/tree/Account`, { records });
  assert.equal(tree.status, 400);
  assert.equal(getAt(tree.json, "results.0.referenceId"), "r2");
  assert.equal(sandbox.records("salesforce", "Account").length, 3);
});
