/** NetSuite's requests and answers as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { buildCatalog } from "../catalog.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write, fields } = CONNECTORS["netsuite"] ?? {};
assert.ok(read && write && fields);

const BASE = "https://demo123.suitetalk.api.netsuite.com/services/rest/record/v1";
const customer = (id: string, changed = "2026-11-20T09:00:00Z") => ({
  links: [{ rel: "self", href: `${BASE}/customer/${id}` }],
  id,
  companyName: "Quill Ltd",
  lastModifiedDate: changed,
});

test("the id of a new record is in an address in a header; the record is read back", async () => {
  const { fetch, requests } = replay(
    { status: 204, headers: { location: `${BASE}/customer/647` } },
    { status: 200, body: customer("647") },
  );
  const values = { companyName: "Quill Ltd", subsidiary: { id: "1" } };
  const { outcomes } = await write.write(orderWrite("customer", "create", { fields: values }), fetch);
  assert.deepEqual(outcomes, [{ success: true, recordId: "647", data: customer("647") }]);
  assert.deepEqual(
    requests.map(({ method, path }) => `${method} ${path}`),
    [
      "POST /services/rest/record/v1/customer",
      "GET /services/rest/record/v1/customer/647?expandSubResources=true",
    ],
  );
  assert.deepEqual(requests[0]?.body, values);
});

test("an id that would lead to another address is not read back", async () => {
  const { fetch, requests } = replay({ status: 204, headers: { location: `${BASE}/customer/%2E%2E` } });
  const { warnings } = await write.write(orderWrite("customer", "create", { fields: {} }), fetch);
  assert.equal(requests.length, 1);
  assert.match(warnings[0] ?? "", /could not be read back/);
});

test("an answer without the address leaves open which record was written", async () => {
  const { fetch } = replay({ status: 204 });
  const [outcome] = (await write.write(orderWrite("customer", "create", { fields: {} }), fetch)).outcomes;
  assert.ok(outcome && !outcome.success && outcome.error.kind === "unreadable");
});

test("an upsert names the record by its external id, which leaves the fields", async () => {
  const { fetch, requests } = replay(
    { status: 204, headers: { location: `${BASE}/customer/647` } },
    { status: 200, body: customer("647") },
  );
  const order = {
    ...orderWrite("customer", "upsert", { fields: { externalId: "a/1", phone: "1" } }),
    key: "externalId",
  };
  const { outcomes } = await write.write(order, fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === "647");
  assert.deepEqual(
    [requests[0]?.method, requests[0]?.path],
    ["PUT", "/services/rest/record/v1/customer/eid:a%2F1"],
  );
  assert.deepEqual(requests[0]?.body, { phone: "1" });
});

test("an upsert whose answer has no address is written all the same", async () => {
  const { fetch, requests } = replay({ status: 204 });
  const order = {
    ...orderWrite("customer", "upsert", { fields: { externalId: "a1", phone: "1" } }),
    key: "externalId",
  };
  assert.deepEqual((await write.write(order, fetch)).outcomes, [{ success: true }]);
  assert.equal(requests.length, 1);
});

test("lists have only ids: each record is read, one that is gone is left out, and old ones are compared away", async () => {
  const entry = (id: string) => ({ links: [{ rel: "self", href: `${BASE}/customer/${id}` }], id });
  const { fetch, requests } = replay(
    {
      status: 200,
      body: {
        links: [{ rel: "next", href: `${BASE}/customer?limit=3&offset=3` }],
        count: 3,
        hasMore: true,
        items: [entry("647"), entry("648"), entry("649")],
        offset: 0,
        totalResults: 4,
      },
    },
    { status: 200, body: customer("647") },
    { status: 404, body: { title: "Not Found", status: 404, "o:errorDetails": [{ detail: "gone" }] } },
    { status: 200, body: customer("649", "2026-01-01T00:00:00Z") },
  );
  const asked = planRead("customer", { pageSize: 3, since: new Date("2026-11-01T00:00:00Z") });
  const page = await read.readPage(asked, undefined, fetch);
  assert.deepEqual(
    page.records.map(({ id, values }) => [id, values["companyName"]]),
    [["647", "Quill Ltd"]],
  );
  // NetSuite takes only offsets that are multiples of the limit (ehmad11/netsuite-rest, issue 25): two behind the first two.
  const { path } = read.preparePage(asked, page.next);
  assert.match(path, /[?]limit=2&offset=2$/);
  assert.equal(page.total, 4);
  assert.deepEqual(
    requests.map(({ path }) => path.replace("/services/rest/record/v1", "")),
    [
      "/customer?limit=3&offset=0",
      "/customer/647?expandSubResources=true",
      "/customer/648?expandSubResources=true",
      "/customer/649?expandSubResources=true",
    ],
  );
});

test("a refusal has the reasons and the code of its details", async () => {
  const { fetch } = replay({
    status: 400,
    body: {
      type: "https://www.rfc-editor.org/rfc/rfc9110.html#section-15.5.1",
      title: "Bad Request",
      status: 400,
      "o:errorDetails": [
        {
          detail: "Invalid content in the request body",
          "o:errorPath": "email",
          "o:errorCode": "INVALID_CONTENT",
        },
      ],
    },
  });
  const [outcome] = (await write.write(orderWrite("customer", "create", { fields: {} }), fetch)).outcomes;
  assert.ok(outcome && !outcome.success);
  assert.equal(outcome.error.message, "Invalid content in the request body");
  assert.equal(outcome.error.code, "INVALID_CONTENT");
});

test("too many calls at once are a rate limit", async () => {
  const { fetch } = replay({
    status: 429,
    body: {
      "o:errorDetails": [
        { detail: "Concurrent request limit exceeded", "o:errorCode": "CONCURRENCY_LIMIT_EXCEEDED" },
      ],
    },
  });
  await assert.rejects(read.readPage(planRead("invoice"), undefined, fetch), { kind: "rate_limited" });
});

test("the fields are those of the record's schema, without its links", async () => {
  const { fetch, requests } = replay({
    status: 200,
    body: {
      type: "object",
      properties: {
        id: { title: "Internal ID", type: "string", nullable: true },
        custentity_pens: { title: "Pens", type: "integer", "x-ns-custom-field": true },
        links: { title: "Links", type: "array" },
      },
    },
  });
  const described = await fields.describe("customer", fetch);
  assert.deepEqual(requests[0]?.headers, { accept: "application/schema+json" });
  assert.deepEqual(
    Object.values(described.fields).map(({ fieldName, displayName, valueType, isCustom }) => [
      fieldName,
      displayName,
      valueType,
      isCustom,
    ]),
    [
      ["id", "Internal ID", "string", false],
      ["custentity_pens", "Pens", "int", true],
    ],
  );
});

test("only the module of the REST API is written to and read", () => {
  const catalog = buildCatalog();
  assert.equal(catalog.built("netsuite", "write", "restapi"), true);
  assert.equal(catalog.built("netsuite", "write", "restlet"), false);
  assert.equal(catalog.built("netsuite", "read", "suiteql"), false);
});

/** Format of Sublists and Subrecords: "the response contains only the body fields of the record" without the parameter. */
test("records are read with their sublists, not with links to them", async () => {
  const order = { id: "9", lastModifiedDate: "2026-11-20T09:00:00Z", item: { items: [{ line: 1 }] } };
  for (const objectName of [
    "customer",
    "inventoryItem",
    "opportunity",
    "salesOrder",
    "purchaseOrder",
    "invoice",
  ]) {
    const { fetch, requests } = replay(
      { status: 200, body: { hasMore: false, items: [{ id: "9" }], totalResults: 1 } },
      { status: 200, body: order },
    );
    const page = await read.readPage(planRead(objectName), undefined, fetch);
    assert.equal(requests[1]?.path, `/services/rest/record/v1/${objectName}/9?expandSubResources=true`);
    assert.deepEqual(page.records[0]?.values["item"], { items: [{ line: 1 }] });
  }
});

/** Collection Paging: "a maximum of 1000 pages of results can be returned"; by 100 that is as many records as can be had at all. */
test("a list of more than 1,000 pages is a failure that says so, not a success", async () => {
  const page = (from: number) => ({
    status: 200,
    body: {
      items: [{ id: String(from + 1) }],
      count: 1,
      offset: from,
      hasMore: true,
      totalResults: 150_000,
    },
  });
  const readBehind = async (pages: number) => {
    const plan = planRead("customer", { pageSize: 100 });
    const begun = replay(page(0), { status: 200, body: customer("1") });
    const first = await read.readPage(plan, undefined, begun.fetch);
    const reached = { ...first.next, place: pages * 100, pages, read: pages * 100 };
    const { fetch } = replay(page(pages * 100), { status: 200, body: customer(String(pages * 100 + 1)) });
    return read.readPage(plan, reached, fetch);
  };
  assert.ok((await readBehind(998)).next);
  await assert.rejects(readBehind(999), /goes on after 1000 pages/);
});
