/** Walks over lists that behave as vendors document it: servers written by hand, what must come out counted by hand. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import type { Json, JsonObject } from "../../server/ground/json.ts";
import type { ProviderFetch } from "../provider-fetch.ts";
import type { Checkpoint, ReadPlan } from "../read-connector.ts";
import { describeConnector } from "./describe-connector.ts";
import type { ObjectRules } from "./description.ts";

interface Answer {
  status?: number;
  body: unknown;
  headers?: Record<string, string>;
}

const PLAN: ReadPlan = { objectName: "people", fields: [], filters: [], associations: [] };

/** A vendor that answers each request by its query, and a reader with these rules. */
async function open(
  t: TestContext,
  rules: ObjectRules,
  answer: (query: URLSearchParams, path: string) => Answer,
) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://vendor.example");
    requests.push(`${url.pathname}${url.search}`);
    const { status = 200, body, headers } = answer(url.searchParams, url.pathname);
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch: ProviderFetch = async ({ method, path, headers, body }) => {
    const response = await globalThis.fetch(origin + path, {
      method,
      ...(headers && { headers }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    };
  };
  const { read } = describeConnector("Quill", {
    defaults: { list: { path: "/people" }, records: "data", ...rules },
    objects: { people: { modes: ["read"] } },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-26, tests" },
  });
  assert.ok(read);
  const walk = async (plan: ReadPlan = PLAN): Promise<string[]> => {
    const ids: string[] = [];
    let checkpoint: Checkpoint | undefined;
    do {
      // A checkpoint is stored between two pages.
      const stored: Checkpoint | undefined = checkpoint && JSON.parse(JSON.stringify(checkpoint));
      const page = await read.readPage(plan, stored, fetch);
      ids.push(...page.records.map(({ id }) => id));
      checkpoint = page.next;
      assert.ok(requests.length < 1_000, "the walk ends");
    } while (checkpoint);
    return ids;
  };
  return { walk, requests, read, fetch };
}

const people = (from: number, to: number): JsonObject[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => ({ id: String(from + index) }));
const upTo = (last: number): string[] => people(1, last).map(({ id }) => String(id));
const numberIn = (query: URLSearchParams, name: string, other = 0): number =>
  Number(query.get(name) ?? other);

test("an empty page with a next cursor does not end a list (Google: fewer entries, or none at all)", async (t) => {
  const pages: Answer[] = [
    { body: { data: people(1, 5), next: "b" } },
    { body: { data: [], next: "c" } },
    { body: { data: people(6, 15) } },
  ];
  const cursor = { from: "next", to: "query.cursor" };
  const { walk } = await open(t, { paging: { cursor } }, (query) => {
    const page = pages["abc".indexOf(query.get("cursor") ?? "a")];
    assert.ok(page);
    return page;
  });
  assert.deepEqual(await walk(), upTo(15));
});

test("a next cursor that is null, empty, false or 0 ends a list, and a number is a cursor", async (t) => {
  for (const end of [null, "", false, 0]) {
    const { walk } = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, (query) =>
      query.get("cursor") === "7"
        ? { body: { data: people(3, 3), next: end } }
        : { body: { data: people(1, 2), next: 7 } },
    );
    assert.deepEqual(await walk(), upTo(3), JSON.stringify(end));
  }
});

test("a scroll, whose cursor stays the same, ends at an empty page (Intercom)", async (t) => {
  let page = 0;
  const { walk } = await open(
    t,
    { paging: { cursor: { from: "scroll", to: "query.scroll", scroll: true } } },
    (query) => {
      assert.equal(query.get("scroll"), page === 0 ? null : "s1");
      page += 1;
      return { body: { scroll: "s1", data: page < 4 ? people(page, page) : [] } };
    },
  );
  assert.deepEqual(await walk(), upTo(3));
});

test("five empty pages by next address, also a relative one, do not end a list (Microsoft Graph)", async (t) => {
  const { walk } = await open(t, { paging: { nextUrl: { from: "next" } } }, (query) => {
    const page = numberIn(query, "page", 1);
    const data = page === 1 ? people(1, 2) : page === 7 ? people(3, 3) : [];
    return {
      body: {
        data,
        ...(page < 7 && {
          next: page % 2 ? `?page=${page + 1}` : `https://graph.example/people?page=${page + 1}`,
        }),
      },
    };
  });
  assert.deepEqual(await walk(), upTo(3));
});

