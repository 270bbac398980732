/** How a process stops behind a load balancer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestBusbar } from "../harness/busbar.ts";

test("a process that stops reports it and serves on, so that no caller is refused before the next check", async (t) => {
  const on = await startTestBusbar(t, { env: { BUSBAR_STOP_DELAY_SECONDS: "3" } });
  const { base } = on.busbar.urls;
  const stopped = on.busbar.stop();
  const ready = await on.call("GET", "/readyz");
  assert.deepEqual([ready.status, ready.body.detail], [503, "This process stops."]);
  assert.equal((await on.call("GET", "/readyz?for=proxy")).status, 503);
  const served = await on.call("GET", "/v1/projects");
  assert.equal(served.status, 200);
  assert.equal(served.headers.get("connection"), "close", "its next request goes to another process");
  await stopped;
  await assert.rejects(fetch(base));
});
