/** Lists of proxied calls. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testDatabase } from "../../../tests/harness/database.ts";
import { stockDatabase } from "../../../tests/harness/proxy/stock-database.ts";
import { type CallPlace, listProjectProxyCalls } from "./proxy-call-lists.ts";
import { insertProxyUsage } from "./proxy-usage.ts";

const START_MS = Date.parse("2026-05-01T10:00:00Z");

test("a search examines a limited number of calls, and the next one continues behind them", async (t) => {
  const { queries } = await testDatabase(t);
  const { projectId, installationId } = await stockDatabase(queries, { projectName: "one" });
  const call = { projectId, installationId, method: "GET", durationMs: 1, bytesUp: 0, bytesDown: 0 };
  await insertProxyUsage(
    queries,
    [404, 200, 200, 200, 200, 200, 200].map((status, nth) => ({
      ...call,
      status,
      path: `/${nth}`,
      timeMs: START_MS + nth,
    })),
  );
  const pages: string[][] = [];
  let before: CallPlace | undefined;
  do {
    const filter = { projectId, statuses: { from: 400, to: 499 } };
    const range = { limit: 2, ...(before && { before }) };
    const { rows, stop } = await listProjectProxyCalls(queries, filter, range, 3);
    pages.push(rows.map(({ path }) => path));
    before = stop;
  } while (before);
  assert.deepEqual(pages, [[], [], ["/0"]]);
});
