/** Requests and answers as the providers' documentation shows them, which simulations of our own could get wrong as the connectors do. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordWrite } from "../connector-kit/connector.ts";
import type { Account } from "../connector-kit/calls/provider-fetch.ts";
import { orderWrite, planRead } from "../connector-kit/testing/order-fixture.ts";
import { replay } from "../connector-kit/testing/replay.ts";
import { withAccount } from "../connector-kit/calls/with-account.ts";
import type { JsonObject } from "../ground/json.ts";
import { CONNECTORS } from "./connectors.gen.ts";

const SINCE = new Date("2026-11-20T00:00:00Z");

const order = (objectName: string, type: RecordWrite["type"], fields: JsonObject, id?: string): RecordWrite =>
  orderWrite(objectName, type, { fields, ...(id !== undefined && { id }) });

function buildConnector(provider: string, values: Account["values"] = {}) {
  const connector = CONNECTORS[provider];
  assert.ok(connector);
  const { read, write } = withAccount(connector, { values });
  assert.ok(read && write);
  return { read, write };
}

test("QuickBooks: an update repeats the version that was read, and leaves what it does not name", async () => {
  const { write } = buildConnector("quickbooks", { realmId: "934145" });
  const { fetch, requests } = replay(
    { status: 200, body: { Customer: { Id: "67", SyncToken: "3", DisplayName: "Quill Ltd" } } },
    { status: 200, body: { Customer: { Id: "67", SyncToken: "4", Notes: "pens" }, time: "…" } },
  );
  const { outcomes } = await write.write(order("customer", "update", { Notes: "pens" }, "67"), fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === "67");
  assert.deepEqual(
    requests.map(({ method, path, body }) => ({ method, path, body })),
    [
      { method: "GET", path: "/v3/company/934145/customer/67", body: undefined },
      {
        method: "POST",
        path: "/v3/company/934145/customer",
        body: { sparse: true, Notes: "pens", Id: "67", SyncToken: "3" },
      },
    ],
  );
});

test("QuickBooks: lists are queries from 1, and a list without records has no member", async () => {
  const { read } = buildConnector("quickbooks", { realmId: "934145" });
  const queryIn = (path: string) => new URL(path, "https://x.invalid").searchParams.get("query");
  assert.equal(
    queryIn(read.preparePage(planRead("invoice", { since: SINCE, pageSize: 2 })).path),
    "select * from Invoice where MetaData.LastUpdatedTime >= '2026-11-20T00:00:00Z' orderby Id startposition 1 maxresults 2",
  );
  assert.equal(
    queryIn(read.preparePage(planRead("customer"), { place: 1001 }).path),
    "select * from Customer where Active in (true, false) orderby Id startposition 1001 maxresults 1000",
  );
  const { fetch } = replay({
    status: 200,
    body: { QueryResponse: {}, time: "2026-11-20T01:00:00.120-08:00" },
  });
  assert.deepEqual((await read.readPage(planRead("customer"), undefined, fetch)).records, []);
});

test("QuickBooks: without the company of the connection nothing is sent", async () => {
  const { write } = buildConnector("quickbooks");
  const { fetch, requests } = replay({ status: 200 });
  await assert.rejects(write.write(order("customer", "create", {}), fetch), {
    kind: "invalid",
    message: /realmId/,
  });
  assert.equal(requests.length, 0);
});

test("Xero: the id is that of the record, not that of the answer, and changes have their time", async () => {
  const { read, write } = buildConnector("xero");
  const contact = {
    ContactID: "bd2270c3-8706-4c11-9cfb-000b551c3f51",
    Name: "Quill Ltd",
    UpdatedDateUTC: "/Date(1763629200000+0000)/",
  };
  const answer = { Id: "e997d6d7-6dad-4458-beb8-d9c1bf7f2edf", Status: "OK", Contacts: [contact] };
  const { fetch, requests } = replay({ status: 200, body: answer }, { status: 200, body: answer });
  const { outcomes } = await write.write(order("Contacts", "create", { Name: "Quill Ltd" }), fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === contact.ContactID);
  assert.equal(requests[0]?.method, "PUT");
  const { records } = await read.readPage(
    planRead("Contacts", { since: new Date(1763629200000) }),
    undefined,
    fetch,
  );
  assert.deepEqual(records[0]?.changeTime, new Date(1763629200000));
  assert.deepEqual(requests[1]?.headers, { "if-modified-since": "2025-11-20T09:00:00Z" });
});

test("Airtable: records of a table are named by base and table, and their fields are one level below", async () => {
  const { read, write } = buildConnector("airtable");
  const table = "appAbC123dEf45678/tblXyZ987wVu65432";
  const record = {
    id: "recA1b2C3d4E5f6G7",
    createdTime: "2026-11-20T09:00:00.000Z",
    fields: { Name: "Ada" },
  };
  const { fetch, requests } = replay(
    { status: 200, body: record },
    { status: 200, body: { records: [record], offset: "itrZ/recB" } },
  );
  const { outcomes } = await write.write(order(table, "create", { Name: "Ada" }), fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === record.id);
  assert.deepEqual(requests[0]?.body, { fields: { Name: "Ada" } });
  const page = await read.readPage(planRead(table), undefined, fetch);
  assert.equal(page.records[0]?.values["Name"], "Ada");
  assert.equal(page.next?.["place"], "itrZ/recB");
  for (const name of ["appAbC123dEf45678/../meta", "appAbC123dEf45678", `${table}/x`])
    assert.throws(() => read.preparePage(planRead(name)), { kind: "invalid" });
});

test("Attio: lists of typed entries are read as values, and plain values are written", async () => {
  const { read, write } = buildConnector("attio");
  const entry = (type: string, more: JsonObject): JsonObject => ({
    active_from: "2026-11-20T09:00:00.000000000Z",
    active_until: null,
    attribute_type: type,
    ...more,
  });
  const record = {
    id: { workspace_id: "0d4d", object_id: "97ab", record_id: "bf071e1f-6035-429d-b874-d83ea64ea13b" },
    values: {
      job_title: [entry("text", { value: "CTO" })],
      email_addresses: [
        entry("email-address", { email_address: "ada@example.com", email_domain: "example.com" }),
      ],
      stage: [entry("status", { status: { title: "Won" } })],
      companies: [1, 2].map((n) =>
        entry("record-reference", { target_object: "companies", target_record_id: `c${n}` }),
      ),
      location: [entry("location", { locality: "Berlin" })],
      nothing: [],
    },
  };
  const { fetch, requests } = replay(
    { status: 200, body: { data: record } },
    { status: 200, body: { data: [record] } },
  );
  const fields = { job_title: "CTO", email_addresses: ["ada@example.com"] };
  const { outcomes } = await write.write(order("people", "create", fields), fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === record.id.record_id);
  assert.deepEqual(requests[0]?.body, { data: { values: fields } });
  const { records } = await read.readPage(planRead("people", { pageSize: 2 }), undefined, fetch);
  const sorts = [{ attribute: "created_at", direction: "asc" }];
  assert.deepEqual(requests[1]?.body, { limit: 2, offset: 0, sorts });
  const { values } = records[0] ?? {};
  assert.deepEqual(
    ["job_title", "email_addresses", "stage", "companies", "nothing"].map((name) => values?.[name]),
    ["CTO", ["ada@example.com"], "Won", ["c1", "c2"], null],
  );
  assert.deepEqual(values?.["location"], record.values.location[0]);
});

const DOCUMENT_OF_LINEAR =
  "mutation($id:String!,$input:IssueUpdateInput!){issueUpdate(id:$id,input:$input){success issue{id updatedAt ";

test("Linear: an update is no create, values are variables, and lists go on while there is a next page", async () => {
  const { read, write } = buildConnector("linear");
  const issue = {
    id: "7b1c2d3e",
    identifier: "ENG-12",
    title: "Ink leaks",
    updatedAt: "2026-11-20T09:00:00.000Z",
  };
  const page = (hasNextPage: boolean) => ({
    status: 200,
    body: { data: { issues: { nodes: [issue], pageInfo: { hasNextPage, endCursor: "7b1c" } } } },
  });
  const { fetch, requests } = replay(
    { status: 200, body: { data: { issueUpdate: { success: true, issue } } } },
    page(true),
    page(false),
  );
  const { outcomes } = await write.write(
    order("issues", "update", { title: 'Ink ") { x' }, "7b1c2d3e"),
    fetch,
  );
  assert.ok(outcomes[0]?.success && outcomes[0].data?.["title"] === "Ink leaks");
  const { body } = requests[0] ?? {};
  assert.ok(body && typeof body === "object" && !Array.isArray(body));
  assert.ok(String(body["query"]).startsWith(DOCUMENT_OF_LINEAR), String(body["query"]));
  assert.deepEqual(body["variables"], { input: { title: 'Ink ") { x' }, id: "7b1c2d3e" });

  const asked = planRead("issues", { fields: ["title", "$['state']['name']"], since: SINCE, pageSize: 2 });
  const first = await read.readPage(asked, undefined, fetch);
  assert.equal(first.next?.["place"], "7b1c");
  assert.deepEqual(requests[1]?.body, {
    query:
      "query($first:Int!,$after:String,$filter:IssueFilter){issues(first:$first,after:$after,filter:$filter,includeArchived:true)" +
      "{nodes{id updatedAt trashed title state{name}} pageInfo{hasNextPage endCursor}}}",
    variables: { first: 2, filter: { updatedAt: { gte: "2026-11-20T00:00:00.000Z" } } },
  });
  assert.equal((await read.readPage(asked, undefined, fetch)).next, undefined);
  assert.throws(() => read.preparePage(planRead("issues", { fields: ["title} x{"] })), { kind: "invalid" });
});

test("Linear: a rate limit has the status 400, and its reset is in milliseconds", async () => {
  const { read } = buildConnector("linear");
  const { fetch } = replay({
    status: 400,
    headers: { "x-ratelimit-requests-reset": "4102444800000" },
    body: { errors: [{ message: "Rate limit exceeded", extensions: { code: "RATELIMITED" } }] },
  });
  await assert.rejects(read.readPage(planRead("issues"), undefined, fetch), {
    kind: "rate_limited",
    retryAt: new Date("2100-01-01T00:00:00Z"),
  });
});

test("Shopify: refusals and throttling have the status 200", async () => {
  const { write } = buildConnector("shopify");
  const id = "gid://shopify/Product/-1".replace("-1", "1");
  const payload = (field: string, more: JsonObject) => ({ status: 200, body: { data: { [field]: more } } });
  const { fetch, requests } = replay(
    payload("productDelete", {
      deletedProductId: null,
      userErrors: [{ field: ["id"], message: "Product does not exist" }],
    }),
    payload("customerCreate", {
      customer: null,
      userErrors: [{ field: ["email"], message: "Email is invalid" }],
    }),
    { status: 200, body: { errors: [{ message: "Throttled", extensions: { code: "THROTTLED" } }] } },
    payload("customerCreate", { customer: { id: "gid://shopify/Customer/1018520244" }, userErrors: [] }),
  );
  const deleted = await write.write(order("products", "delete", {}, id), fetch);
  assert.ok(deleted.outcomes[0]?.success && deleted.warnings.length === 1);
  const input = { email: "ada" };
  const [refused] = (await write.write(order("customers", "create", input), fetch)).outcomes;
  assert.ok(refused && !refused.success && refused.error.kind === "invalid");
  assert.match(refused.error.message, /Email is invalid/);
  await assert.rejects(write.write(order("customers", "create", input), fetch), { kind: "rate_limited" });
  const [created] = (await write.write(order("customers", "create", input), fetch)).outcomes;
  assert.ok(created?.success && created.recordId === "gid://shopify/Customer/1018520244");
  assert.deepEqual(requests[0]?.body, {
    query: "mutation($input:ProductDeleteInput!){productDelete(input:$input){userErrors{field message}}}",
    variables: { input: { id } },
  });
  assert.equal(requests[0]?.path, "/admin/api/2026-07/graphql.json");
});

test("ClickUp: tasks are listed in their workspace, with the time of their change in milliseconds as text", async () => {
  const { read } = buildConnector("clickup", { teamId: "333" });
  const { fetch, requests } = replay({
    status: 200,
    body: { tasks: [{ id: "86abc123", name: "Call Ada", date_updated: "1763629200000" }], last_page: true },
  });
  const { records } = await read.readPage(
    planRead("tasks", { since: new Date(1763600000000) }),
    undefined,
    fetch,
  );
  assert.deepEqual(records[0]?.changeTime, new Date(1763629200000));
  assert.equal(
    requests[0]?.path,
    // `date_updated_gt` leaves out what changed exactly then.
    "/api/v2/team/333/task?include_closed=true&subtasks=true&include_markdown_description=true&order_by=updated&reverse=true&date_updated_gt=1763599999999&page=0",
  );
});

test("Asana: a create names the workspace of the connection, and lists name the fields", () => {
  const { read, write } = buildConnector("asana", { workspaceId: "12345" });
  const [request] = write.prepare(order("tasks", "create", { name: "Call Ada" }));
  assert.deepEqual(request?.body, { data: { workspace: "12345", name: "Call Ada" } });
  assert.equal(
    decodeURIComponent(read.preparePage(planRead("projects", { fields: ["name"], pageSize: 2 })).path),
    "/1.0/projects?workspace=12345&limit=2&opt_fields=name,gid,modified_at",
  );
  const own = write.prepare(order("tasks", "create", { workspace: "7" }));
  assert.deepEqual(own[0]?.body, { data: { workspace: "7" } });
});

test("Xero: several records in one request have a result each, and a refused one does not refuse the others", async () => {
  const { write } = buildConnector("xero");
  const names = ["Quill Ltd", "", "Pens Ltd"];
  const ids = [1, 2, 3].map((number) => `bd2270c3-8706-4c11-9cfb-00000000000${number}`);
  const contact = (index: number, more: JsonObject): JsonObject => ({ Name: names[index] ?? "", ...more });
  const { fetch, requests } = replay({
    status: 200,
    body: {
      Status: "OK",
      Contacts: [
        contact(0, { ContactID: ids[0] ?? "", StatusAttributeString: "OK" }),
        contact(1, {
          ContactID: "00000000-0000-0000-0000-000000000000",
          StatusAttributeString: "ERROR",
          ValidationErrors: [{ Message: "The contact has no name" }],
        }),
        contact(2, { ContactID: ids[2] ?? "", StatusAttributeString: "WARNING" }),
      ],
    },
  });
  const batch: RecordWrite = {
    ...order("Contacts", "create", {}),
    batch: true,
    records: names.map((Name) => ({ fields: { Name } })),
  };
  const { outcomes } = await write.write(batch, fetch);
  assert.equal(requests[0]?.path, "/api.xro/2.0/Contacts?summarizeErrors=false");
  assert.deepEqual(requests[0]?.body, { Contacts: names.map((Name) => ({ Name })) });
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.message)),
    [ids[0], "The contact has no name", ids[2]],
  );
});

test("Zoho: a success with a refusal is a refusal, results count one by one, and an answer without a body has no records", async () => {
  const { read, write } = buildConnector("zoho");
  const added = {
    code: "SUCCESS",
    details: { Modified_Time: "2026-11-20T09:00:00+00:00", id: "5725767000000411001" },
    message: "record added",
    status: "success",
  };
  const twice = {
    code: "DUPLICATE_DATA",
    details: { api_name: "Email", id: "5725767000000411001" },
    message: "duplicate data",
    status: "error",
  };
  const contact = {
    id: "5725767000000411001",
    Last_Name: "Quill",
    Modified_Time: "2026-11-20T10:00:00+01:00",
  };
  const { fetch, requests } = replay(
    { status: 201, body: { data: [added] } },
    { status: 200, body: { data: [contact] } },
    { status: 202, body: { data: [twice] } },
    { status: 207, body: { data: [added, twice] } },
    {
      status: 200,
      body: { data: [contact], info: { per_page: 200, count: 1, more_records: true, next_page_token: "t2" } },
    },
    { status: 204 },
    { status: 304 },
  );
  const create = order("Contacts", "create", { Last_Name: "Quill" });
  const first = await write.write(create, fetch);
  assert.deepEqual(first.outcomes, [{ success: true, recordId: contact.id, data: contact }]);
  assert.deepEqual(requests[0]?.body, { data: [{ Last_Name: "Quill" }] });
  const second = await write.write(create, fetch);
  assert.equal(second.outcomes[0]?.success === false && second.outcomes[0].error.kind, "conflict");
  const records = [{ fields: { Last_Name: "Quill" } }, { fields: { Last_Name: "Quill" } }];
  const both = await write.write({ ...create, batch: true, records }, fetch);
  assert.deepEqual(
    both.outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.kind)),
    [contact.id, "conflict"],
  );
  const plan = planRead("Contacts", { fields: ["Last_Name"], since: SINCE });
  const page = await read.readPage(plan, undefined, fetch);
  assert.deepEqual(page.records[0]?.changeTime, new Date("2026-11-20T09:00:00Z"));
  // No token leads beyond 100,000 records: the next page begins at the time of the last one.
  assert.equal(page.next?.["after"], "2026-11-20T09:00:00.000Z");
  const { searchParams } = new URL(requests[4]?.path ?? "", "https://x.invalid");
  assert.equal(searchParams.get("fields"), "Last_Name,id,Modified_Time");
  for (const checkpoint of [page.next, undefined])
    assert.deepEqual(await read.readPage(plan, checkpoint, fetch), { records: [] });
});

test("Kit: custom fields that it ignored are told beside the subscriber that it wrote", async () => {
  const { write } = buildConnector("kit");
  const subscriber = { id: 349, email_address: "alice@convertkit.dev", fields: { birthday: "Feb 17" } };
  const told = "Unknown custom field key: shoe_size";
  const { fetch } = replay({ status: 201, body: { subscriber, warnings: [told] } });
  const fields = { email_address: "alice@convertkit.dev", fields: { shoe_size: "9" } };
  const { outcomes, warnings } = await write.write(order("subscribers", "create", fields), fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === "349");
  assert.deepEqual(warnings, [`subscribers was written, and the provider says: ${told}`]);
});

test("Resend: a full page of contacts leads to another one, because its file names no `has_more` for them", async () => {
  const { read } = buildConnector("resend");
  const answer = (count: number) => ({
    status: 200,
    body: { object: "list", data: Array.from({ length: count }, (_, index) => ({ id: `c${index}` })) },
  });
  const { fetch } = replay(answer(100), answer(99), answer(0));
  const first = await read.readPage(planRead("contacts"), undefined, fetch);
  assert.ok(first.next);
  assert.equal((await read.readPage(planRead("contacts"), first.next, fetch)).next, undefined);
});
