/** The restore drill in its short form: the whole one is tests/drills/restore-drill.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listFaults, restoreDrill } from "./restore-drill.ts";

test("a backup of a running embedded database has every acknowledged write, and a Busbar works on the restored one", async () => {
  const report = await restoreDrill({ seconds: 1, operations: 500 });
  assert.deepEqual(listFaults(report), []);
});

test("a backup of a running Busbar with a shard has every acknowledged write of both databases, and is refused while the shard is away", async () => {
  const report = await restoreDrill({ seconds: 1, operations: 500, shards: ["a"] });
  assert.deepEqual(listFaults(report), []);
});
