/** Numbered pages whose size can be chosen: records that are deleted while they are read hide no others. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import { fitPage } from "./fitted-pages.ts";
import type { ObjectRules } from "./rules/description.ts";
import { MAX_LENGTH, numberIn, open, people, PLAN, upTo, type Answer } from "./scan-fixture.ts";

const rules = (most: number, more: object = {}): ObjectRules => ({
  list: { path: "/people", pageSize: { to: "query.size", most } },
  paging: { page: { to: "query.page", first: 1, anySize: true, ...more } },
});

/** Cuts a page by its number out of the records that `change` leaves before each request. */
async function openNumbered(
  t: TestContext,
  { count, rules: given }: { count: number; rules: ObjectRules },
  change: (present: JsonObject[], request: number) => JsonObject[],
  also: (present: JsonObject[], end: number) => Partial<Answer> & { members?: object } = () => ({}),
) {
  let present = people(1, count);
  let request = 0;
  const opened = await open(t, given, (query) => {
    present = change(present, (request += 1));
    const [page, size] = [numberIn(query, "page"), numberIn(query, "size")];
    const end = page * size;
    const { members, ...answer } = also(present, end);
    return { body: { data: present.slice(end - size, end), ...members }, ...answer };
  });
  return { ...opened, listPresent: () => present.map(({ id }) => String(id)) };
}

test("a record that is deleted before each page hides no other one", async (t) => {
  for (const most of [20, 50, 100, 200]) {
    const count = most * 12;
    const { scan, requests, listPresent } = await openNumbered(t, { count, rules: rules(most) }, (present) =>
      present.slice(1),
    );
    const ids = await scan();
    const found = new Set(ids);
    for (const id of listPresent()) assert.ok(found.has(id), `${id} in pages of ${most}`);
    assert.equal(ids.length, found.size, "no record comes twice");
    // Twelve pages would do if none overlapped.
    assert.ok(requests.length <= 18, `${requests.length} requests in pages of ${most}`);
  }
});

test("no page is asked for that is larger than the provider gives, and together they have every record once", async (t) => {
  for (const count of [0, 1, 99, 100, 101, 997, 2_500]) {
    const { scan, requests } = await openNumbered(t, { count, rules: rules(100) }, (present) => present);
    assert.deepEqual(await scan(), upTo(count));
    for (const request of requests) assert.ok(Number(/size=(\d+)/.exec(request)?.[1]) <= 100, request);
    assert.ok(requests.length <= count / 80 + 2, `${requests.length} requests for ${count} records`);
  }
});

test("where more are deleted than pages overlap, the list goes back", async (t) => {
  for (const gone of [5, 60, 150, 300]) {
    const { scan, listPresent } = await openNumbered(
      t,
      { count: 1_000, rules: rules(100) },
      (present, request) => (request === 5 ? present.slice(gone) : present),
    );
    const found = new Set(await scan());
    for (const id of listPresent()) assert.ok(found.has(id), `${id} behind ${gone}`);
  }
});

test("a total that shrinks below what was read does not end the list", async (t) => {
  const { scan, listPresent } = await openNumbered(
    t,
    { count: 60, rules: { ...rules(10), total: "total" } },
    (present, request) => (request === 4 ? present.slice(25) : present),
    (present) => ({ members: { total: present.length } }),
  );
  const found = new Set(await scan());
  for (const id of listPresent()) assert.ok(found.has(id), id);
});

test("the provider's word for the last page is about the page that was asked for", async (t) => {
  const flags: [object, (present: JsonObject[], end: number) => Partial<Answer> & { members?: object }][] = [
    [{ more: "more" }, (present, end) => ({ members: { more: end < present.length } })],
    [{ last: "last" }, (present, end) => ({ members: { last: end >= present.length } })],
    [
      { next: "header.Link" },
      (present, end) => ({
        headers: { link: `</people>; rel="${end < present.length ? "next" : "first"}"` },
      }),
    ],
  ];
  for (const [more, also] of flags) {
    const { scan, requests } = await openNumbered(
      t,
      { count: 197, rules: rules(100, more) },
      (present) => present,
      also,
    );
    assert.deepEqual(await scan(), upTo(197));
    // The first hundred, and the 97 behind the three that are known: 97 to 194; then 190 or later to 197.
    assert.ok(requests.length <= 3, requests.join(" "));
  }
});

