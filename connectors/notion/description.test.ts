/** Notion's requests and answers as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import type { JsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write, fields } = CONNECTORS["notion"] ?? {};
assert.ok(read && write && fields);

const DATABASE = "d9824bdc84454327be8b5b47500af6ce";
const PAGE = "59833787-2cf9-4fdf-8782-e53db20768a5";

const property = (name: string, type: string, more: JsonObject = {}): JsonObject => ({
  id: "f%5C",
  name,
  type,
  [type]: more,
});

const database = {
  object: "database",
  id: "d9824bdc-8445-4327-be8b-5b47500af6ce",
  title: [{ plain_text: "People" }],
  properties: {
    Name: { ...property("Name", "title"), id: "title" },
    Notes: property("Notes", "rich_text"),
    Email: property("Email", "email"),
    Age: property("Age", "number", { format: "number" }),
    Stage: property("Stage", "status"),
    Tags: property("Tags", "multi_select", { options: [{ name: "vip" }] }),
    Born: property("Born", "date"),
    Boss: property("Boss", "relation"),
    Score: property("Score", "formula", { expression: "1" }),
  },
};

const text = (content: string): JsonObject => ({
  type: "text",
  text: { content, link: null },
  annotations: { bold: false },
  plain_text: content,
  href: null,
});

const page = {
  object: "page",
  id: PAGE,
  created_time: "2026-11-19T09:00:00.000Z",
  last_edited_time: "2026-11-20T09:00:00.000Z",
  archived: false,
  parent: { type: "database_id", database_id: "d9824bdc-8445-4327-be8b-5b47500af6ce" },
  properties: {
    Name: { id: "title", type: "title", title: [text("Ada "), text("Quill")] },
    Notes: { id: "a", type: "rich_text", rich_text: [] },
    Email: { id: "b", type: "email", email: "ada@example.com" },
    Age: { id: "c", type: "number", number: null },
    Stage: { id: "d", type: "status", status: { id: "1", name: "Done", color: "green" } },
    Tags: { id: "e", type: "multi_select", multi_select: [{ id: "2", name: "vip", color: "red" }] },
    Born: { id: "f", type: "date", date: { start: "1990-12-10", end: null, time_zone: null } },
    Boss: { id: "g", type: "relation", relation: [{ id: "p1" }, { id: "p2" }], has_more: false },
    Score: { id: "h", type: "formula", formula: { type: "number", number: 7 } },
  },
};

test("a create asks for the types of the database, and sends each value in the form of its type", async () => {
  const { fetch, requests } = replay({ status: 200, body: database }, { status: 200, body: page });
  const values = {
    Name: "Ada",
    Notes: 7,
    Email: "ada@example.com",
    Age: null,
    Stage: "Done",
    Tags: ["vip", "new"],
    Born: "1990-12-10",
    Boss: "p1",
    Unknown: "x",
  };
  const order = orderWrite(DATABASE, "create", { fields: values });
  const { outcomes } = await write.write(order, fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === PAGE);
  assert.deepEqual(
    requests.map(({ method, path, repeatable }) => [method, path, repeatable]),
    [
      ["GET", `/v1/databases/${DATABASE}`, true],
      ["POST", "/v1/pages", false],
    ],
  );
  assert.deepEqual(requests[1]?.body, {
    parent: { database_id: DATABASE },
    properties: {
      Name: { title: [{ text: { content: "Ada" } }] },
      Notes: { rich_text: [{ text: { content: "7" } }] },
      Email: { email: "ada@example.com" },
      Age: { number: null },
      Stage: { status: { name: "Done" } },
      Tags: { multi_select: [{ name: "vip" }, { name: "new" }] },
      Born: { date: { start: "1990-12-10" } },
      Boss: { relation: [{ id: "p1" }] },
      Unknown: "x",
    },
  });
});

test("files are sent in the form that Notion's client has for them", async () => {
  const files = [{ name: "pens.pdf", external: { url: "https://example.com/pens.pdf" } }];
  const properties = { Files: property("Files", "files") };
  const { fetch, requests } = replay(
    { status: 200, body: { ...database, properties } },
    { status: 200, body: page },
  );
  await write.write(orderWrite(DATABASE, "create", { fields: { Files: files } }), fetch);
  // `CreatePageBodyParameters` of @notionhq/client 4.0.2
  assert.deepEqual(requests[1]?.body, {
    parent: { database_id: DATABASE },
    properties: { Files: { files } },
  });
});

test("null clears a property in the form of its type, and a value in Notion's own form is sent as it is", async () => {
  const { fetch, requests } = replay({ status: 200, body: database }, { status: 200, body: page });
  const fieldsSent = {
    Name: null,
    Stage: null,
    Tags: null,
    Born: { date: { start: "2026-01-01", end: "2026-01-02" } },
  };
  await write.write(orderWrite(DATABASE, "update", { id: PAGE, fields: fieldsSent }), fetch);
  assert.equal(requests[1]?.path, `/v1/pages/${PAGE}`);
  assert.deepEqual(requests[1]?.body, {
    properties: {
      Name: { title: [] },
      Stage: { status: null },
      Tags: { multi_select: [] },
      Born: { date: { start: "2026-01-01", end: "2026-01-02" } },
    },
  });
});

test("several records of one write ask for the types once", async () => {
  const { fetch, requests } = replay({ status: 200, body: database }, { status: 200, body: page });
  const order = orderWrite(DATABASE, "update", { id: PAGE, fields: { Name: "a" } });
  await write.write({ ...order, records: [...order.records, ...order.records], batch: true }, fetch);
  assert.deepEqual(
    requests.map(({ method }) => method),
    ["GET", "PATCH", "PATCH"],
  );
});

test("a database that is not shared with the integration refuses the record, and nothing is written", async () => {
  const { fetch, requests } = replay({
    status: 404,
    body: { object: "error", status: 404, code: "object_not_found", message: "Could not find database" },
  });
  const [outcome] = (await write.write(orderWrite(DATABASE, "create", { fields: {} }), fetch)).outcomes;
  assert.ok(outcome && !outcome.success && outcome.error.kind === "not_found");
  assert.equal(requests.length, 1);
});

// makenotion/notion-sdk-js 9060802 (5.26.0, 2026-08-20), src/api-endpoints/data-sources.ts and pages.ts.
test("rows of a data source are asked for by the version that knows it, and those of a database by the earlier one", async () => {
  const source = "1a44be12094d4cc0a5a2f8b4c2d3e4f5";
  const { fetch, requests } = replay(
    { status: 200, body: { object: "list", results: [], next_cursor: null, has_more: false } },
    { status: 200, body: { ...database, object: "data_source" } },
    { status: 200, body: page },
    { status: 200, body: page },
    { status: 200, body: { object: "list", results: [], next_cursor: null, has_more: false } },
  );
  const objectName = `data_sources/${source}`;
  await read.readPage(planRead(objectName), undefined, fetch);
  await write.write(orderWrite(objectName, "create", { fields: { Name: "Ada" } }), fetch);
  await write.write(orderWrite(objectName, "delete", { id: PAGE, fields: {} }), fetch);
  await read.readPage(planRead(DATABASE), undefined, fetch);
  const version = { "Notion-Version": "2026-03-11" };
  assert.deepEqual(
    requests.map(({ method, path, headers }) => [method, path, headers]),
    [
      ["POST", `/v1/data_sources/${source}/query`, version],
      ["GET", `/v1/data_sources/${source}`, version],
      ["POST", "/v1/pages", version],
      ["PATCH", `/v1/pages/${PAGE}`, version],
      ["POST", `/v1/databases/${DATABASE}/query`, undefined],
    ],
  );
  assert.deepEqual(requests[2]?.body, {
    parent: { data_source_id: source },
    properties: { Name: { title: [{ text: { content: "Ada" } }] } },
  });
  assert.deepEqual(requests[3]?.body, { in_trash: true });
});

test("rows are read as plain values, with the bound of the last change in the filter", async () => {
  const { fetch, requests } = replay({
    status: 200,
    body: { object: "list", results: [page], next_cursor: "a1b2", has_more: true },
  });
  const since = new Date("2026-11-20T00:00:00Z");
  const { records, next } = await read.readPage(
    planRead(DATABASE, { since, pageSize: 2 }),
    { place: "z9", after: "2026-11-20T00:00:00.000Z" },
    fetch,
  );
  assert.equal(requests[0]?.path, `/v1/databases/${DATABASE}/query`);
  assert.deepEqual(requests[0]?.body, {
    sorts: [{ timestamp: "last_edited_time", direction: "ascending" }],
    page_size: 2,
    filter: {
      last_edited_time: { on_or_after: "2026-11-20T00:00:00.000Z" },
      timestamp: "last_edited_time",
    },
    start_cursor: "z9",
  });
  // A query ends after 10,000 rows; one from the time of the last row goes on.
  assert.equal(next?.["place"], undefined);
  assert.equal(next?.["after"], page.last_edited_time);
  const values = records[0]?.values ?? {};
  assert.deepEqual(
    Object.keys(page.properties).map((name) => values[name]),
    [
      "Ada Quill",
      null,
      "ada@example.com",
      null,
      "Done",
      ["vip"],
      "1990-12-10",
      ["p1", "p2"],
      page.properties.Score,
    ],
  );
});

test("a deletion archives the page, and one that is archived already is a success with a warning", async () => {
  const order = orderWrite(DATABASE, "delete", { id: PAGE, fields: {} });
  const { fetch, requests } = replay({
    status: 400,
    body: {
      object: "error",
      status: 400,
      code: "validation_error",
      message: "Can't edit block that is archived. You must unarchive the block before editing.",
    },
  });
  const { outcomes, warnings } = await write.write(order, fetch);
  assert.ok(outcomes[0]?.success && warnings.length === 1);
  assert.deepEqual(requests[0]?.body, { archived: true });
});

test("the properties of a database are its fields; what Notion computes is read-only", async () => {
  const { fetch } = replay({ status: 200, body: database });
  const described = await fields.describe(DATABASE, fetch);
  assert.deepEqual(
    Object.values(described.fields).map(({ fieldName, valueType, readOnly }) => [
      fieldName,
      valueType,
      readOnly,
    ]),
    [
      ["Name", "string", false],
      ["Notes", "string", false],
      ["Email", "string", false],
      ["Age", "float", false],
      ["Stage", "singleSelect", false],
      ["Tags", "multiSelect", false],
      ["Born", "datetime", false],
      ["Boss", "reference", false],
      ["Score", "other", true],
    ],
  );
  assert.deepEqual(described.fields["Tags"]?.values, [{ value: "vip", displayValue: "vip" }]);
});

test("a dry run shows the question for the types, and asks nothing", () => {
  const prepared = write.prepare(orderWrite(DATABASE, "create", { fields: { Name: "Ada" } }));
  assert.deepEqual(
    prepared.map(({ method, path }) => `${method} ${path}`),
    [`GET /v1/databases/${DATABASE}`, "POST /v1/pages"],
  );
  assert.deepEqual(prepared[1]?.body, {
    parent: { database_id: DATABASE },
    properties: { Name: { "{type}": "Ada" } },
  });
});

/** "Search indexing is not immediate" (developers.notion.com/reference/search-optimizations-and-limitations, 2026-11-28); Notion tells no time. */
test("a read begins some minutes before the last one, because a search has new pages late", () => {
  const { overlapMs = 0, settlingOverlapMs = 0 } = read.abilities;
  assert.ok(overlapMs >= 5 * 60_000, `${overlapMs} ms`);
  assert.ok(settlingOverlapMs >= 3_600_000, `${settlingOverlapMs} ms`);
});
