/** Ends of lists that behave as vendors document them: what must come out is counted by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectRules } from "./rules/description.ts";
import { numberIn, open, people, PLAN, upTo, type Answer } from "./scan-fixture.ts";

test("an empty page with a next cursor does not end a list (Google: fewer entries, or none at all)", async (t) => {
  const pages: Answer[] = [
    { body: { data: people(1, 5), next: "b" } },
    { body: { data: [], next: "c" } },
    { body: { data: people(6, 15) } },
  ];
  const cursor = { from: "next", to: "query.cursor" };
  const { scan } = await open(t, { paging: { cursor } }, (query) => {
    const page = pages["abc".indexOf(query.get("cursor") ?? "a")];
    assert.ok(page);
    return page;
  });
  assert.deepEqual(await scan(), upTo(15));
});

test("a next cursor that is null, empty, false or 0 ends a list, and a number is a cursor", async (t) => {
  for (const end of [null, "", false, 0]) {
    const { scan } = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, (query) =>
      query.get("cursor") === "7"
        ? { body: { data: people(3, 3), next: end } }
        : { body: { data: people(1, 2), next: 7 } },
    );
    assert.deepEqual(await scan(), upTo(3), JSON.stringify(end));
  }
});

test("a scroll, whose cursor stays the same, ends at an empty page (Intercom)", async (t) => {
  let page = 0;
  const { scan } = await open(
    t,
    { paging: { cursor: { from: "scroll", to: "query.scroll", scroll: true } } },
    (query) => {
      assert.equal(query.get("scroll"), page === 0 ? null : "s1");
      page += 1;
      return { body: { scroll: "s1", data: page < 4 ? people(page, page) : [] } };
    },
  );
  assert.deepEqual(await scan(), upTo(3));
});

test("five empty pages by next address, also a relative one, do not end a list (Microsoft Graph)", async (t) => {
  const { scan } = await open(t, { paging: { nextUrl: { from: "next" } } }, (query) => {
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
  assert.deepEqual(await scan(), upTo(3));
});

test("a first page of 999 of 1,000 does not end a list that is read by position (Brevo)", async (t) => {
  const { scan } = await open(
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
  assert.deepEqual(await scan(), upTo(1_999));
});

test("pages that a vendor caps below the size that was asked for are all read (500 of 1,000)", async (t) => {
  const { scan } = await open(
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
  assert.deepEqual(await scan(), upTo(1_200));
});

test("a list that ends with fewer records than its total fails with both numbers", async (t) => {
  const { scan } = await open(t, { total: "total", paging: { offset: { to: "query.offset" } } }, (query) => ({
    body: { total: 2_000, data: people(numberIn(query, "offset") + 1, 999) },
  }));
  await assert.rejects(scan(), /ended after 999 records, but the provider tells of 2000/);
});

test("a total ends a list without a further request, and a flag that is true on the last page does", async (t) => {
  const byTotal = await open(t, { total: "total", paging: { offset: { to: "query.offset" } } }, (query) => ({
    body: {
      total: 4,
      data: people(numberIn(query, "offset") + 1, Math.min(4, numberIn(query, "offset") + 3)),
    },
  }));
  assert.deepEqual(await byTotal.scan(), upTo(4));
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
  assert.deepEqual(await byFlag.scan(), ["1", "3"]);
  const byPages = await open(
    t,
    { paging: { page: { to: "query.page", first: 1, pages: "meta.pages" } } },
    (query) => ({
      body: { meta: { pages: "3" }, data: people(numberIn(query, "page"), numberIn(query, "page")) },
    }),
  );
  assert.deepEqual(await byPages.scan(), upTo(3));
  assert.equal(byPages.requests.length, 3);
});

test("places that lead in a circle, pages that repeat and pages without end are errors", async (t) => {
  const circle = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, (query) => {
    const at = "abcd".indexOf(query.get("cursor") ?? "a");
    return { body: { data: people(at, at), next: "bcdb"[at] ?? "" } };
  });
  await assert.rejects(circle.scan(), /was read before/);
  const link = await open(t, { records: "", paging: { link: true } }, (query) => ({
    body: people(1, 1),
    headers: { link: `</people?page=${query.get("page") === "2" ? 3 : 2}>; rel="next"` },
  }));
  await assert.rejects(link.scan(), /same 1 records as the one before|was read before/);
  const same = await open(t, { paging: { page: { to: "query.page", first: 1 } } }, () => ({
    body: { data: people(1, 3) },
  }));
  await assert.rejects(same.scan(), /same 3 records as the one before/);
  const empty = await open(t, { paging: { cursor: { from: "next", to: "query.cursor" } } }, (query) => ({
    body: { data: [], next: String(numberIn(query, "cursor") + 1) },
  }));
  await assert.rejects(empty.scan(), /201 pages in a row are empty/);
});

test("a list that goes on beyond the depth that the vendor allows fails and names it (Close: _skip, Hunter: offset)", async (t) => {
  const { scan } = await open(
    t,
    { paging: { offset: { to: "query._skip" }, depth: { records: 400 } } },
    (query) => ({
      body: { data: people(numberIn(query, "_skip") + 1, numberIn(query, "_skip") + 100) },
    }),
  );
  await assert.rejects(scan(), /goes on after 400 records, which is as far as the provider/);
});

test("a list whose last page names a next address, too, ends where the provider says so (Zendesk's exports)", async (t) => {
  const nextUrl = { from: "after_url", last: "end_of_stream" };
  const { scan } = await open(t, { paging: { nextUrl } }, (query) => {
    const page = numberIn(query, "cursor", 1);
    return {
      body: { data: people(page, page), after_url: `?cursor=${page + 1}`, end_of_stream: page === 3 },
    };
  });
  assert.deepEqual(await scan(), upTo(3));
});

/** Articles of a vendor that sorts by the time of change, newest first; the later the time, the further to the front. */
class Articles {
  readonly times = new Map<string, number>();
  page(number: number, size: number): Answer {
    const sorted = [...this.times].toSorted(([, a], [, b]) => b - a);
    const data = sorted.slice((number - 1) * size, number * size).map(([id, at]) => ({ id, updated_at: at }));
    return { body: { data, next: sorted.length > number * size ? "more" : null } };
  }
}
const AT = 1_790_000_000;
const NEWEST_FIRST = {
  changedPath: "updated_at",
  paging: { page: { to: "query.page", first: 1, more: "next" }, newestFirst: true },
};

