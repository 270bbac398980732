/** Records that are deleted while a list is read by position: everything that is still there must come, and the scan must end. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import type { Checkpoint } from "../read-connector.ts";
import type { ObjectRules } from "./rules/description.ts";
import { MAX_LENGTH, numberIn, open, people, PLAN, upTo } from "./scan-fixture.ts";

const rules = {
  list: { path: "/people", pageSize: { to: "query.limit", most: 10 } },
  paging: { offset: { to: "query.offset" } },
};

/** A list of records in the order of their ids, which `change` makes another one before a request is answered. */
async function openChanging(
  t: TestContext,
  count: number,
  change: (present: JsonObject[], request: number, offset: number) => JsonObject[],
  more: ObjectRules = {},
) {
  let present = people(1, count);
  let request = 0;
  const opened = await open(t, { ...rules, ...more }, (query) => {
    const offset = numberIn(query, "offset");
    present = change(present, (request += 1), offset);
    return {
      body: { total: present.length, data: present.slice(offset, offset + numberIn(query, "limit")) },
    };
  });
  return { ...opened, listPresent: () => present.map(({ id }) => String(id)) };
}

/** The same with 60 records, of which `remove` takes some. */
const openShrinking = async (
  t: TestContext,
  remove: (request: number, offset: number) => string[],
  more: ObjectRules = {},
) =>
  openChanging(
    t,
    60,
    (present, request, offset) => {
      const gone = remove(request, offset);
      return present.filter(({ id }) => !gone.includes(String(id)));
    },
    more,
  );

const withPageSize = (most: number): ObjectRules => ({
  list: { path: "/people", pageSize: { to: "query.limit", most } },
});

test("a record that is deleted while a list is read by offset hides no other one", async (t) => {
  // 60 records in pages of ten: before the second page, one of the first is deleted.
  const { scan, requests } = await openShrinking(t, (request) => (request === 2 ? ["4"] : []));
  assert.deepEqual(await scan(), upTo(60));
  // Three of ten are those of the page before: each page after the first has seven new ones.
  assert.ok(requests.length <= 10, requests.join(" "));
});

test("neither do the last record of a page and the one before it", async (t) => {
  const { scan } = await openShrinking(t, (request) => (request === 2 ? ["9", "10"] : []));
  assert.deepEqual(await scan(), upTo(60));
});

test("where more are deleted than pages overlap, the list goes back, and repeats some", async (t) => {
  const many = upTo(20).slice(0, 8);
  const { scan } = await openShrinking(t, (request) => (request === 3 ? many : []));
  assert.deepEqual([...new Set(await scan())], upTo(60));
});

test("where the last records of a page are deleted, a few are repeated, also far behind the start", async (t) => {
  for (const gone of [3, 20, 100, 400]) {
    // Six pages of a thousand; before the fifth one, the last records of the fourth are deleted.
    const { scan, listPresent } = await openChanging(
      t,
      5_900,
      (present, request, offset) => (request === 5 ? present.toSpliced(offset + 3 - gone, gone) : present),
      withPageSize(1_000),
    );
    const ids = await scan();
    assert.deepEqual(new Set(ids), new Set(upTo(5_900)));
    assert.equal(listPresent().length, 5_900 - gone);
    const repeated = ids.length - 5_900;
    assert.ok(repeated <= 3 * gone, `${repeated} repeated for ${gone}`);
  }
});

test("a list whose first records are deleted all the time is read to its end", async (t) => {
  for (const each of [1, 4, 10, 15, 25, 40]) {
    const { scan, requests, listPresent } = await openChanging(
      t,
      6_000,
      (present) => present.slice(each),
      withPageSize(100),
    );
    const ids = new Set(await scan());
    for (const id of listPresent()) assert.ok(ids.has(id), id);
    // Pages that have 97 new ones each would be 62; for each, the list may go back a few times.
    assert.ok(requests.length <= 62 * 4, `${requests.length} requests for ${each}`);
  }
});