test("a first page of 999 of 1,000 does not end a list that is read by position (Brevo)", async (t) => {
  const { walk } = await open(
    t,
    {
      list: { path: "/people", pageSize: { to: "query.limit", most: 1_000 } },
      paging: { offset: { to: "query.offset" } },
    },
    (query) => {
      const offset = numberIn(query, "offset");
      return { body: { data: people(offset + 1, Math.min(1_999, offset + (offset === 0 ? 999 : 1_000))) } };
    },
  );
  assert.deepEqual(await walk(), upTo(1_999));
});

test("pages that a vendor caps below the size that was asked for are all read (500 of 1,000)", async (t) => {
  const { walk } = await open(
    t,
    {
      list: { path: "/people", pageSize: { to: "query.limit", most: 1_000 } },
      paging: { page: { to: "query.page", first: 1 } },
    },
    (query) => ({
      body: {
        data: people(numberIn(query, "page") * 500 - 499, Math.min(1_200, numberIn(query, "page") * 500)),
      },
    }),
  );
  assert.deepEqual(await walk(), upTo(1_200));
});

test("a list that ends with fewer records than its total fails with both numbers", async (t) => {
  const { walk } = await open(t, { total: "total", paging: { offset: { to: "query.offset" } } }, (query) => ({
    body: { total: 2_000, data: numberIn(query, "offset") < 999 ? people(1, 999) : [] },
  }));
  await assert.rejects(walk(), /ended after 999 records, but the provider tells of 2000/);
});

test("a total ends a list without a further request, and a flag that is true on the last page does", async (t) => {
  const byTotal = await open(t, { total: "total", paging: { offset: { to: "query.offset" } } }, (query) => ({
    body: { total: 4, data: people(numberIn(query, "offset") + 1, numberIn(query, "offset") + 2) },
  }));
  assert.deepEqual(await byTotal.walk(), upTo(4));
  assert.equal(byTotal.requests.length, 2);
  const byFlag = await open(
    t,
    { paging: { page: { to: "query.page", first: 0, last: "isLast" } } },
    (query) => ({
      body: {
        isLast: query.get("page") === "2",
        data:
          query.get("page") === "1" ? [] : people(numberIn(query, "page") + 1, numberIn(query, "page") + 1),
      },
    }),
  );
  assert.deepEqual(await byFlag.walk(), ["1", "3"]);
  const byPages = await open(
    t,
    { paging: { page: { to: "query.page", first: 1, pages: "meta.pages" } } },
    (query) => ({
      body: { meta: { pages: "3" }, data: people(numberIn(query, "page"), numberIn(query, "page")) },
    }),
  );
  assert.deepEqual(await byPages.walk(), upTo(3));
  assert.equal(byPages.requests.length, 3);
});

test("places that lead in a circle, pages that repeat and pages without end are errors", async (t) => {
  const circle = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, (query) => {
    const at = "abcd".indexOf(query.get("cursor") ?? "a");
    return { body: { data: people(at, at), next: "bcdb"[at] ?? "" } };
  });
  await assert.rejects(circle.walk(), /was read before/);
  const link = await open(t, { records: "", paging: { link: true } }, (query) => ({
    body: people(1, 1),
    headers: { link: `</people?page=${query.get("page") === "2" ? 3 : 2}>; rel="next"` },
  }));
  await assert.rejects(link.walk(), /same 1 records as the one before|was read before/);
  const same = await open(t, { paging: { page: { to: "query.page", first: 1 } } }, () => ({
    body: { data: people(1, 3) },
  }));
  await assert.rejects(same.walk(), /same 3 records as the one before/);
  const empty = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, (query) => ({
    body: { data: [], next: String(numberIn(query, "cursor") + 1) },
  }));
  await assert.rejects(empty.walk(), /201 pages in a row are empty/);
});

test("a list that goes on beyond the depth that the vendor allows fails and names it (Close: _skip, Hunter: offset)", async (t) => {
  const { walk } = await open(
    t,
    { paging: { offset: { to: "query._skip" }, depth: { records: 400 } } },
    (query) => ({
      body: { data: people(numberIn(query, "_skip") + 1, numberIn(query, "_skip") + 100) },
    }),
  );
  await assert.rejects(walk(), /goes on after 400 records, which is as far as the provider/);
});

