/** The drill of neighbours in its short form, without its times: the whole one is tests/drills/neighbours-drill.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listFailures, runNeighboursDrill } from "./neighbours-drill.ts";

test("a project works on while another one has slow customers, receivers and token endpoints", async () => {
  const report = await runNeighboursDrill({ slow: 6, seconds: 1, slowMs: 500 });
  assert.deepEqual(listFailures(report), []);
});
