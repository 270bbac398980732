/** Events through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";

describe("events", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });

  test("the types need no credential, and each sample is what a test of a destination sends", async () => {
    const { status, body } = await on.call("GET", "/v1/event-types", undefined, { "x-api-key": "" });
    assert.equal(status, 200);
    assert.deepEqual(
      body.map(({ type }: { type: string }) => type),
      EVENT_TYPES,
    );
    for (const { type, sample, description } of body) {
      assert.equal(sample.notificationType, type);
      assert.ok(sample.data.projectId);
      assert.match(description, /\.$/);
    }
  });
});