test("new records in front of a list that is read move nothing out of sight, and are not taken for deletions", async (t) => {
  for (const added of [7, 15, 70]) {
    const { scan, requests } = await openChanging(t, 600, (present, request) =>
      request === 40 ? [...people(1_001, 1_000 + added), ...present] : present,
    );
    const ids = await scan();
    assert.deepEqual(new Set(ids), new Set(upTo(600)));
    // Each page has seven new ones. As many are repeated as were added, and the list does not go back.
    assert.ok(ids.length <= 600 + added + 3, `${ids.length} records for ${added}`);
    assert.ok(
      requests.length <= Math.ceil((600 + added) / 7) + 2,
      `${requests.length} requests for ${added}`,
    );
  }
});

test("more new records than pages are known lead back to the start, which is read to the end, also twice", async (t) => {
  for (const at of [[40], [40, 100]]) {
    const { scan } = await openChanging(t, 600, (present, request) =>
      at.includes(request) ? [...people(request * 1_000, request * 1_000 + 199), ...present] : present,
    );
    const ids = new Set(await scan());
    for (const id of upTo(600)) assert.ok(ids.has(id), id);
  }
});

test("a scan goes on that an earlier version began, which knew only the records that overlap", async (t) => {
  const { read, fetch } = await openShrinking(t, (request) => (request === 3 ? upTo(2) : []));
  const ids: string[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await read.readPage(PLAN, checkpoint, fetch);
    ids.push(...page.records.map(({ id }) => id));
    const members = Object.entries(page.next ?? {});
    const earlier = members.filter(([name]) => !["marks", "lasts", "furthest", "inRow"].includes(name));
    checkpoint = page.next && Object.fromEntries(earlier);
  } while (checkpoint);
  assert.deepEqual(ids, upTo(60));
});

test("where all records that were read are deleted, the list begins anew", async (t) => {
  const { scan } = await openShrinking(t, (request, offset) => (request === 3 ? upTo(offset + 10) : []));
  const ids = await scan();
  for (const id of upTo(60).slice(30)) assert.ok(ids.includes(id), id);
});

test("a total that shrinks below what was read does not end the list", async (t) => {
  // Thirty were read and 25 of them deleted: 35 are left, of which 30 were not read.
  const { scan } = await openShrinking(t, (request) => (request === 5 ? upTo(25) : []), { total: "total" });
  assert.deepEqual([...new Set(await scan())], upTo(60));
});

test("a list in another order at each request fails, and says so", async (t) => {
  let turn = 0;
  const { scan } = await open(t, rules, (query) => {
    turn += 1;
    const offset = numberIn(query, "offset");
    const shuffled = people(1, 500).toSorted((a, b) => order(turn, a) - order(turn, b));
    return { body: { data: shuffled.slice(offset, offset + numberIn(query, "limit")) } };
  });
  await assert.rejects(scan(), /in no fixed order, or its records move faster than it can be read/);
});

/** Another order of the ids for each turn. */
const order = (turn: number, { id }: { id?: unknown }): number => (Number(id) * (turn * 7 + 3)) % 503;

test("a page of one record has no room for another one, and is read as it is", async (t) => {
  const { scan } = await openShrinking(t, () => []);
  assert.deepEqual(await scan({ ...PLAN, pageSize: 1 }), upTo(60));
});

test("where the provider takes only multiples of the page's size, each place is one, also in smaller pages", async (t) => {
  const paging = { offset: { to: "query.offset", multiples: true } };
  const { scan } = await open(t, { ...rules, paging }, (query) => {
    const [offset, limit] = [numberIn(query, "offset"), numberIn(query, "limit")];
    if (offset % limit !== 0) return { status: 400, body: { message: "offset must be divisible by limit" } };
    // Behind the first page, ten records are longer than may be read; five are not.
    const note = offset > 0 && limit === 10 ? "x".repeat(MAX_LENGTH) : "";
    return { body: { data: people(1, 60).slice(offset, offset + limit), note } };
  });
  assert.deepEqual([...new Set(await scan())], upTo(60));
});
