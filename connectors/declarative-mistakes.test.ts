/** Mistakes seen in other implementations of these providers' APIs, which our descriptions do not make. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordWrite } from "../connector-kit/connector.ts";
import type { ProviderRequest } from "../connector-kit/calls/provider-fetch.ts";
import { orderWrite, planRead } from "../connector-kit/testing/order-fixture.ts";
import { getValueAt } from "../connector-kit/calls/get-text-at.ts";
import { replay, type Reply } from "../connector-kit/testing/replay.ts";
import type { JsonObject } from "../ground/json.ts";
import { CONNECTORS } from "./connectors.gen.ts";

const SINCE = new Date("2026-11-20T09:30:15Z");

function reader(provider: string) {
  const read = CONNECTORS[provider]?.read;
  assert.ok(read);
  return read;
}

function writer(provider: string) {
  const write = CONNECTORS[provider]?.write;
  assert.ok(write);
  return write;
}

const query = ({ path }: ProviderRequest): URLSearchParams => new URL(path, "https://x.invalid").searchParams;

const single = (
  objectName: string,
  type: RecordWrite["type"],
  fields: JsonObject,
  id?: string,
): RecordWrite => orderWrite(objectName, type, { fields, ...(id !== undefined && { id }) });

function request(provider: string, write: RecordWrite): ProviderRequest {
  const [prepared] = writer(provider).prepare(write);
  assert.ok(prepared);
  return prepared;
}

test("Close: the offset is a number, and grows by the new records of a page, which begins with the last one before", async () => {
  const page = (...numbers: number[]): Reply => ({
    status: 200,
    body: { data: numbers.map((number) => ({ id: `task_${number}` })), has_more: true },
  });
  const provider = replay(page(1, 2, 3), page(3, 4, 5));
  const first = await reader("close").readPage(planRead("task"), undefined, provider.fetch);
  const { next } = await reader("close").readPage(planRead("task"), first.next, provider.fetch);
  assert.deepEqual([first.next?.["place"], next?.["place"]], [2, 4]);
});

for (const [provider, object] of [
  ["close", "opportunity"],
  ["outreach", "prospects"],
] as const)
  test(`${provider}: the bound of the last change has its time, not only its day`, () => {
    const { path } = reader(provider).preparePage(planRead(object, { since: SINCE }));
    assert.match(decodeURIComponent(path), /2026-11-20T09:30:15/);
  });

test("Dynamics CRM: changes are asked for, and a create asks for the record, which has the id", () => {
  const asked = query(reader("dynamicsCRM").preparePage(planRead("contacts", { since: SINCE })));
  assert.match(asked.get("$filter") ?? "", /^modifiedon ge 2026-11-20T09:30:15Z$/);
  const { headers } = request("dynamicsCRM", single("contacts", "create", { firstname: "Ada" }));
  assert.equal(headers?.["prefer"], "return=representation");
});

test("Apollo: changed records are found on every page, in whatever order", async () => {
  const record = (id: number, updated: string) => ({ id: String(id).padStart(24, "0"), updated_at: updated });
  const full = Array.from({ length: 100 }, (_, index) => record(index, "2026-01-01T00:00:00Z"));
  const provider = replay(
    { status: 200, body: { contacts: full } },
    // Of 101, the second page of 97 has the last three of the hundred, and one more.
    { status: 200, body: { contacts: [...full.slice(97), record(500, "2026-11-21T00:00:00Z")] } },
    // A page with room left need not be the last one: what follows it is asked for in the same size.
    { status: 200, body: { contacts: [] } },
  );
  const read = reader("apollo");
  const first = await read.readPage(planRead("contacts", { since: SINCE }), undefined, provider.fetch);
  assert.deepEqual(first.records, []);
  const second = await read.readPage(planRead("contacts", { since: SINCE }), first.next, provider.fetch);
  assert.equal(second.records.length, 1);
  const third = await read.readPage(planRead("contacts", { since: SINCE }), second.next, provider.fetch);
  assert.deepEqual([third.records, third.next], [[], undefined]);
  assert.deepEqual(
    provider.requests.map(({ body }) => [
      getValueAt(body ?? null, "page"),
      getValueAt(body ?? null, "per_page"),
    ]),
    [
      [1, 100],
      [2, 97],
      [3, 97],
    ],
  );
});

test("Apollo: pages are asked for in the body, in an order that no change moves", () => {
  const { path, body } = reader("apollo").preparePage(planRead("contacts"));
  assert.equal(path, "/api/v1/contacts/search");
  // The newest first, which is the vendor's default of `sort_ascending`.
  assert.deepEqual(body, { sort_by_field: "contact_created_at", page: 1, per_page: 100 });
});

test("Brevo: contacts are updated by PUT, the others by PATCH", () => {
  assert.equal(request("brevo", single("contacts", "update", {}, "7")).method, "PUT");
  assert.equal(request("brevo", single("companies", "update", {}, "a7")).method, "PATCH");
});

test("Jira: a create has the id of its record, and an update returns the record", async () => {
  const created = replay({ status: 201, body: { id: "10042", key: "ABC-12", self: "https://x.invalid" } });
  const { outcomes } = await writer("atlassian").write(
    single("issue", "create", { summary: "Pens" }),
    created.fetch,
  );
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === "10042");
  const updated = replay({ status: 204 }, { status: 200, body: { id: "10042", fields: { summary: "Ink" } } });
  const again = await writer("atlassian").write(
    single("issue", "update", { summary: "Ink" }, "10042"),
    updated.fetch,
  );
  assert.ok(again.outcomes[0]?.success);
  assert.deepEqual(again.outcomes[0].data, { id: "10042", fields: { summary: "Ink" } });
});

for (const [provider, object, body] of [
  ["insightly", "Contacts", [{ CONTACT_ID: 1 }]],
  ["copper", "people", [{ id: 1, date_modified: 1513161600 }]],
] as const)
  test(`${provider}: a short page is not taken for the last one; an empty page is`, async () => {
    const { fetch } = replay({ status: 200, body: [...body] }, { status: 200, body: [] });
    const page = await reader(provider).readPage(planRead(object), undefined, fetch);
    assert.equal(page.records.length, 1);
    const { records, next } = await reader(provider).readPage(planRead(object), page.next, fetch);
    assert.deepEqual([records, next], [[], undefined]);
  });

test("Stripe: creation times are not taken for changes, because lists know no bound of the last change", () => {
  const asked = query(reader("stripe").preparePage(planRead("customers", { since: SINCE })));
  assert.deepEqual([...asked.keys()], ["limit"]);
});

test("Chargebee: nested values are sent in the provider's form", () => {
  const { body } = request(
    "chargebee",
    single("customers", "create", { billing_address: { city: "Berlin" }, email: "ada@example.com" }),
  );
  assert.equal(body, "billing_address%5Bcity%5D=Berlin&email=ada%40example.com");
});
