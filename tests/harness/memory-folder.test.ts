/** Folders of tests that were killed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { removeFolder, removeLeftOvers } from "./memory-folder.ts";

test("folders of processes that are gone are removed, those of others stay", async (t) => {
  const parent = await mkdtemp(join(tmpdir(), "busbar-left-"));
  t.after(() => removeFolder(parent));
  const { pid } = spawnSync("true");
  const kept = [`busbar-test-${process.pid}-a`, "busbar-test-notes", "other"];
  for (const name of [`busbar-test-${pid}-b`, ...kept])
    await mkdir(join(parent, name, "inside"), { recursive: true });
  await removeLeftOvers(parent);
  assert.deepEqual((await readdir(parent)).toSorted(), kept.toSorted());
});
