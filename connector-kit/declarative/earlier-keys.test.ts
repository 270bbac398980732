/** Lists that go on behind a record which is deleted meanwhile. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectRules } from "./rules/description.ts";
import { numberIn, open, people, upTo, type Answer } from "./scan-fixture.ts";

/** Twelve coupons; those are deleted before the request that goes on behind this one. Stripe refuses a cursor that left the list (stripe-node, issue 2368). */
function listCoupons(deletions: Record<string, string[]>) {
  let left = upTo(12);
  return (query: URLSearchParams): Answer => {
    const after = query.get("starting_after");
    const gone = deletions[after ?? ""] ?? [];
    left = left.filter((id) => !gone.includes(id));
    if (after !== null && !left.includes(after))
      return { status: 400, body: { error: `No such coupon: '${after}'` } };
    const from = after === null ? 0 : left.indexOf(after) + 1;
    const data = left.slice(from, from + 4).map((id) => ({ id }));
    return { body: { data, has_more: from + 4 < left.length } };
  };
}
const COUPONS: ObjectRules = { paging: { keyset: { to: "query.starting_after", more: "has_more" } } };

test("a list goes on behind the record before where the one that it would go on from was deleted (Stripe)", async (t) => {
  for (const gone of [["4"], ["4", "3"], ["4", "2"], ["1", "4"]]) {
    const { scan, requests } = await open(t, COUPONS, listCoupons({ 4: gone }));
    assert.deepEqual(await scan(), upTo(12), gone.join());
    assert.ok(requests.length <= 5, `${requests.length}`);
  }
});

test("where all records of a page were deleted, the list goes on behind a page before, or is read anew (Stripe)", async (t) => {
  const second = await open(t, COUPONS, listCoupons({ 8: ["5", "6", "7", "8"] }));
  assert.deepEqual(await second.scan(), upTo(12));
  const first = await open(t, COUPONS, listCoupons({ 4: ["1", "2", "3", "4"] }));
  assert.deepEqual(await first.scan(), upTo(12));
  // Each page is deleted before the next one is asked for, as by a script that empties the list.
  const emptied = listCoupons({ 4: upTo(4), 8: upTo(8) });
  const each = await open(t, COUPONS, emptied);
  assert.deepEqual(await each.scan(), upTo(12));
});

test("a list that tells its total is read to its end where records that were read are deleted", async (t) => {
  for (const gone of [upTo(4), upTo(5), ["5", "6", "7", "8"]]) {
    let left = upTo(20);
    const { scan } = await open(
      t,
      {
        list: { path: "/people", pageSize: { to: "query.size", most: 4 } },
        paging: { keyset: { to: "query.after" } },
        total: "total",
      },
      (query) => {
        const after = query.get("after");
        if (after === "8") left = left.filter((id) => !gone.includes(id));
        if (after !== null && !left.includes(after)) return { status: 400, body: { error: `No ${after}` } };
        const from = after === null ? 0 : left.indexOf(after) + 1;
        return { body: { data: left.slice(from, from + 4).map((id) => ({ id })), total: left.length } };
      },
    );
    assert.deepEqual(await scan(), upTo(20), gone.join());
  }
});

test("a list that is refused for another reason than its place fails with that", async (t) => {
  const { scan, requests } = await open(t, COUPONS, (query) =>
    query.has("starting_after")
      ? { status: 400, body: { error: "Key expired" } }
      : { body: { data: people(1, 4), has_more: true } },
  );
  await assert.rejects(scan(), /Key expired/);
  assert.ok(requests.length <= 20, `${requests.length}`);
});

test("a list that is refused for good from one place on fails with that, not with the pages before", async (t) => {
  const keys = upTo(60);
  const { scan } = await open(t, COUPONS, (query) => {
    const from = numberIn(query, "starting_after");
    return from >= 52
      ? { status: 400, body: { error: "Too deep for this key" } }
      : { body: { data: keys.slice(from, from + 4).map((id) => ({ id })), has_more: from + 4 < 60 } };
  });
  await assert.rejects(scan(), /Too deep for this key/);
});
