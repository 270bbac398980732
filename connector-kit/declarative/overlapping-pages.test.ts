/** Records that are deleted while a list is read by position: everything that is still there must come, and the scan must end. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { numberIn, open, people, PLAN, upTo } from "./scan-fixture.ts";

const rules = {
  list: { path: "/people", pageSize: { to: "query.limit", most: 10 } },
  paging: { offset: { to: "query.offset" } },
};

/** A list of records in the order of their ids, from which `remove` takes some before a request is answered. */
async function openShrinking(
  t: TestContext,
  remove: (request: number, offset: number) => string[],
  more: { total?: string } = {},
) {
  let present = people(1, 60);
  let request = 0;
  return open(t, { ...rules, ...more }, (query) => {
    const offset = numberIn(query, "offset");
    const gone = remove((request += 1), offset);
    present = present.filter(({ id }) => !gone.includes(String(id)));
    const data = present.slice(offset, offset + numberIn(query, "limit"));
    return { body: { total: present.length, data } };
  });
}

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
  await assert.rejects(scan(), /move faster than their list can be read/);
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
    const note = offset > 0 && limit === 10 ? "x".repeat(17 * 1024 * 1024) : "";
    return { body: { data: people(1, 60).slice(offset, offset + limit), note } };
  });
  assert.deepEqual([...new Set(await scan())], upTo(60));
});
