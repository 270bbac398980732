/** Bounds, further lists and deleted records as vendors document them: what must come out is counted by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectRules } from "./rules/description.ts";
import { numberIn, open, people, PLAN, upTo, type Answer } from "./scan-fixture.ts";

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

test("a record that changes during the scan hides no other one, because pages go on by the time of change (Salesloft, Freshdesk)", async (t) => {
  const { touch, sorted } = sortedByChange(6);
  let answered = 0;
  const { scan } = await open(
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
  const ids = await scan();
  assert.deepEqual(new Set(ids), new Set(upTo(6)));
  // The two that changed are there a second time, with what they became.
  assert.equal(ids.length, 8);
});

test("records of one time that fill pages are read by the inner paging, and none twice", async (t) => {
  const records = [
    ...people(1, 7).map((one) => ({ ...one, changed: 1_000 })),
    ...people(8, 9).map((one) => ({ ...one, changed: 1_001 })),
  ];
  const { scan } = await open(
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
  assert.deepEqual(await scan(), upTo(9));
});

test("records of one time beyond the depth that the vendor allows fail, and say so (Copper ends at 100,000 without a word)", async (t) => {
  const at = (first: number, last: number, changed: number) =>
    people(first, last).map((one) => ({ ...one, changed }));
  for (const [depth, words] of [
    [{ records: 4 }, /goes on after 4 records/],
    [{ pages: 2 }, /goes on after 2 pages/],
  ] as const) {
    const read = async (records: ReturnType<typeof at>) => {
      const { scan } = await open(
        t,
        {
          list: { path: "/people", pageSize: { to: "query.size", most: 2 } },
          changedPath: "changed",
          paging: { page: { to: "query.page", first: 1 }, depth },
          since: { to: "query.since", format: "unix", full: "1970-01-01T00:00:00Z", keyset: true },
        },
        (query) => {
          const found = records.filter(({ changed }) => changed >= numberIn(query, "since"));
          const from = (numberIn(query, "page", 1) - 1) * 2;
          return { body: { data: found.slice(0, 4).slice(from, from + 2) } };
        },
      );
      return scan();
    };
    await assert.rejects(read([...at(1, 6, 1_000), ...at(7, 8, 2_000)]), words);
    // The limit is that of one request: records of several times are no more than a few behind each bound.
    assert.deepEqual(
      await read([1, 3, 5, 7, 9].flatMap((first) => at(first, first + 1, 1_000 + first))),
      upTo(10),
    );
  }
});

test("more records of one time than a checkpoint could name are read", async (t) => {
  const records = people(1, 6_000).map((one) => ({ ...one, changed: 1_000 }));
  const { scan } = await open(
    t,
    {
      list: { path: "/people", pageSize: { to: "query.size", most: 1_000 } },
      changedPath: "changed",
      paging: { page: { to: "query.page", first: 1 } },
      since: { to: "query.since", format: "unix", full: "1970-01-01T00:00:00Z", keyset: true },
    },
    (query) => {
      const from = (numberIn(query, "page", 1) - 1) * 1_000;
      return { body: { data: records.slice(from, from + 1_000) } };
    },
  );
  assert.equal(new Set(await scan()).size, 6_000);
});

test("a list that the provider ends before its end fails with what the provider says (Notion: 10,000 results)", async (t) => {
  const paging = {
    cursor: { from: "next", to: "query.cursor", more: "more" },
    incomplete: "request_status.incomplete_reason",
  };
  const cut = {
    data: people(1, 2),
    next: null,
    more: false,
    request_status: { type: "incomplete", incomplete_reason: "query_result_limit_reached" },
  };
  const { scan } = await open(t, { paging }, () => ({ body: cut }));
  await assert.rejects(scan(), /query_result_limit_reached/);
  const whole = await open(t, { paging }, () => ({
    body: { ...cut, request_status: { type: "complete" } },
  }));
  assert.deepEqual(await whole.scan(), upTo(2));
});

test("a list that is cut is read whole where each page is asked for from the time of the last record", async (t) => {
  const { scan } = await open(
    t,
    {
      list: { path: "/people", pageSize: { to: "query.size", most: 2 } },
      changedPath: "changed",
      paging: { cursor: { from: "next", to: "query.cursor" }, incomplete: "cut" },
      since: { to: "query.since", format: "unix", full: "1970-01-01T00:00:00Z", keyset: true },
    },
    (query) => {
      const found = people(1, 9)
        .map((one, index) => ({ ...one, changed: 1_000 + index }))
        .filter(({ changed }) => changed >= numberIn(query, "since"));
      const from = numberIn(query, "cursor");
      const reached = found.slice(0, 4);
      return {
        body: {
          data: reached.slice(from, from + 2),
          ...(from + 2 < reached.length && { next: String(from + 2) }),
          ...(reached.length < found.length && { cut: "limit" }),
        },
      };
    },
  );
  assert.deepEqual(await scan(), upTo(9));
});

test("a bound that the vendor takes as exclusive misses nothing, and a list in another order is refused", async (t) => {
  const rules = (exclusive: boolean): ObjectRules => ({
    list: { path: "/people", pageSize: { to: "query.size", most: 4 } },
    changedPath: "changed",
    paging: { page: { to: "query.page", first: 1 } },
    since: { to: "query.since", format: "unix", full: "1970-01-01T00:00:00Z", keyset: true, exclusive },
  });
  const { sorted } = sortedByChange(5);
  const page = (query: URLSearchParams, found: unknown[]): Answer => {
    const size = numberIn(query, "size");
    const from = (numberIn(query, "page", 1) - 1) * size;
    return { body: { data: found.slice(from, from + size) } };
  };
  const after = await open(t, rules(true), (query) =>
    page(
      query,
      sorted().filter(({ changed }) => changed > numberIn(query, "since")),
    ),
  );
  assert.deepEqual(await after.scan({ ...PLAN, pageSize: 2 }), upTo(5));
  // The last record of a page is deleted. A vendor that takes the bound as inclusive gives only the one from just before it.
  let requests = 0;
  const shrinking = await open(t, rules(true), (query) => {
    const gone = (requests += 1) > 1 ? "4" : "";
    const left = sorted().filter(
      ({ id, changed }) => id !== gone && Number(id) < 5 && changed >= numberIn(query, "since"),
    );
    return page(query, left);
  });
  assert.deepEqual(await shrinking.scan({ ...PLAN, pageSize: 4 }), upTo(4));
  const newest = await open(t, rules(false), (query) =>
    page(
      query,
      sorted()
        .toReversed()
        .filter(({ changed }) => changed >= numberIn(query, "since")),
    ),
  );
  await assert.rejects(newest.scan({ ...PLAN, pageSize: 2 }), /not in the order of change/);
});

test("a bound of a full read brings what the list leaves out without one, and goes once (Freshdesk: 30 days)", async (t) => {
  const { scan, requests } = await open(
    t,
    {
      changedPath: "changed",
      paging: { none: true },
      since: { to: "query.updated_since", full: "1970-01-01T00:00:00Z" },
    },
    (query) => ({ body: { data: people(query.has("updated_since") ? 1 : 3, 4) } }),
  );
  assert.deepEqual(await scan(), upTo(4));
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

test("records of several lists are all read, and those of a list of deleted ones are reported as deletions", async (t) => {
  const { scan, read, fetch } = await open(
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
  assert.deepEqual(await scan(), upTo(5));
  assert.equal(read.abilities.deletions, true);
  const period = { objectName: "people", since: new Date(0), until: new Date() };
  const { records } = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(
    records.map(({ id }) => id),
    ["6", "7"],
  );
});

test("a list of deleted records that is asked for in another way has its own pages and no parameters of the other (Zoho CRM)", async (t) => {
  const { read, fetch, requests } = await open(
    t,
    {
      list: { path: "/people", query: { sort: "id" }, pageSize: { to: "query.limit", most: 10 } },
      paging: { cursor: { from: "next", to: "query.cursor" } },
      select: { to: "query.fields" },
      since: { to: "query.since" },
      furtherLists: [
        {
          list: { path: "/bin", query: { type: "all" } },
          records: "gone",
          paging: { page: { to: "query.page", first: 1, more: "more" } },
          changedPath: "at",
          deleted: true,
        },
      ],
    },
    (query) => {
      const page = numberIn(query, "page");
      return { body: { gone: [{ id: `${page}`, at: "2026-02-03T04:05:06Z" }], more: page < 2 } };
    },
  );
  const period = {
    objectName: "people",
    since: new Date("2026-02-01T00:00:00Z"),
    until: new Date("2026-03-01T00:00:00Z"),
  };
  const first = await read.readDeletions(period, undefined, fetch);
  const second = await read.readDeletions(period, first.next, fetch);
  assert.deepEqual(
    [...first.records, ...second.records].map(({ id, deletedTime }) => [id, deletedTime?.toISOString()]),
    [
      ["1", "2026-02-03T04:05:06.000Z"],
      ["2", "2026-02-03T04:05:06.000Z"],
    ],
  );
  assert.equal(second.next, undefined);
  const since = "since=2026-02-01T00%3A00%3A00.000Z";
  assert.deepEqual(requests, [`/bin?type=all&${since}&page=1`, `/bin?type=all&${since}&page=2`]);
});

test("a record that a list marks as deleted is a deletion and no record (Google: cancelled)", async (t) => {
  const list = [
    { id: "1", status: "confirmed", updated: "2026-02-03T04:05:06Z" },
    { id: "2", status: "cancelled", updated: "2026-02-04T04:05:06Z" },
  ];
  const { scan, read, fetch } = await open(
    t,
    { paging: { none: true }, changedPath: "updated", since: {}, deleted: { at: "status", is: "cancelled" } },
    () => ({ body: { data: list } }),
  );
  assert.deepEqual(await scan(), ["1"]);
  const period = { objectName: "people", since: new Date("2026-02-01T00:00:00Z"), until: new Date() };
  const { records } = await read.readDeletions(period, undefined, fetch);
  assert.deepEqual(
    records.map(({ id, deletedTime }) => [id, deletedTime?.toISOString()]),
    [["2", "2026-02-04T04:05:06.000Z"]],
  );
});

test("a time of deletion that is 0 does not tell a deletion (Slack: date_delete)", async (t) => {
  const list = [
    { id: "1", date_delete: 0, updated: "2026-02-03T04:05:06Z" },
    { id: "2", date_delete: 1446748865, updated: "2026-02-04T04:05:06Z" },
  ];
  const { scan, read, fetch } = await open(
    t,
    { paging: { none: true }, changedPath: "updated", since: {}, deleted: { at: "date_delete" } },
    () => ({ body: { data: list } }),
  );
  assert.deepEqual(await scan(), ["1"]);
  const period = { objectName: "people", since: new Date("2026-02-01T00:00:00Z"), until: new Date() };
  assert.deepEqual(
    (await read.readDeletions(period, undefined, fetch)).records.map(({ id }) => id),
    ["2"],
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
    const { scan } = await open(t, { paging: { cursor } }, () => ({ body }));
    assert.deepEqual(await scan(), []);
  }
  for (const body of [{}, { items: people(1, 2) }, { data: {} }, [], "text"]) {
    const { scan } = await open(t, { paging: { cursor } }, () => ({ body }));
    await assert.rejects(scan(), { kind: "unreadable" }, JSON.stringify(body));
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
