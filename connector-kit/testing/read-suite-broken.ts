/** Guarantees of reading connectors about answers that are broken, refused or lost, and about names that are not names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type { ProviderFetch } from "../calls/provider-fetch.ts";
import type { Checkpoint, ReadPlan } from "../read-connector.ts";
import type { ReadingAccount } from "./reading-account.ts";
import { replay, type Reply } from "./replay.ts";

const MAX_PAGES = 20;

export function testBroken(open: () => Promise<ReadingAccount>): void {
  testAnswers(open);
  testRequests(open);
}

function testAnswers(open: () => Promise<ReadingAccount>): void {
  test("pages that are broken, repeat or do not advance end the scan with a reason", async () => {
    const account = await open();
    for (const plan of buildPlans(account)) {
      const pages = listBrokenPages(account, await listRawRecords(account, plan));
      for (const [name, bodies] of Object.entries(pages)) {
        const replies = bodies.map((body): Reply => ({ status: 200, body }));
        const provider = replay(...replies);
        const error = await catchError(scanThrough(account, plan, provider.fetch));
        assert.ok(error instanceof ProviderError, `${name}: ${String(error)}`);
        assert.equal(error.kind, name === PAGE ? "unavailable" : "unreadable", `${name}: ${error.message}`);
        assert.ok(error.message.length > 20 && provider.requests.length < MAX_PAGES, name);
      }
    }
  });

  test("whatever the provider answers, every read returns or throws a ProviderError", async () => {
    const account = await open();
    const [id = ""] = [account.put({})];
    for (const plan of buildPlans(account)) {
      for (const reply of STATUSES.flatMap((status) => BODIES.map((body) => ({ status, body })))) {
        for (const [name, call] of Object.entries(buildCalls(account, plan, id))) {
          const provider = replay(reply);
          const error = await catchError(call(provider.fetch));
          const reported = `${name} ${JSON.stringify(reply)}`;
          assert.ok(error === undefined || error instanceof ProviderError, `${reported}: ${String(error)}`);
          assert.ok(provider.requests.length <= MAX_PAGES, reported);
        }
      }
    }
  });

  test("refusals that concern the call are passed on, and lost answers as well", async () => {
    const account = await open();
    const lost = new ProviderError({ kind: "unavailable", message: "connection reset" });
    const refusals: [Reply | Error, string][] = [
      [{ status: 401 }, "unauthorized"],
      [{ status: 429 }, "rate_limited"],
      [{ status: 503, body: "<html>" }, "unavailable"],
      [lost, "unavailable"],
    ];
    for (const plan of buildPlans(account)) {
      for (const [reply, kind] of refusals) {
        for (const call of Object.values(buildCalls(account, plan, account.put({})))) {
          await assert.rejects(call(replay(reply).fetch), { kind });
        }
      }
    }
  });
}

function testRequests(open: () => Promise<ReadingAccount>): void {
  test("the first request is the one that is shown, can be repeated, and changes nothing", async () => {
    const account = await open();
    const { read } = account;
    for (const plan of buildPlans(account)) {
      const provider = replay({ status: 503 });
      await catchError(read.readPage(plan, undefined, provider.fetch));
      await catchError(read.count(plan, provider.fetch));
      assert.deepEqual(provider.requests, [read.preparePage(plan), read.prepareCount(plan)]);
      for (const { path, repeatable, method } of provider.requests) {
        assert.match(path, /^\/[^/]/);
        assert.ok(repeatable && (method === "GET" || method === "POST"));
      }
    }
  });

  test("nothing is sent for an object name or a field name that could change the request", async () => {
    const account = await open();
    for (const word of [
      "",
      "..",
      "../contacts",
      "a/b",
      "a?b=c",
      "a#b",
      "a%2fb",
      "a b",
      "a\nb",
      "a,b",
      "ä'",
    ]) {
      for (const plan of buildPlans(account)) {
        const provider = replay({ status: 200, body: {} });
        for (const call of Object.values(buildCalls(account, { ...plan, objectName: word }, "1"))) {
          await assert.rejects(call(provider.fetch), { kind: "invalid" });
        }
        if (/[\s,']/.test(word)) {
          const fields = [...plan.fields, word];
          const page = account.read.readPage({ ...plan, fields }, undefined, provider.fetch);
          await assert.rejects(page, { kind: "invalid", code: word });
        }
        assert.equal(provider.requests.length, 0, word);
      }
    }
  });

  test("one field has one key, in whatever spelling", async () => {
    const { read, names } = await open();
    assert.equal(read.fieldKey(names.text.toUpperCase()), read.fieldKey(names.text.toLowerCase()));
    assert.notEqual(read.fieldKey(names.text), read.fieldKey(names.other));
  });
}

/** A scan over everything, and one that is bounded. */
function buildPlans(account: ReadingAccount): ReadPlan[] {
  const { objectName, names } = account;
  const full = { objectName, fields: [names.text], filters: [], associations: [] };
  return [full, { ...full, since: new Date(0), until: account.now() }];
}

