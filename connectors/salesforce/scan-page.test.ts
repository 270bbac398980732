/** Salesforce scans: long queries, locators, queries that take too long, answers that are too large. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ReadPlan } from "../../connector-kit/read-connector.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { read } from "./read.ts";

const plan = (more: Partial<ReadPlan> = {}): ReadPlan => ({
  objectName: "Account",
  fields: ["Name"],
  filters: [],
  associations: [],
  ...more,
});
const id = (number: number): string => `001Sb00000000${String(number).padStart(2, "0")}IAA`;
const account = (number: number): JsonObject => ({
  attributes: { type: "Account" },
  Id: id(number),
  Name: "x",
  SystemModstamp: "2026-11-20T08:01:02.000+0000",
});
const LOCATOR = "/services/data/v60.0/query/0r8Sb00000AbCdE-2000";
const body = (records: JsonObject[], nextRecordsUrl?: string): JsonObject => ({
  totalSize: nextRecordsUrl === undefined ? records.length : 5230,
  done: nextRecordsUrl === undefined,
  ...(nextRecordsUrl !== undefined && { nextRecordsUrl }),
  records,
});
const page = (records: JsonObject[], nextRecordsUrl?: string): Reply => ({
  status: 200,
  headers: { "sforce-limit-info": "api-usage=18/15000", date: "Fri, 20 Nov 2026 08:10:00 GMT" },
  body: body(records, nextRecordsUrl),
});
const refusal = (errorCode: string, message = "no", status = 400): Reply => ({
  status,
  body: [{ errorCode, message }],
});
const readQuery = ({ path }: { path: string }): string =>
  new URL(path, "https://x.example").searchParams.get("q") ?? path;

test("a page has its records, the number in all, the clock, the use of the day, and where the next one begins", async () => {
  const provider = replay(page([account(1), account(2)], LOCATOR));
  const found = await read.readPage(plan(), undefined, provider.fetch);
  assert.deepEqual(found, {
    records: [1, 2].map((number) => ({
      id: id(number),
      changeTime: new Date("2026-11-20T08:01:02Z"),
      raw: account(number),
      values: account(number),
    })),
    next: { lastId: id(2), locator: LOCATOR, read: 2 },
    total: 5230,
    providerTime: new Date("2026-11-20T08:10:00Z"),
    usage: { used: 18, limit: 15000 },
  });
  assert.deepEqual(provider.requests, [
    {
      method: "GET",
      path: "/services/data/v60.0/query?q=SELECT+Id,SystemModstamp,Name+FROM+Account+ORDER+BY+Id",
      headers: { "Sforce-Query-Options": "batchSize=2000" },
      repeatable: true,
    },
  ]);
  const last = replay(page([account(3)]));
  const { next, total } = await read.readPage(plan(), found.next, last.fetch);
  assert.deepEqual([last.requests[0]?.path, next, total], [LOCATOR, undefined, undefined]);
});

test("a locator that is gone is replaced by the last id", async () => {
  for (const gone of [
    refusal("INVALID_QUERY_LOCATOR"),
    refusal("X", "QUERY_LOCATOR_EXPIRED"),
    refusal("Y", "", 404),
  ]) {
    const provider = replay(gone, page([account(3)]));
    await read.readPage(plan(), { lastId: id(2), locator: LOCATOR }, provider.fetch);
    assert.match(provider.requests.map(readQuery)[1] ?? "", new RegExp(`WHERE Id > '${id(2)}' ORDER BY Id$`));
  }
});

test("a page whose records are all deleted meanwhile goes on behind the last id", async () => {
  const place = { lastId: id(2), locator: LOCATOR };
  const empty = replay(page([], LOCATOR.replace("2000", "4000")));
  const { next } = await read.readPage(plan(), place, empty.fetch);
  assert.deepEqual(next, { lastId: id(2) });
});

/** "totalSize: Total number of records" of the query (REST API Developer Guide, Query), whatever the page has. */
test("a query that counts more than it gave, and names no next page, goes on behind the last id", async () => {
  const counted = (total: number, ...records: JsonObject[]): Reply => ({
    status: 200,
    body: { ...body(records), totalSize: total },
  });
  const first = await read.readPage(plan(), undefined, replay(counted(3, account(1), account(2))).fetch);
  assert.deepEqual(first.next, { lastId: id(2) });
  const rest = replay(counted(1, account(3)));
  assert.equal((await read.readPage(plan(), first.next, rest.fetch)).next, undefined);
  assert.match(rest.requests.map(readQuery)[0] ?? "", new RegExp(`WHERE Id > '${id(2)}' ORDER BY Id$`));
  // The records that miss behind a locator may have been deleted: then the query finds none.
  const behind = { lastId: id(2), locator: LOCATOR, read: 2 };
  const cut = await read.readPage(plan(), behind, replay(counted(5, account(3))).fetch);
  assert.deepEqual(cut.next, { lastId: id(3) });
  assert.equal((await read.readPage(plan(), cut.next, replay(counted(0)).fetch)).next, undefined);
  const whole = await read.readPage(plan(), behind, replay(counted(3, account(3))).fetch);
  assert.equal(whole.next, undefined);
  const none = replay(counted(3));
  await assert.rejects(read.readPage(plan(), undefined, none.fetch), /counts 3 records, and gives 0 of them/);
});