test("a record that is deleted before each page hides no other one in small pages either", async (t) => {
  // No page of six records or fewer has both the 60th record and the 61st: 60 is a multiple of each size. It is the same with 2,520 and ten.
  for (const [pageSize, count] of [
    ...[1, 2, 3, 4, 5, 6, 8].map((size) => [size, 150] as const),
    [10, 2_700] as const,
  ]) {
    const { scan, listPresent } = await openNumbered(t, { count, rules: rules(100) }, (present, request) =>
      request % 5 === 0 ? present.slice(1) : present,
    );
    const ids = await scan({ ...PLAN, pageSize });
    for (const id of listPresent()) assert.ok(ids.includes(id), `${id} in pages of ${pageSize}`);
  }
});

test("behind a number of records that each smaller size divides, a page is a little larger and overlaps", async (t) => {
  for (const [pageSize, boundary] of [
    [6, 60],
    [8, 840],
    [10, 2_520],
  ] as const) {
    const count = boundary + 30;
    const { scan, requests } = await openNumbered(t, { count, rules: rules(100) }, (present) => present);
    assert.deepEqual(await scan({ ...PLAN, pageSize }), upTo(count));
    const crossing = requests.filter((request) => {
      const query = new URLSearchParams(request.split("?")[1]);
      const [page, size] = [numberIn(query, "page"), numberIn(query, "size")];
      return (page - 1) * size < boundary && page * size > boundary;
    });
    assert.ok(crossing.length > 0, `a page has records on both sides of ${boundary}`);
  }
});

/** Reads a list to its end, and returns its ids with what the log says. */
async function readWithLog({ read, fetch }: Awaited<ReturnType<typeof open>>, plan = PLAN) {
  const ids: string[] = [];
  const warnings: string[] = [];
  let page = await read.readPage(plan, undefined, fetch);
  for (;;) {
    ids.push(...page.records.map(({ id }) => id));
    if (page.warning !== undefined) warnings.push(page.warning);
    if (!page.next) return { ids, warnings };
    page = await read.readPage(plan, page.next, fetch);
  }
}

test("where seven records are longer than may be read, six go on without the ones before, and the log says so once", async (t) => {
  const opened = await open(t, rules(100), (query) => {
    const [page, size] = [numberIn(query, "page"), numberIn(query, "size")];
    const note = size > 6 ? "x".repeat(MAX_LENGTH) : "";
    return { body: { data: people(1, 200).slice((page - 1) * size, page * size), note } };
  });
  const { ids, warnings } = await readWithLog(opened);
  assert.deepEqual(ids, upTo(200));
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /people.*deleted meanwhile.*may be left out.*read of the whole object/);
  // 100, 50, 25 and 12 at the start, and seven once behind the 60th.
  assert.equal(opened.requests.filter((request) => Number(/size=(\d+)/.exec(request)?.[1]) > 6).length, 5);
});

test("where the provider gives smaller pages than it is asked for, the log says that they do not overlap", async (t) => {
  for (const [count, expected] of [
    [50, 0],
    [120, 1],
  ]) {
    const opened = await open(t, rules(100), (query) => {
      const end = numberIn(query, "page") * 50;
      return { body: { data: people(1, count ?? 0).slice(end - 50, end) } };
    });
    const { ids, warnings } = await readWithLog(opened);
    assert.deepEqual(new Set(ids), new Set(upTo(count ?? 0)));
    assert.equal(warnings.length, expected);
  }
});

