/** How a process stops behind a load balancer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestBusbar } from "../harness/busbar.ts";

test("a process that stops reports it and serves on, so that no caller is refused before the next check", async (t) => {
  const busbar = await startTestBusbar(t, { env: { BUSBAR_STOP_DELAY_SECONDS: "3" } });
  const { base } = busbar.busbar.urls;
  const stopped = busbar.busbar.stop();
  const ready = await busbar.call("GET", "/readyz");
  assert.deepEqual([ready.status, ready.body.detail], [503, "This process stops."]);
  assert.equal((await busbar.call("GET", "/readyz?for=proxy")).status, 503);
  const served = await busbar.call("GET", "/v1/projects");
  assert.equal(served.status, 200);
  assert.equal(served.headers.get("connection"), "close", "its next request goes to another process");
  await stopped;
  await assert.rejects(fetch(base));
});