test("records that an answer by ids counts and does not have are not called absent", async () => {
  const part = replay({ status: 200, body: { ...body([account(1)]), totalSize: 2 } });
  await assert.rejects(read.readByIds(plan(), [id(1), id(2)], part.fetch), /counts 2 records, and gives 1/);
});

test("an address is followed only within the API, and a stored place is checked", async () => {
  for (const address of [
    "https://elsewhere.example/services/data/v60.0/query/x",
    "/services/data/v60.0/limits",
    "//x",
  ]) {
    const provider = replay(page([account(1)], address));
    await assert.rejects(read.readPage(plan(), undefined, provider.fetch), { kind: "unreadable" });
    assert.throws(() => read.preparePage(plan(), { lastId: id(1), locator: address }), ProviderError);
  }
  assert.throws(() => read.preparePage(plan(), { lastId: "' OR Name != '" }), { kind: "invalid" });
});

test("a long query goes in the body of a composite request, one that is refused for its length as well", async () => {
  const fields = Array.from({ length: 500 }, (_, index) => `A_Field_With_A_Long_Name_${index}__c`);
  const part = (httpStatusCode: number, partBody: JsonObject | JsonObject[]): Reply => ({
    status: 200,
    body: { compositeResponse: [{ httpStatusCode, httpHeaders: {}, referenceId: "query", body: partBody }] },
  });
  const whole = part(200, body([account(1)], LOCATOR));
  const wide = replay(whole);
  const found = await read.readPage(plan({ fields }), undefined, wide.fetch);
  assert.deepEqual(found.next, { lastId: id(1), locator: LOCATOR, read: 1 });
  assert.equal(wide.requests[0]?.path, "/services/data/v60.0/composite");
  assert.match(
    JSON.stringify(wide.requests[0]?.body),
    /"method":"GET","url":"\/services\/data\/v60.0\/query\?q=SELECT/,
  );

  // Guide, Status Codes: 414 and 431.
  for (const status of [414, 431]) {
    const narrow = replay({ status, body: "<html>" }, whole);
    assert.deepEqual((await read.readPage(plan(), undefined, narrow.fetch)).next, found.next);
  }

  const refused = replay(
    part(400, [{ errorCode: "INVALID_FIELD", message: `No such column '${fields[7]}' on entity` }]),
  );
  await assert.rejects(read.readPage(plan({ fields }), undefined, refused.fetch), {
    kind: "invalid",
    code: fields[7],
  });
  const away = replay(part(503, [{ errorCode: "SERVER_UNAVAILABLE", message: "no" }]));
  await assert.rejects(read.readPage(plan({ fields }), undefined, away.fetch), { kind: "unavailable" });
});

