/** The state of the system through the API. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestBusbar } from "../../../tests/harness/busbar.ts";
import { until } from "../../../tests/harness/until.ts";

test("the system names version, addresses and every process with its roles, until it stops", async (t) => {
  const busbar = await startTestBusbar(t);
  const sibling = await busbar.sibling({ BUSBAR_ROLES: "worker" });
  const system = async () => (await busbar.call("GET", "/v1/system")).body;
  // A process announces itself in the background.
  const { version, processes, urls, queues, retention } = await until(async () => {
    const shown = await system();
    return shown.processes.length === 2 && shown;
  });
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(
    processes.map(({ roles }: { roles: string[] }) => roles),
    [["api", "proxy", "worker"], ["worker"]],
  );
  for (const one of processes) assert.equal(one.version, version);
  assert.equal(urls.proxy, busbar.server.urls.proxy);
  assert.deepEqual(
    queues.map(({ name }: { name: string }) => name),
    ["writes", "deliveries", "reads"],
  );
  assert.ok(Object.values(retention).every((days) => Number(days) > 0));
  await sibling.stop();
  await until(async () => (await system()).processes.length === 1);
});
