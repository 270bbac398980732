/** The end of a scheduled read: where changes and deletions go on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openScan } from "../../../tests/fixtures/scanned-fixture.ts";
import { endOfRead } from "./end-of-read.ts";

test("deletions that the provider has only in part are looked up again, and those of them that are known are remembered", async (t) => {
  const { scan } = await openScan(t, "scheduled", { deletedRecords: "always" });
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
  const { overlapMs } = scan.target.connector.read.abilities;

  const covered = new Date("2026-11-20T07:30:00Z");
  const partly = cursorAfter("deletions", covered);
  assert.deepEqual([partly?.cursorTime, partly?.deletionsTime], [untilTime, covered]);
  assert.ok(partly && partly.forgetBefore.getTime() <= covered.getTime() - overlapMs);

  assert.deepEqual(cursorAfter("deletions")?.deletionsTime, untilTime);
  assert.deepEqual(cursorAfter("deletions", new Date("2026-11-20T09:00:00Z"))?.deletionsTime, untilTime);
  assert.equal(cursorAfter("records")?.deletionsTime, undefined);
});
