/** Numbered pages of one size, whose answers tell a total: where it falls, records have moved to pages that were read. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import type { ObjectRules } from "./rules/description.ts";
import { numberIn, open, people, upTo } from "./scan-fixture.ts";

/** A vendor whose pages have ten records, before each of which `change` takes some away. */
async function openShrinking(
  t: TestContext,
  count: number,
  change: (present: JsonObject[], request: number) => JsonObject[],
  more: Pick<ObjectRules, "paging"> = { paging: { page: { to: "query.page", first: 1 } } },
) {
  let present = people(1, count);
  let request = 0;
  const opened = await open(
    t,
    { list: { path: "/people", pageSize: { to: "query.size", most: 10 } }, total: "total", ...more },
    (query) => {
      present = change(present, (request += 1));
      const end = numberIn(query, "page") * 10;
      return {
        body: { data: present.slice(end - 10, end), total: present.length, more: end < present.length },
      };
    },
  );
  return { ...opened, listPresent: () => present.map(({ id }) => String(id)) };
}

test("where the total falls, the list goes back as far as records have moved, and only then", async (t) => {
  const still = await openShrinking(t, 95, (present) => present);
  assert.deepEqual(await still.scan(), upTo(95));
  assert.equal(still.requests.length, 10);
  for (const gone of [1, 9, 10, 25]) {
    const { scan, listPresent, requests } = await openShrinking(t, 95, (present, request) =>
      request === 5 ? present.slice(gone) : present,
    );
    const found = new Set(await scan());
    for (const id of listPresent()) assert.ok(found.has(id), `${id} behind ${gone}`);
    assert.ok(requests.length <= 10 + Math.ceil(gone / 10) + 1, `${requests.length} requests for ${gone}`);
  }
});

test("a list of which some are deleted before each page is read to its end", async (t) => {
  for (const each of [1, 3]) {
    const { scan, listPresent } = await openShrinking(t, 300, (present) => present.slice(each));
    const found = new Set(await scan());
    for (const id of listPresent()) assert.ok(found.has(id), `${id} of ${each}`);
  }
});

test("neither a total that falls below what was read ends the list, nor the word that nothing follows", async (t) => {
  for (const more of [{}, { more: "more" }]) {
    const { scan, listPresent } = await openShrinking(
      t,
      60,
      (present, request) => (request === 4 ? present.slice(25) : present),
      { paging: { page: { to: "query.page", first: 1, ...more } } },
    );
    const found = new Set(await scan());
    for (const id of listPresent()) assert.ok(found.has(id), id);
  }
});

test("deletions among what was not read yet only repeat a page", async (t) => {
  const { scan } = await openShrinking(t, 95, (present, request) =>
    request === 5 ? present.slice(0, -3) : present,
  );
  const ids = await scan();
  assert.deepEqual([...new Set(ids)], upTo(92));
});

test("as many new records as deleted ones leave the total as it was: the log says, once, that a record may be missing, and the remedy", async (t) => {
  const exchange = (present: JsonObject[], request: number): JsonObject[] =>
    request === 2 ? [...present.slice(1), ...people(36, 36)] : present;
  const { scan, warnings, listPresent } = await openShrinking(t, 35, exchange);
  const found = new Set(await scan());
  assert.deepEqual(
    listPresent().filter((id) => !found.has(id)),
    ["11"],
    "the one that moved to the first page",
  );
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? "",
    /^numbered pages of people have one size: .*deleted while another one is created.*paging\.page\.anySize/,
  );
});

test("pages without a total are warned of, too, and neither a single page nor those that overlap", async (t) => {
  const page = { to: "query.page", first: 1 };
  const collectWarnings = async (count: number, paging: ObjectRules["paging"]): Promise<string[]> => {
    const list = { path: "/people", pageSize: { to: "query.size", most: 20 } };
    const { scan, warnings } = await open(t, { list, ...(paging && { paging }) }, (query) => {
      const size = numberIn(query, "size");
      const end = numberIn(query, "page") * size;
      return { body: { data: people(1, count).slice(end - size, end) } };
    });
    assert.deepEqual(await scan(), upTo(count));
    return warnings;
  };
  const [untold, ...others] = await collectWarnings(70, { page });
  assert.match(untold ?? "", /one that is deleted meanwhile/);
  assert.deepEqual(others, []);
  assert.deepEqual(await collectWarnings(9, { page }), []);
  assert.deepEqual(await collectWarnings(70, { page: { ...page, anySize: true } }), []);
});
