/** The drill of neighbours in its short form, without its times: the whole one is scripts/drill-neighbours.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { failures, neighboursDrill } from "../../scripts/drill-neighbours.ts";

test("a project works on while another one has slow customers, receivers and token endpoints", async () => {
  const report = await neighboursDrill({ slow: 6, seconds: 1, slowMs: 500 });
  assert.deepEqual(failures(report), []);
});