test("a record that moves to the front of a list sorted by the time of change is read all the same (Intercom: articles)", async (t) => {
  const articles = new Articles();
  for (const id of upTo(9)) articles.times.set(id, AT - Number(id));
  const { scan, requests } = await open(t, NEWEST_FIRST, (query) => {
    const page = articles.page(numberIn(query, "page"), 2);
    // 9 is not read yet when it changes; 8 changes while the front is read again.
    if (requests.length === 2) articles.times.set("9", AT + 10);
    if (requests.length === 6) for (const id of ["8", "7", "6"]) articles.times.set(id, AT + 20);
    return page;
  });
  assert.deepEqual(new Set(await scan()), new Set(upTo(9)));
  // The whole list, then three times as far as it has changed; the last reading found nothing new.
  assert.equal(requests.length, 5 + 3 + 3 + 2);
});

test("a list sorted newest first costs one more page where nothing changes, and gives each record once", async (t) => {
  const articles = new Articles();
  for (const id of upTo(9)) articles.times.set(id, AT - Math.floor(Number(id) / 4));
  const { scan, requests } = await open(t, NEWEST_FIRST, (query) =>
    articles.page(numberIn(query, "page"), 5),
  );
  assert.deepEqual((await scan()).toSorted(), upTo(9));
  assert.equal(requests.length, 3);
  assert.deepEqual(await scan({ ...PLAN, since: new Date((AT - 1) * 1000) }), [
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
  ]);
});

test("a read of changes ends at the first older record of a list that is sorted newest first, and another order is an error", async (t) => {
  const articles = new Articles();
  for (const id of upTo(50)) articles.times.set(id, AT - Number(id));
  const { scan, requests } = await open(t, NEWEST_FIRST, (query) =>
    articles.page(numberIn(query, "page"), 5),
  );
  const since = new Date((AT - 3) * 1000);
  assert.deepEqual(await scan({ ...PLAN, since }), ["1", "2", "3"]);
  assert.equal(requests.length, 1);
  const wrong = await open(t, NEWEST_FIRST, () => ({
    body: {
      data: [
        { id: "1", updated_at: AT },
        { id: "2", updated_at: AT + 1 },
      ],
      next: null,
    },
  }));
  await assert.rejects(
    async () => wrong.scan(),
    /the list of people is not in the order of change, newest first/,
  );
});

