/** The end of a scheduled read: where changes and deletions go on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "../../../ground/ids.ts";
import { insertReadRuns } from "../../store/reads/read-runs.ts";
import { openInstallations } from "../../../tests/fixtures/installed-fixture.ts";
import { readSet } from "../definition/read-set.ts";
import { shapeRecords } from "../records/shape-record.ts";
import type { ReadScan } from "../records/read-scan.ts";
import { endOfRead } from "./end-of-read.ts";

test("deletions that the provider has only in part are looked up again, and those of them that are known are remembered", async (t) => {
  const busbar = await openInstallations(t, { deletedRecords: "always" });
  const { id } = await busbar.install("acme", { objectName: "account" });
  await busbar.sync();
  const { projectId, integrationId } = busbar;
  const run = { operationId: newId(), projectId, integrationId, installationId: id, configId: newId() };
  const what = { objectName: "account", messageName: "account", settles: false, kind: "scheduled" as const };
  await insertReadRuns(busbar.queries, [{ ...run, ...what, sinceTime: null, untilTime: null }]);
  const claimed = await busbar.claim(id, "scheduled");
  const target = await busbar.findTarget(claimed);
  assert.ok(target);
  const { read } = target.connector;
  const set = readSet(target.definition, undefined, read);
  const scan: ReadScan = {
    run: claimed,
    target: { ...target, destination: { id: busbar.destinationId, maxBytes: undefined } },
    plan: { objectName: "account", fields: set.fields, filters: [], associations: [] },
    startTime: new Date(),
    shaper: shapeRecords(set, read),
    set,
    refused: new Set(),
    learning: "done",
    isCompared: false,
    failedCalls: 0,
    log: [],
  };
  const counts = {
    pages: 1,
    records: 0,
    delivered: 0,
    unchanged: 0,
    deleted: 0,
    providerCalls: 2,
    waitedMs: 0,
  };
  const untilTime = new Date("2026-11-20T08:10:00Z");
  const { fields } = scan.target;
  const cursorAfter = (stage: "records" | "deletions", coveredUntil?: Date) =>
    endOfRead(scan, { counts, untilTime, stage, coveredUntil, fields }).cursor;
  const { overlapMs } = read.abilities;

  const covered = new Date("2026-11-20T07:30:00Z");
  const partly = cursorAfter("deletions", covered);
  assert.deepEqual([partly?.cursorTime, partly?.deletionsTime], [untilTime, covered]);
  assert.ok(partly && partly.forgetBefore.getTime() <= covered.getTime() - overlapMs);

  assert.deepEqual(cursorAfter("deletions")?.deletionsTime, untilTime);
  assert.deepEqual(cursorAfter("deletions", new Date("2026-11-20T09:00:00Z"))?.deletionsTime, untilTime);
  assert.equal(cursorAfter("records")?.deletionsTime, undefined);
});