test("a refused field is named as it was asked for, also one of a parent and one of a filter", async () => {
  const cases = [
    ["No such column 'NAME' on entity 'Account'. If you are …", "Name"],
    ["No such column 'City__c' on entity 'User'", "Owner.City__c"],
    ["Didn't understand relationship 'Boss' in field path.", "Boss.Name"],
    ["No such column 'Tier' on entity 'Account'", "tier"],
  ];
  const asked = plan({
    fields: ["Name", "Owner.City__c", "Boss.Name"],
    filters: [{ fieldName: "tier", value: "x" }],
  });
  for (const [message = "", code] of cases) {
    const provider = replay(refusal("INVALID_FIELD", message));
    await assert.rejects(read.readPage(asked, undefined, provider.fetch), { kind: "invalid", code });
  }
});

test("a query that takes too long is asked for half of its time, then for the rest", async () => {
  const at = (text: string) => new Date(`2026-11-20T${text}Z`);
  const bounded = plan({ since: at("08:00:00"), until: at("10:00:00") });
  const slow = replay(
    refusal("REQUEST_RUNNING_TOO_LONG"),
    refusal("OPERATION_TOO_LARGE"),
    page([account(5)]),
  );
  const first = await read.readPage(bounded, undefined, slow.fetch);
  const times = (request: { path: string }) =>
    /SystemModstamp >= \S+T(\S+)Z AND SystemModstamp <= \S+T(\S+)Z/.exec(readQuery(request))?.slice(1);
  assert.deepEqual(slow.requests.map(times), [
    ["08:00:00", "10:00:00"],
    ["08:00:00", "09:00:00"],
    ["08:00:00", "08:30:00"],
  ]);
  assert.equal(first.total, undefined);
  const seen = [];
  let { next } = first;
  while (next) {
    const provider = replay(page([account(1)]));
    const found = await read.readPage(bounded, next, provider.fetch);
    seen.push(...provider.requests.map(times));
    ({ next } = found);
  }
  assert.deepEqual(seen, [
    ["08:30:01", "09:00:01"],
    ["09:00:02", "09:30:02"],
    ["09:30:03", "10:00:00"],
  ]);
  const full = replay(refusal("QUERY_TIMEOUT"));
  await assert.rejects(read.readPage(plan(), undefined, full.fetch), { code: "QUERY_TIMEOUT" });
  const second = plan({ since: at("08:00:00"), until: at("08:00:01") });
  await assert.rejects(read.readPage(second, undefined, full.fetch), { code: "QUERY_TIMEOUT" });
});

test("an answer that is too large is asked for in smaller pages, down to 20 records", async () => {
  const tooLarge = new ProviderError({ kind: "unreadable", message: "answered more than 16777216 bytes" });
  const provider = replay(tooLarge, tooLarge, page([account(1)]));
  await read.readPage(plan(), { lastId: id(0), locator: LOCATOR }, provider.fetch);
  const [whole, smaller, smallest] = provider.requests;
  assert.equal(whole?.path, LOCATOR);
  assert.deepEqual(smaller?.headers, { "Sforce-Query-Options": "batchSize=200" });
  assert.match(readQuery(smallest ?? { path: "" }), /LIMIT 20$/);
  const never = replay(tooLarge);
  await assert.rejects(read.readPage(plan(), undefined, never.fetch), tooLarge);
});

test("without metadata only ordinary objects are read, and no associations", () => {
  const needs = (objectName: string, ...associations: string[]) =>
    read.needsMetadata({ objectName, associations });
  assert.equal(needs("account"), false);
  assert.equal(needs("Invoice__c"), false);
  assert.equal(needs("account", "contacts"), true);
  assert.equal(needs("AccountHistory"), true);
});

test("a locator of an earlier session, which 401 answers for ever, is replaced by the last id, and no other one is used", async () => {
  const dead = refusal("INVALID_SESSION_ID", "Session expired or invalid", 401);
  const provider = replay(dead, page([account(3), account(4)], LOCATOR), page([account(5)]));
  const second = await read.readPage(
    plan({ pageSize: 200 }),
    { lastId: id(2), locator: LOCATOR },
    provider.fetch,
  );
  assert.deepEqual(
    second.records.map((record) => record.id),
    [id(3), id(4)],
  );
  const third = await read.readPage(plan({ pageSize: 200 }), second.next, provider.fetch);
  assert.deepEqual([third.records.map((record) => record.id), third.next], [[id(5)], undefined]);
  assert.deepEqual(provider.requests.map(readQuery).slice(1), [
    `SELECT Id,SystemModstamp,Name FROM Account WHERE Id > '${id(2)}' ORDER BY Id LIMIT 200`,
    `SELECT Id,SystemModstamp,Name FROM Account WHERE Id > '${id(4)}' ORDER BY Id LIMIT 200`,
  ]);
});