/** A list that is sorted by the time of change, in which a record that changes moves to the end. */
function sortedByChange(count: number) {
  const records = Array.from({ length: count }, (_, index) => ({
    id: String(index + 1),
    changed: 1_000 + index,
  }));
  const touch = (id: string): void => {
    const record = records.find((one) => one.id === id);
    assert.ok(record);
    record.changed = Math.max(...records.map(({ changed }) => changed)) + 1;
  };
  const sorted = () => structuredClone(records.toSorted((a, b) => a.changed - b.changed));
  return { records, touch, sorted };
}

test("a record that changes during the walk hides no other one, because pages go on by the time of change (Salesloft, Freshdesk)", async (t) => {
  const { touch, sorted } = sortedByChange(6);
  let answered = 0;
  const { walk } = await open(
    t,
    {
      list: { path: "/people", pageSize: { to: "query.size", most: 2 } },
      changedPath: "changed",
      paging: { page: { to: "query.page", first: 1 } },
      since: { to: "query.since", format: "unix", full: "1970-01-01T00:00:00Z", keyset: true },
    },
    (query) => {
      const found = sorted().filter(({ changed }) => changed >= numberIn(query, "since"));
      const from = (numberIn(query, "page", 1) - 1) * 2;
      const data = found.slice(from, from + 2);
      answered += 1;
      if (answered === 1) touch("1");
      if (answered === 2) touch("2");
      return { body: { data } };
    },
  );
  const ids = await walk();
  assert.deepEqual(new Set(ids), new Set(upTo(6)));
  // The two that changed are there a second time, with what they became.
  assert.equal(ids.length, 8);
});

test("records of one time that fill pages are read by the inner paging, and none twice", async (t) => {
  const records = [
    ...people(1, 7).map((one) => ({ ...one, changed: 1_000 })),
    ...people(8, 9).map((one) => ({ ...one, changed: 1_001 })),
  ];
  const { walk } = await open(
    t,
    {
      list: { path: "/people", pageSize: { to: "query.size", most: 2 } },
      changedPath: "changed",
      paging: { page: { to: "query.page", first: 1 } },
      since: { to: "query.since", format: "unix", full: "1970-01-01T00:00:00Z", keyset: true },
    },
    (query) => {
      const found = records.filter(({ changed }) => changed >= numberIn(query, "since"));
      const from = (numberIn(query, "page", 1) - 1) * 2;
      return { body: { data: found.slice(from, from + 2) } };
    },
  );
  assert.deepEqual(await walk(), upTo(9));
});

test("a bound that the vendor takes as exclusive misses nothing, and a list in another order is refused", async (t) => {
  const rules = (exclusive: boolean): ObjectRules => ({
    list: { path: "/people", pageSize: { to: "query.size", most: 2 } },
    changedPath: "changed",
    paging: { page: { to: "query.page", first: 1 } },
    since: { to: "query.since", format: "unix", full: "1970-01-01T00:00:00Z", keyset: true, exclusive },
  });
  const { sorted } = sortedByChange(5);
  const page = (query: URLSearchParams, found: Json[]): Answer => {
    const from = (numberIn(query, "page", 1) - 1) * 2;
    return { body: { data: found.slice(from, from + 2) } };
  };
  const after = await open(t, rules(true), (query) =>
    page(
      query,
      sorted().filter(({ changed }) => changed > numberIn(query, "since")),
    ),
  );
  assert.deepEqual(await after.walk(), upTo(5));
  const newest = await open(t, rules(false), (query) =>
    page(
      query,
      sorted()
        .toReversed()
        .filter(({ changed }) => changed >= numberIn(query, "since")),
    ),
  );
  await assert.rejects(newest.walk(), /not in the order of change/);
});

test("a bound of a full read brings what the list leaves out without one, and goes once (Freshdesk: 30 days)", async (t) => {
  const { walk, requests } = await open(
    t,
    {
      changedPath: "changed",
      paging: { none: true },
      since: { to: "query.updated_since", full: "1970-01-01T00:00:00Z" },
    },
    (query) => ({ body: { data: people(query.has("updated_since") ? 1 : 3, 4) } }),
  );
  assert.deepEqual(await walk(), upTo(4));
  assert.deepEqual(requests, ["/people?updated_since=1970-01-01T00%3A00%3A00.000Z"]);
});

