import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { createOutput } from "./output.ts";
import { formatProgress } from "./progress-line.ts";

test("a read tells how many records it has read, of how many, and how long it had to wait", () => {
  const line = (progress: object, waitedMs = 0) =>
    formatProgress({ metadata: { progress: { objectName: "person", ...progress }, read: { waitedMs } } });
  assert.equal(line({ recordsProcessed: 1200 }), "reading person: 1,200 records");
  assert.equal(
    line({ recordsProcessed: 1200, recordsEstimatedTotal: 5001 }, 12_345),
    "reading person: 1,200 of 5,001 records (23 %), waited 12 s",
  );
  assert.equal(line({ recordsProcessed: 0, recordsEstimatedTotal: 0 }), "reading person: 0 records");
  assert.equal(
    line({ recordsProcessed: 1200, recordsEstimatedTotal: 5000, recordsPerSecond: 40, secondsLeft: 95 }),
    "reading person: 1,200 of 5,000 records (24 %), 40 a second, about 2 min left",
  );
  assert.equal(formatProgress({ metadata: {} }), undefined);
  const read = { waitedMs: 12_345, waitsFor: "destination" };
  assert.equal(
    formatProgress({ metadata: { progress: { objectName: "person", recordsProcessed: 7 }, read } }),
    "reading person: 7 records, waited 12 s, waits for the destination",
  );
});

test("progress replaces its own line on a terminal, and is a remark elsewhere", () => {
  const shown = (screen: { isTTY?: boolean; columns?: number }, quiet = false) => {
    const stderr = Object.assign(new PassThrough(), screen);
    const out = createOutput({ stdout: new PassThrough(), stderr, env: { NO_COLOR: "1" } }, { quiet });
    for (const text of ["10 records", "10 records", "20 records of many", undefined]) out.progress(text);
    return String(stderr.read() ?? "");
  };
  const start = "\r\u001B[K";
  assert.equal(shown({ isTTY: true, columns: 15 }), `${start}10 records${start}20 records of…${start}`);
  assert.equal(shown({}), "10 records\n20 records of many\n");
  assert.equal(shown({}, true), "");
});
