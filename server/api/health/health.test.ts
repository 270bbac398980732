/** Health through the API. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";

describe("health", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });

  test("the process is alive and ready", async () => {
    assert.deepEqual((await on.call("GET", "/healthz")).body, { status: "ok" });
    assert.deepEqual((await on.call("GET", "/readyz")).body, { status: "ok" });
  });
});