test("a bound in the zone of the connected user is written in it, and 14 hours earlier where it is not known", async (t) => {
  const { read, fetch, requests } = await open(
    t,
    {
      changedPath: "changed",
      paging: { none: true },
      since: { to: "query.since", format: "sql", zone: "user" },
    },
    () => ({ body: { data: [] } }),
  );
  const since = new Date("2026-02-03T04:05:06Z");
  await read.readPage({ ...PLAN, since, account: { timeZone: "America/Los_Angeles" } }, undefined, fetch);
  await read.readPage({ ...PLAN, since }, undefined, fetch);
  assert.deepEqual(
    requests.map((path) => decodeURIComponent(path)),
    ["/people?since=2026-02-02 20:05:06", "/people?since=2026-02-02 14:05:06"],
  );
});

test("records of several lists are all read, and those of a list of deleted ones are told as deletions", async (t) => {
  const { walk, read, fetch } = await open(
    t,
    {
      list: { path: "/people", query: { state: "active" } },
      paging: { page: { to: "query.page", first: 1 } },
      furtherLists: [{ query: { state: "inactive" } }, { path: "/bin", deleted: true }],
    },
    (query, path) => {
      if (query.get("page") !== "1") return { body: { data: [] } };
      if (path === "/bin") return { body: { data: people(6, 7) } };
      return { body: { data: query.get("state") === "active" ? people(1, 3) : people(4, 5) } };
    },
  );
  assert.deepEqual(await walk(), upTo(5));
  assert.equal(read.abilities.deletions, true);
  const period = { objectName: "people", since: new Date(0), until: new Date() };
  const { records } = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(
    records.map(({ id }) => id),
    ["6", "7"],
  );
});

test("a record that a list marks as deleted is a deletion and no record (Google: cancelled)", async (t) => {
  const list = [
    { id: "1", status: "confirmed", updated: "2026-02-03T04:05:06Z" },
    { id: "2", status: "cancelled", updated: "2026-02-04T04:05:06Z" },
  ];
  const { walk, read, fetch } = await open(
    t,
    { paging: { none: true }, changedPath: "updated", since: {}, deleted: { at: "status", is: "cancelled" } },
    () => ({ body: { data: list } }),
  );
  assert.deepEqual(await walk(), ["1"]);
  const period = { objectName: "people", since: new Date("2026-02-01T00:00:00Z"), until: new Date() };
  const { records } = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(
    records.map(({ id, deletedTime }) => [id, deletedTime?.toISOString()]),
    [["2", "2026-02-04T04:05:06.000Z"]],
  );
});

test("changes are asked for by a request of their own (list by GET, changes by POST)", async (t) => {
  const { read, fetch, requests } = await open(
    t,
    {
      list: { path: "/people", query: { sort: "name" } },
      paging: { none: true },
      changedPath: "changed",
      since: {
        to: "body.filter.changed",
        format: "unix",
        list: { method: "POST", path: "/people/search", body: { "filter.type": "person" } },
        records: "found",
        each: "person",
      },
    },
    (_, path) =>
      path === "/people/search"
        ? { body: { found: [{ person: { id: "2", changed: 2_000 } }] } }
        : { body: { data: people(1, 2) } },
  );
  const page = await read.readPage({ ...PLAN, since: new Date(1_500_000) }, undefined, fetch);
  assert.deepEqual(
    page.records.map(({ id }) => id),
    ["2"],
  );
  assert.deepEqual(requests, ["/people/search"]);
});

test("a list that is null, or left out beside what the description names, is empty; any other answer is refused", async (t) => {
  const cursor = { from: "meta.next", to: "query.cursor" };
  for (const body of [{ data: null }, { meta: { next: null } }]) {
    const { walk } = await open(t, { paging: { cursor } }, () => ({ body }));
    assert.deepEqual(await walk(), []);
  }
  for (const body of [{}, { items: people(1, 2) }, { data: {} }, [], "text"]) {
    const { walk } = await open(t, { paging: { cursor } }, () => ({ body }));
    await assert.rejects(walk(), { kind: "unreadable" }, JSON.stringify(body));
  }
});

test("a search that ends before the last page says so", async (t) => {
  const { read, fetch } = await open(t, { paging: { page: { to: "query.page", first: 1 } } }, (query) => ({
    body: { data: people(numberIn(query, "page"), numberIn(query, "page")) },
  }));
  const { records, truncated } = await read.search(PLAN, fetch);
  assert.equal(records.length, 10);
  assert.equal(truncated, true);
});