test("a list by address that is half read when it comes to be read on by time begins anew, and loses no record (Microsoft)", async (t) => {
  // Six records whose order of change is not that of their ids; `order` asks for that of change.
  const changed = [6_000, 1_000, 5_000, 2_000, 4_000, 3_000];
  const records = people(1, 6).map((one, index) => ({ ...one, changed: changed[index] ?? 0 }));
  const answer = (query: URLSearchParams): Answer => {
    const left = records.filter((one) => one.changed >= numberIn(query, "since"));
    const all = query.has("since") ? left.toSorted((a, b) => a.changed - b.changed) : left;
    const skip = numberIn(query, "skip");
    const address = new URLSearchParams(query);
    address.set("skip", String(skip + 2));
    const next = skip + 2 < all.length ? `/people?${address.toString()}` : null;
    return { body: { data: all.slice(skip, skip + 2), next } };
  };
  const before: ObjectRules = { changedPath: "changed", paging: { nextUrl: { from: "next" } } };
  const later: ObjectRules = {
    ...before,
    since: { to: "query.since", format: "unix", full: "1970-01-01T00:00:00Z", keyset: true },
  };
  const old = await open(t, before, answer);
  const first = await old.read.readPage(PLAN, undefined, old.fetch);
  const { read, fetch, requests } = await open(t, later, answer);
  const ids = first.records.map(({ id }) => id);
  const restarts: boolean[] = [];
  let next = first.next;
  while (next) {
    const here = await read.readPage(PLAN, JSON.parse(JSON.stringify(next)), fetch);
    ids.push(...here.records.map(({ id }) => id));
    restarts.push(here.restarted ?? false);
    next = here.next;
    assert.ok(requests.length < 20, "the scan ends");
  }
  assert.deepEqual(new Set(ids), new Set(upTo(6)));
  // Once, and not at the places that the list has since.
  assert.deepEqual([restarts[0], restarts.slice(1).includes(true)], [true, false]);
});

test("a list that goes on by time has no time to go on from in a read without a bound, and is read by its pages", async (t) => {
  const { scan, requests } = await open(
    t,
    {
      changedPath: "changed",
      paging: { nextUrl: { from: "next" } },
      since: { to: "query.since", format: "unix", keyset: true },
    },
    (query) => {
      const skip = numberIn(query, "skip");
      return {
        body: { data: people(skip + 1, skip + 2), next: skip < 4 ? `/people?skip=${skip + 2}` : null },
      };
    },
  );
  assert.deepEqual(await scan(), upTo(6));
  assert.equal(requests.length, 3);
});

test("a list whose records change faster than it can be read fails and says so", async (t) => {
  const articles = new Articles();
  for (const id of upTo(9)) articles.times.set(id, AT - Number(id));
  let turn = 0;
  const { scan } = await open(t, NEWEST_FIRST, (query) => {
    const page = articles.page(numberIn(query, "page"), 2);
    for (const id of upTo(9)) articles.times.set(id, AT + ++turn);
    return page;
  });
  await assert.rejects(async () => scan(), /the records of people change faster than their list can be read/);
});

test("lists within the entries of another list that is left out are empty where absentWhenEmpty says so", async (t) => {
  for (const [absentWhenEmpty, body] of [
    [true, { page: {} }],
    [true, { page: { groups: [{ name: "none" }] } }],
    [false, { page: {} }],
    [true, {}],
  ] as const) {
    const { scan } = await open(
      t,
      { records: "page.groups.*.members", absentWhenEmpty, paging: { none: true } },
      () => ({ body }),
    );
    if (absentWhenEmpty && "page" in body) assert.deepEqual(await scan(), []);
    else await assert.rejects(scan(), /the list of records/);
  }
});

test("a record without an id fails the read with its reason: left out, it would be lost silently", async (t) => {
  for (const id of [null, "", undefined, {}]) {
    const { scan } = await open(t, { paging: { none: true } }, () => ({
      body: { data: [...people(1, 2), { id, name: "nobody" }] },
    }));
    await assert.rejects(scan(), /record of .* has no id: `id` is missing or empty/, JSON.stringify(id));
  }
});