test("a page reaches as far as it can, and no further than the last page that can be asked for", () => {
  assert.deepEqual(fitPage(0, 100), { before: 0, size: 100 });
  assert.deepEqual(fitPage(97, 100), { before: 97, size: 97 });
  for (let before = 0; before < 3_000; before += 1) {
    const page = fitPage(before, 100);
    assert.equal(page.before % page.size, 0);
    assert.ok(page.before <= before && page.before + page.size > before && page.size <= 100);
    assert.deepEqual(fitPage(page.before, 100), page, "the same page is found by its own place");
    const inTen = fitPage(before % 1_000, 100, 10);
    assert.ok(inTen.before / inTen.size < 10, `${before}`);
  }
});

test("where the provider takes only multiples of the page's size as the number of records before it, pages overlap as well", async (t) => {
  let present = people(1, 1_200);
  const { scan, requests } = await open(
    t,
    {
      list: { path: "/people", pageSize: { to: "query.limit", most: 100 } },
      paging: { offset: { to: "query.offset", multiples: true, more: "hasMore" } },
    },
    (query) => {
      const [offset, limit] = [numberIn(query, "offset"), numberIn(query, "limit")];
      if (offset % limit !== 0)
        return { status: 400, body: { message: "offset must be divisible by limit" } };
      present = present.slice(1);
      return {
        body: { data: present.slice(offset, offset + limit), hasMore: offset + limit < present.length },
      };
    },
  );
  const found = new Set(await scan());
  for (const { id } of present) assert.ok(found.has(String(id)), String(id));
  assert.ok(requests.length <= 16, `${requests.length} requests`);
});

test("where the provider gives smaller pages than it is asked for, every record is read", async (t) => {
  const cases = [
    [100, 50],
    [100, 90],
    [100, 99],
    [50, 20],
    [500, 100],
  ] as const;
  for (const [most, cap] of cases)
    for (const isFixed of [true, false]) {
      const { scan } = await open(t, rules(most), (query) => {
        const size = isFixed ? cap : Math.min(cap, numberIn(query, "size"));
        const end = numberIn(query, "page") * size;
        return { body: { data: people(1, 1_000).slice(end - size, end) } };
      });
      assert.deepEqual(new Set(await scan()), new Set(upTo(1_000)), `${cap} instead of ${most}`);
    }
});

test("a total of the records that the user sees does not end a list with rows that are hidden", async (t) => {
  const isSeen = ({ id }: JsonObject): boolean => Number(id) % 10 !== 0;
  const seen = people(1, 1_000).filter(isSeen);
  const { scan } = await open(t, { ...rules(100), total: "total" }, (query) => {
    const [page, size] = [numberIn(query, "page"), numberIn(query, "size")];
    const data = people(1, 1_000).slice((page - 1) * size, page * size);
    return { body: { data: data.filter(isSeen), total: seen.length } };
  });
  assert.deepEqual(new Set(await scan()), new Set(seen.map(({ id }) => String(id))));
});

test("a list whose pages have come to be counted begins anew where a read stopped at an address", async (t) => {
  const list = { path: "/people", pageSize: { to: "query.size", most: 100 } };
  const answer = (query: URLSearchParams): Answer => {
    const [page, size] = [numberIn(query, "page", 1), numberIn(query, "size")];
    const end = page * size;
    const link = `</people?size=${size}&page=${page + 1}>; rel="next"`;
    const data = people(1, 1_000).slice(end - size, end);
    return { body: { data }, ...(end < 1_000 && { headers: { link } }) };
  };
  const before = await open(t, { list, paging: { link: true } }, answer);
  for (const paging of [
    { page: { to: "query.page", first: 1, anySize: true, next: "header.Link" } },
    { page: { to: "query.page", first: 1, next: "header.Link" } },
  ]) {
    const after = await open(t, { list, paging }, answer);
    let checkpoint = (await before.read.readPage(PLAN, undefined, before.fetch)).next;
    const ids = new Set<string>();
    while (checkpoint) {
      const page = await after.read.readPage(PLAN, checkpoint, after.fetch);
      for (const { id } of page.records) ids.add(id);
      checkpoint = page.next;
    }
    assert.deepEqual(ids, new Set(upTo(1_000)));
  }
});
