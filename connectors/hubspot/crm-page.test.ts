/** HubSpot scans: what is requested, and what happens where lists and searches have limits. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { isJsonObject, type JsonObject } from "../../ground/json.ts";
import { fetchFrom, openSandbox } from "../../connector-kit/testing/reading-fixture.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ReadPlan } from "../../connector-kit/read-connector.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { read } from "./read.ts";

const plan = (more: Partial<ReadPlan> = {}): ReadPlan => ({
  objectName: "contacts",
  fields: ["email", "firstName"],
  filters: [],
  associations: [],
  ...more,
});
const contact = (id: string, properties: JsonObject = {}): JsonObject => ({
  id,
  properties: { hs_object_id: id, lastmodifieddate: "2026-01-06T10:00:00.120Z", ...properties },
  createdAt: "2026-01-05T09:00:00Z",
  updatedAt: "2026-01-06T10:00:00.120Z",
  archived: false,
});
const page = (results: JsonObject[], after?: string): Reply => ({
  status: 200,
  body: { total: results.length, results, ...(after !== undefined && { paging: { next: { after } } }) },
});
const refused = (status: number, message: string): Reply => ({ status, body: { status: "error", message } });
const ids = (records: { id: string }[]): string[] => records.map(({ id }) => id);

test("a scan over all lists them and goes on behind the cursor", async () => {
  const provider = replay(page([contact("501"), contact("502")], "NTAyCg=="), page([contact("503")]));
  const first = await read.readPage(plan(), undefined, provider.fetch);
  assert.deepEqual(first.next, { way: "list", after: "NTAyCg==", lastId: "502" });
  const second = await read.readPage(plan(), first.next, provider.fetch);
  assert.deepEqual([ids(second.records), second.next], [["503"], undefined]);
  assert.deepEqual(
    provider.requests.map(({ method, path }) => `${method} ${path}`),
    [
      "GET /crm/objects/2026-03/contacts?limit=100&properties=email,firstname,lastmodifieddate",
      "GET /crm/objects/2026-03/contacts?limit=100&properties=email,firstname,lastmodifieddate&after=NTAyCg%3D%3D",
    ],
  );
  const [record] = first.records;
  assert.deepEqual(record?.raw, contact("501"));
  assert.deepEqual(record?.values.updatedAt, "2026-01-06T10:00:00.120Z");
  assert.deepEqual(record?.changeTime, new Date("2026-01-06T10:00:00.120Z"));
});

test("empty pages that name a next one go on, by list and by search; next: null is the end", async () => {
  for (const asked of [plan(), plan({ since: new Date(0) })]) {
    const end: Reply = { status: 200, body: { total: 1, results: [contact("3")], paging: { next: null } } };
    const provider = replay(
      page([], "a"),
      page([], "b"),
      page([contact("1")], "c"),
      page([], "d"),
      page([contact("2")], "e"),
      end,
    );
    const seen: string[] = [];
    let checkpoint;
    do {
      const found = await read.readPage(asked, checkpoint, provider.fetch);
      seen.push(...ids(found.records));
      checkpoint = found.next;
    } while (checkpoint);
    assert.deepEqual(seen, ["1", "2", "3"]);
    const again = replay(page([], "a"), page([], "a"));
    const { next } = await read.readPage(asked, undefined, again.fetch);
    await assert.rejects(read.readPage(asked, next, again.fetch), { kind: "unreadable", message: /cursor/ });
  }
});

test("an empty page of a search is followed by its cursor, one with records by the last id", async () => {
  const provider = replay(
    page([contact("1")], "200"),
    page([], "400"),
    page([contact("2")], "600"),
    page([]),
  );
  const asked = plan({ since: new Date(0) });
  let checkpoint;
  do checkpoint = (await read.readPage(asked, checkpoint, provider.fetch)).next;
  while (checkpoint);
  const sent = provider.requests.map(({ body }) => {
    const text = JSON.stringify(body);
    return [/"GT","value":"(\d+)"/.exec(text)?.[1], /"after":"(\d+)"/.exec(text)?.[1]];
  });
  assert.deepEqual(sent, [
    [undefined, undefined],
    ["1", undefined],
    ["1", "400"],
    ["2", undefined],
  ]);
});

test("a search that counts more than it gives goes on, and fails with both numbers where it gives nothing", async () => {
  const asked = plan({ since: new Date(0) });
  const counted = (total: number, ...results: JsonObject[]): Reply => ({
    status: 200,
    body: { total, results },
  });
  const provider = replay(counted(5, contact("1")), counted(4, contact("2")), counted(3));
  const first = await read.readPage(asked, undefined, provider.fetch);
  const second = await read.readPage(asked, first.next, provider.fetch);
  await assert.rejects(read.readPage(asked, second.next, provider.fetch), {
    kind: "unavailable",
    message: "HubSpot's search counts 3 more records, and gives 0 of them and no next page",
  });
});

test("a scan with a time or filters searches, each page a new query behind the last id", async () => {
  const bounded = plan({
    objectName: "deals",
    since: new Date(1767600000000),
    until: new Date(1767603600000),
    filters: [{ fieldName: "DealStage", value: "won" }],
  });
  const provider = replay(page([contact("9"), contact("10")], "200"), page([contact("9007199254740993")]));
  const first = await read.readPage(bounded, undefined, provider.fetch);
  assert.deepEqual(first.next, { way: "search", lastId: "10" });
  const last = await read.readPage(bounded, first.next, provider.fetch);
  assert.equal(last.next, undefined);
  const stage = { propertyName: "dealstage", operator: "EQ", value: "won" };
  const time = {
    propertyName: "hs_lastmodifieddate",
    operator: "BETWEEN",
    value: "1767600000000",
    highValue: "1767603600000",
  };
  const common = {
    sorts: [{ propertyName: "hs_object_id", direction: "ASCENDING" }],
    properties: ["email", "firstname", "hs_lastmodifieddate"],
    limit: 200,
  };
  assert.deepEqual(
    provider.requests.map(({ body }) => body),
    [
      { filterGroups: [{ filters: [time, stage] }], ...common },
      {
        filterGroups: [
          { filters: [time, { propertyName: "hs_object_id", operator: "GT", value: "10" }, stage] },
        ],
        ...common,
      },
    ],
  );
});

test("filters that a search has no room for are tested on the records, by the property's type", async () => {
  const filters = ["a", "b", "c", "d"].map((fieldName) => ({ fieldName, value: "1" }));
  const types = {
    name: "string",
    size: "number",
    stage: "enumeration",
    due: "datetime",
    day: "date",
    vip: "bool",
  };
  const metadata = {
    name: "contacts",
    displayName: "Contacts",
    fields: Object.fromEntries(
      Object.entries(types).map(([fieldName, providerType]) => [
        fieldName,
        {
          fieldName,
          displayName: fieldName,
          valueType: "other" as const,
          providerType,
          readOnly: false,
          isCustom: false,
          isRequired: false,
        },
      ]),
    ),
  };
  filters.push({ fieldName: "name", value: "ADA" }, { fieldName: "size", value: "7" });
  const values = {
    name: "Ada",
    size: "7.0",
    stage: "New",
    due: "2026-01-06T10:00:00Z",
    day: "2026-01-06",
    vip: "true",
  };
  const more: ReadPlan["filters"] = [
    { fieldName: "stage", value: "New" },
    { fieldName: "due", value: "1767693600000" },
    { fieldName: "day", value: "1767657600000" },
    { fieldName: "vip", value: true },
  ];
  const provider = replay(
    page([
      contact("1", values),
      contact("2", { ...values, stage: "new" }),
      contact("3", { ...values, size: null }),
      contact("4", { ...values, due: "2026-01-06T10:00:01Z" }),
    ]),
  );
  const found = await read.readPage(
    plan({ filters: [...filters, ...more], metadata }),
    undefined,
    provider.fetch,
  );
  assert.deepEqual(ids(found.records), ["1"]);
  const body = JSON.stringify(provider.requests[0]?.body);
  assert.match(
    body,
    /"properties":\["email","firstname","name","size","stage","due","day","vip","lastmodifieddate"\]/,
  );
  assert.equal(body.match(/"EQ"/g)?.length, 4);
});

test("an object that cannot be searched is listed, and times and filters are tested on the records", async () => {
  for (const refusal of [
    refused(405, "no"),
    refused(404, ""),
    refused(400, "Search is not supported here"),
  ]) {
    const old = { hs_lastmodifieddate: "2025-01-01T00:00:00Z", email: "a" };
    const recent = { hs_lastmodifieddate: "2026-01-01T00:00:00Z" };
    const provider = replay(
      refusal,
      page([contact("1", old), contact("2", { ...recent, email: "A" })], "x"),
      page([contact("3", { ...recent, email: "b" }), contact("4", { ...recent, email: "a" })]),
    );
    const bounded = plan({
      objectName: "widgets",
      since: new Date("2025-06-01"),
      filters: [{ fieldName: "email", value: "a" }],
    });
    const first = await read.readPage(bounded, undefined, provider.fetch);
    const second = await read.readPage(bounded, first.next, provider.fetch);
    assert.deepEqual([ids(first.records), ids(second.records)], [["2"], ["4"]]);
  }
});

test("a cursor that is refused is replaced by the last id; without search the list begins anew and skips", async () => {
  const place = { way: "list", after: "x", lastId: "2" };
  const searched = replay(refused(400, "Cannot deserialize value of type"), page([contact("3")]));
  assert.deepEqual(ids((await read.readPage(plan(), place, searched.fetch)).records), ["3"]);
  assert.match(JSON.stringify(searched.requests[1]?.body), /"GT","value":"2"/);

  const gone = refused(400, "expired");
  const listed = replay(
    gone,
    refused(405, "no"),
    page([contact("1"), contact("2")], "y"),
    page([contact("3")]),
  );
  const skipped = await read.readPage(plan(), place, listed.fetch);
  assert.deepEqual(skipped, {
    records: [],
    next: { way: "list", after: "y", lastId: "2", skipTo: "2" },
    providerTime: undefined,
  });
  assert.deepEqual(ids((await read.readPage(plan(), skipped.next, listed.fetch)).records), ["3"]);

  const endless = replay(gone);
  await assert.rejects(read.readPage(plan(), skipped.next, endless.fetch), { kind: "unreadable" });
});

test("properties that are too long for an address are read in a body, without records that are gone", async () => {
  const fields = Array.from({ length: 400 }, (_, index) => `property_with_a_long_name_${index}`);
  const provider = replay(page([contact("1"), contact("2"), contact("3")], "x"), {
    status: 207,
    body: {
      results: [contact("3", { email: "c" }), contact("1", { email: "a" })],
      errors: [{ category: "OBJECT_NOT_FOUND", message: "no", context: { ids: ["2"] } }],
    },
  });
  const found = await read.readPage(plan({ fields }), undefined, provider.fetch);
  assert.deepEqual(ids(found.records), ["1", "3"]);
  assert.deepEqual(found.next, { way: "list", after: "x", lastId: "3" });
  assert.equal(provider.requests[0]?.path, "/crm/objects/2026-03/contacts?limit=100&properties=hs_object_id");
  assert.equal(provider.requests[1]?.path, "/crm/objects/2026-03/contacts/batch/read");

  // HubSpot's page of errors names 414, RFC 6585 names 431 for what stands in the head.
  const wide = { way: "list", after: "x", lastId: "1", isWide: true };
  for (const status of [414, 431]) {
    const narrow = replay({ status, body: "<html>" }, page([contact("1")], "x"), page([contact("1")]));
    assert.deepEqual((await read.readPage(plan(), undefined, narrow.fetch)).next, wide);
  }
  const next = wide;
  const again = replay(page([contact("2")]), page([contact("2")]));
  await read.readPage(plan(), next, again.fetch);
  assert.match(again.requests[0]?.path ?? "", /properties=hs_object_id&after=x/);
});

test("an answer that is too large is asked for again in small pages, and so are the following", async () => {
  const tooLarge = new ProviderError({ kind: "unreadable", message: "answered more than 16777216 bytes" });
  for (const asked of [plan(), plan({ since: new Date(0) })]) {
    const provider = replay(tooLarge, page([contact("1")], "x"), page([contact("2")]));
    const { next } = await read.readPage(asked, undefined, provider.fetch);
    await read.readPage(asked, next, provider.fetch);
    const limits = provider.requests.map(
      ({ path, body }) => /limit"?[:=](\d+)/.exec(path + JSON.stringify(body ?? ""))?.[1],
    );
    assert.deepEqual(limits.slice(1), ["10", "10"]);
    await assert.rejects(read.readPage(asked, next, replay(tooLarge).fetch), tooLarge);
  }
});

test("more than 10,000 results are read with one search for each page, in any number of properties", async () => {
  const sandbox = await openSandbox();
  after(() => sandbox.close());
  const at = Date.now() - 3_600_000;
  sandbox.hubspot.account.generate("contacts", { count: 10_500, changedFrom: at, changedTo: at, values: {} });
  const fetch = fetchFrom(sandbox.hubspot.url, sandbox.hubspot.staticToken);
  const fields = ["email", ...Array.from({ length: 900 }, (_, index) => `custom_property_number_${index}`)];
  const seen = new Set<string>();
  let checkpoint;
  let pages = 0;
  do {
    const found = await read.readPage(plan({ fields, since: new Date(at) }), checkpoint, fetch);
    for (const { id } of found.records) seen.add(id);
    checkpoint = found.next;
    pages++;
  } while (checkpoint);
  assert.deepEqual([seen.size, pages, sandbox.requests().length], [10_500, 53, 53]);
});

test("what the index does not have yet is found by a read that begins the overlap earlier", async () => {
  const sandbox = await openSandbox();
  after(() => sandbox.close());
  const { account } = sandbox.hubspot;
  const fetch = fetchFrom(sandbox.hubspot.url, sandbox.hubspot.staticToken);
  account.set({ searchLagMs: 60_000 });
  const start = new Date(sandbox.clock.now());
  sandbox.clock.advance(30_000);
  const id = account.put("contacts", { values: { firstname: "late" }, stamp: true });
  const readSince = async (since: Date): Promise<string[]> => {
    const bounds = { since, until: new Date(sandbox.clock.now()) };
    return ids((await read.readPage(plan(bounds), undefined, fetch)).records);
  };
  sandbox.clock.advance(10_000);
  assert.deepEqual(await readSince(start), []);
  const end = sandbox.clock.now();
  sandbox.clock.advance(120_000);
  assert.deepEqual(await readSince(new Date(end)), []);
  assert.deepEqual(await readSince(new Date(end - read.abilities.overlapMs)), [id]);
});

test("objects of other APIs are refused before anything is sent", async () => {
  const provider = replay(page([]));
  const refusal = { kind: "invalid", message: /`marketing-emails` of HubSpot is not supported yet/ };
  const asked = plan({ objectName: "marketing-emails" });
  await assert.rejects(read.readPage(asked, undefined, provider.fetch), refusal);
  assert.throws(() => read.preparePage(asked), refusal);
  assert.equal(provider.requests.length, 0);
});

test("searches keep a pace of their own", () => {
  const search = read.preparePage(plan({ since: new Date(0) }));
  const list = read.preparePage(plan());
  assert.deepEqual(read.choosePace(search), { kind: "search", perSecond: 3 });
  assert.deepEqual(read.choosePace(list), { kind: "request", perSecond: 6.6 });
});

test("a search from the beginning of time has no lower bound: HubSpot answers one at the epoch with 500", () => {
  const until = new Date("2026-01-01T00:00:00Z");
  for (const since of [new Date(0), new Date("1926-01-01T00:00:00Z")]) {
    const { body } = read.preparePage(plan({ since, until }));
    assert.deepEqual(isJsonObject(body) && body.filterGroups, [
      { filters: [{ propertyName: "lastmodifieddate", operator: "LTE", value: String(until.getTime()) }] },
    ]);
    const open = read.preparePage(plan({ since })).body;
    assert.equal(isJsonObject(open) && open.filterGroups, undefined);
  }
});