test("a token that no longer counts is reported as such, although a locator was asked for first", async () => {
  const dead = refusal("INVALID_SESSION_ID", "Session expired or invalid", 401);
  const provider = replay(dead, dead);
  const asked = read.readPage(plan(), { lastId: id(2), locator: LOCATOR }, provider.fetch);
  await assert.rejects(asked, { kind: "unauthorized" });
});

test("a read of all records that takes too long asks for fewer of them, by id", async () => {
  const provider = replay(
    refusal("QUERY_TIMEOUT", "Your query request was running for too long."),
    page([account(1)]),
  );
  const { records } = await read.readPage(plan(), undefined, provider.fetch);
  assert.equal(records.length, 1);
  assert.match(provider.requests.map(readQuery)[1] ?? "", / ORDER BY Id(?: LIMIT 200)?$/);
  assert.equal(provider.requests[1]?.headers?.["Sforce-Query-Options"], "batchSize=200");
});

test("records by their ids are all read although the locator between two pages is gone", async () => {
  const dead = refusal("INVALID_SESSION_ID", "Session expired or invalid", 401);
  const provider = replay(page([account(1)], LOCATOR), dead, page([account(2)]));
  const found = await read.readByIds({ ...plan() }, [id(1), id(2)], provider.fetch);
  assert.deepEqual(
    found.map((record) => record.id),
    [id(1), id(2)],
  );
  assert.match(provider.requests.map(readQuery)[2] ?? "", new RegExp(`'${id(2)}'`));
});

test("an object that Salesforce gives only for named ids fails with what to do instead", async () => {
  // Reported with these words: django-salesforce#302, singer-io/tap-salesforce#68. "You can't run a query without filters against
  // ContentDocumentLink": Object Reference.
  const reported = [
    "Implementation restriction: ContentDocumentLink requires a filter by a single Id on ContentDocumentId or LinkedEntityId using the " +
      "equals operator or multiple Id's using the IN operator.",
    "SiteDetail: a filter on a reified column is required [DurableId]",
  ];
  for (const message of reported) {
    const provider = replay(refusal("MALFORMED_QUERY", message));
    await assert.rejects(
      async () => read.readPage(plan({ objectName: "ContentDocumentLink" }), undefined, provider.fetch),
      (error: unknown) => {
        assert.ok(error instanceof ProviderError);
        assert.equal(error.kind, "invalid");
        assert.ok(error.message.startsWith(message));
        assert.match(
          error.message,
          /does not let this object be read as a whole: .* through the proxy, by ids/,
        );
        return true;
      },
    );
  }
  const other = replay(refusal("MALFORMED_QUERY", "unexpected token: FORM"));
  await assert.rejects(async () => read.readPage(plan(), undefined, other.fetch), {
    message: "unexpected token: FORM",
  });
});

/** Query Options Header: `batchSize` from 200 to 2,000 (queryOptions of the facts). */
test("smaller pages than Salesforce gives are a limit of the query, larger ones than it gives are its largest", async () => {
  for (const [pageSize, limit, batchSize] of [
    [199, " LIMIT 199", 200],
    [200, "", 200],
    [5_000, "", 2_000],
  ] as const) {
    const provider = replay(page([]));
    await read.readPage(plan({ pageSize }), undefined, provider.fetch);
    const [request] = provider.requests;
    assert.equal(request?.headers?.["Sforce-Query-Options"], `batchSize=${batchSize}`);
    assert.ok(request && readQuery(request).endsWith(`ORDER BY Id${limit}`), String(pageSize));
  }
});