async function listRawRecords(account: ReadingAccount, plan: ReadPlan): Promise<JsonObject[]> {
  account.generate(3, new Date(account.now().getTime() - 1_000));
  const { records } = await account.read.readPage(plan, undefined, account.fetch);
  return records.map(({ raw }) => raw);
}

/** Something in between may have answered so, and stop. */
const PAGE = "a page of HTML";

/** Answers by what is wrong with them; the last is repeated for ever. */
function listBrokenPages({ page }: ReadingAccount, records: JsonObject[]): Record<string, Reply["body"][]> {
  const [first = {}, second = {}] = records;
  return {
    [PAGE]: ["<html>"],
    "not JSON": ["Sorry"],
    "cut off": [JSON.stringify(page(records, true)).slice(0, -5)],
    null: ["null"],
    "a list": ["[]"],
    "an empty object": [{}],
    "records of another type": [page([], true), { ...page([], true), results: {}, records: {} }].slice(1),
    "a record that is none": [{ ...page([], true), results: ["x"], records: ["x"] }],
    "a record without members": [page([{}], true)],
    "an id of another type": [page([{ ...first, id: {}, Id: 7 }], true)],
    "a page that repeats": [page(records, false)],
    "a page that repeats the last record": [page([first, second], false), page([second], true)],
    "records in reverse": [page(records.toReversed(), true)],
    "the same record twice": [page([first, first], true)],
    "a next page behind an empty one": [page([], false)],
    "a next page that has no address": [
      { ...page(records, false), nextRecordsUrl: 7, paging: { next: { after: {} } } },
    ],
    "a next page elsewhere": [
      { ...page(records, false), nextRecordsUrl: "https://elsewhere.example/x", paging: { next: "x" } },
    ],
  };
}

async function scanThrough(account: ReadingAccount, plan: ReadPlan, fetch: ProviderFetch): Promise<void> {
  let checkpoint: Checkpoint | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await account.read.readPage(plan, checkpoint, fetch);
    if (!page.next) return;
    checkpoint = page.next;
  }
}

type Call = (fetch: ProviderFetch) => Promise<unknown>;

function buildCalls({ read }: ReadingAccount, plan: ReadPlan, id: string): Record<string, Call> {
  const { objectName } = plan;
  const period = { objectName, since: new Date(0), until: new Date(3_600_000) };
  return {
    readPage: (fetch) => read.readPage(plan, undefined, fetch),
    count: (fetch) => read.count(plan, fetch),
    readSample: (fetch) => read.readSample(plan, fetch),
    readByIds: (fetch) => read.readByIds(plan, [id], fetch),
    search: (fetch) => read.search(plan, fetch),
    readDeletions: (fetch) => read.readDeletions(period, undefined, fetch),
  };
}

async function catchError(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const STATUSES = [200, 204, 207, 302, 400, 401, 403, 404, 405, 409, 414, 423, 429, 431, 500, 503];

const BODIES: Reply["body"][] = [
  undefined,
  "<html>",
  "null",
  "[]",
  "{}",
  '{"results":',
  { results: [{}], paging: { next: { after: "x" } } },
  { results: [{ id: "7", properties: {} }], paging: { next: { after: 1 } }, total: "many" },
  { results: [null], errors: [{ category: "MISSING_SCOPES", message: "no" }], total: -1 },
  { status: "error", category: "VALIDATION_ERROR", message: "no" },
  [{ message: "no", errorCode: "INVALID_FIELD" }],
  [{ message: "gone", errorCode: "INVALID_QUERY_LOCATOR" }],
  { totalSize: 1, done: true, records: [{ Id: "x" }] },
  { totalSize: "1", done: false, nextRecordsUrl: "/services/data/v60.0/query/0r8-1", records: [] },
  { compositeResponse: [{ httpStatusCode: 200, body: { records: 1 } }] },
  { compositeResponse: [null] },
  { deletedRecords: [{ id: 1 }] },
];
