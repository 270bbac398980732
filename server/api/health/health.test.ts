/** Health through the API. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { until } from "../../../tests/harness/until.ts";

const busbar = await shareTestBusbar();

describe("health", () => {
  test("the process is alive and ready", async () => {
    assert.deepEqual((await busbar.call("GET", "/healthz")).body, { status: "ok" });
    // A check has a second, which a busy machine may not keep.
    const ready = await until(async () => {
      const answer = await busbar.call("GET", "/readyz");
      return answer.status === 200 && answer;
    });
    assert.deepEqual(ready.body, { status: "ok" });
  });
});
