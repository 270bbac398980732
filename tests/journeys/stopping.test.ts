/** How a process stops behind a load balancer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestBusbar } from "../harness/busbar.ts";
import { endChildBusbar, startChildBusbar } from "../harness/child-busbar.ts";
import { freePort } from "../harness/free-port.ts";
import { until } from "../harness/until.ts";

test("a process that stops reports it and serves on, so that no caller is refused before the next check", async (t) => {
  // Long enough for the calls below on a busy machine.
  const busbar = await startTestBusbar(t, { env: { BUSBAR_STOP_DELAY_SECONDS: "20" } });
  const { base } = busbar.server.urls;
  const stopped = busbar.server.stop();
  const ready = await busbar.call("GET", "/readyz");
  assert.deepEqual([ready.status, ready.body.detail], [503, "This process stops."]);
  assert.equal((await busbar.call("GET", "/readyz?for=proxy")).status, 503);
  const served = await busbar.call("GET", "/v1/projects");
  assert.equal(served.status, 200);
  assert.equal(served.headers.get("connection"), "close", "its next request goes to another process");
  await stopped;
  await assert.rejects(fetch(base));
});

test("a start while the last one stops on the same data folder and ports waits for its end, as a restart by a script needs", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "busbar-again-"));
  const [port, proxyPort] = [await freePort(), await freePort()];
  const env = {
    BUSBAR_DATA_DIR: dataDir,
    BUSBAR_PORT: String(port),
    BUSBAR_PROXY_PORT: String(proxyPort),
    BUSBAR_DASHBOARD: "false",
    // It keeps its ports and its folder for so long.
    BUSBAR_STOP_DELAY_SECONDS: "5",
  };
  const first = await startChildBusbar(dataDir, env);
  let second: Awaited<ReturnType<typeof startChildBusbar>> | undefined;
  t.after(() => endChildBusbar(second ?? first, dataDir));
  first.signal("SIGTERM");
  // On a busy machine it may have ended before it is asked.
  const asked = () =>
    first.call("GET", "/readyz").then(
      ({ body }) => body.detail,
      () => "ended",
    );
  await until(async () => /^(This process stops\.|ended)$/.test(await asked()));
  second = await startChildBusbar(dataDir, { ...env, BUSBAR_STOP_DELAY_SECONDS: "0" });
  const { code, stdout } = await first.exited;
  assert.equal(code, 0, stdout);
  assert.equal((await second.call("GET", "/v1/projects")).status, 200);
  assert.equal(second.file.apiKey, first.file.apiKey);
});
