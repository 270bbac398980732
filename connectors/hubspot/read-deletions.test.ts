/** How far back HubSpot's deletions reach. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { replay } from "../../connector-kit/testing/replay.ts";
import type { Checkpoint } from "../../connector-kit/read-connector.ts";
import { read } from "./read.ts";

const UNTIL = new Date("2026-11-20T08:10:40Z");

async function warningsSince(since: Date): Promise<string[]> {
  const { fetch } = replay(() => ({ status: 200, body: { total: 0, results: [] } }));
  const warnings: string[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await read.readDeletions({ objectName: "deals", since, until: UNTIL }, checkpoint, fetch);
    warnings.push(...(page.warning === undefined ? [] : [page.warning]));
    checkpoint = page.next;
  } while (checkpoint);
  return warnings;
}

/** A customer whose account was away for longer than HubSpot keeps archived records. */
test("deletions from before HubSpot forgot archived records are a warning, once", async () => {
  const [warning = "", ...others] = await warningsSince(new Date("2026-06-01T12:00:00Z"));
  assert.match(warning, /deals were deleted between 2026-06-01T12:00:00.000Z and 2026-08-22T08:10:40.000Z/);
  assert.deepEqual(others, []);
  assert.deepEqual(await warningsSince(new Date("2026-08-23T12:00:00Z")), []);
});
