/** Paging. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../ground/ids.ts";
import type { IdRange } from "../store/database/id-range.ts";
import { listPage } from "./pages.ts";

const ids = Array.from({ length: 5 }, newId).toReversed();
const ask = (query: Parameters<typeof listPage>[0]) => {
  const asked: IdRange[] = [];
  const list = async (range: IdRange) => {
    asked.push(range);
    return ids.filter((id) => range.before === undefined || id < range.before).slice(0, range.limit);
  };
  return listPage(query, { list, show: (id) => ({ id }) }).then((page) => ({ page, asked }));
};

test("pages follow one another until the last one, which has no token", async () => {
  const first = await ask({ pageSize: 3 });
  assert.deepEqual(
    first.page.results,
    ids.slice(0, 3).map((id) => ({ id })),
  );
  assert.deepEqual(first.page.pagination, { done: false, nextPageToken: ids[2] });
  const second = await ask({ pageSize: 3, pageToken: ids[2] });
  assert.deepEqual(
    second.page.results,
    ids.slice(3).map((id) => ({ id })),
  );
  assert.deepEqual(second.page.pagination, { done: true });
});

test("without a size a page has 50 entries, and a period arrives as times", async () => {
  const { asked } = await ask({ since: "2026-01-31T12:00:00+01:00", until: "2026-02-01T00:00:00Z" });
  assert.deepEqual(asked, [
    {
      before: undefined,
      after: undefined,
      since: new Date("2026-01-31T11:00:00Z"),
      until: new Date("2026-02-01T00:00:00Z"),
      limit: 51,
    },
  ]);
});

test("foreign tokens, two positions at once and times that do not exist are refused, naming the parameter", async () => {
  const [id] = ids;
  for (const [query, name] of [
    [{ pageToken: "nonsense" }, "pageToken"],
    [{ after: "nonsense" }, "after"],
    [{ after: id, pageToken: id }, "after"],
    [{ since: "2026-12-31T23:59:60Z" }, "since"],
  ] as const) {
    await assert.rejects(ask(query), (error: { status?: number; message: string }) => {
      assert.equal(error.status, 400);
      assert.match(error.message, new RegExp(`^${name}: `));
      return true;
    });
  }
});
