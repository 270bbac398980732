/** The dashboard is built once, and found again by the next start. */
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createLog } from "../../ground/log.ts";
import { openBuiltDashboard } from "./built-dashboard.ts";
import { computeDashboardDigest } from "./dashboard-digest.ts";

test("the second start finds the build of the first, and changes no file", async (scope) => {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-dashboard-"));
  scope.after(() => rm(dataDir, { recursive: true, force: true }));
  const log = createLog("silent");
  const first = openBuiltDashboard({ dataDir, log });
  await first.settled;
  const made = first.state();
  if (made.kind !== "ready") return scope.skip(`no build here: ${made.kind}`);
  assert.equal(made.build.digest, await computeDashboardDigest());
  const names = await readdir(join(made.folder, "assets"));
  assert.deepEqual(
    made.build.assets.filter((name) => !names.includes(name)),
    [],
  );

  const second = openBuiltDashboard({ dataDir, log, builds: false });
  await second.settled;
  assert.deepEqual(second.state(), made);
  assert.deepEqual(await readdir(join(made.folder, "assets")), names);
  await Promise.all([first.close(), second.close()]);
});
