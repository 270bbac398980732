/** The restore drill in its short form: the whole one is scripts/drill-restore.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listFaults, restoreDrill } from "../../scripts/drill-restore.ts";

test("a backup of a running embedded database has every acknowledged write, and a Busbar works on the restored one", async () => {
  const report = await restoreDrill({ seconds: 1, operations: 500 });
  assert.deepEqual(listFaults(report), []);
});
