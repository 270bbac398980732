/** A process that hears no changes any more, over a connection that stays open, trusts what it has cached for seconds only. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { startLossyDatabase } from "../harness/lossy-database.ts";
import { until } from "../harness/until.ts";

const LISTENS = "busbar changes";

test("a key that another process switches off is refused by API and proxy before the stalled connection is given up", async (t) => {
  const busbar = await openTestBusbar();
  const lossy = await startLossyDatabase(busbar.connectionString);
  t.after(async () => {
    await busbar.stop();
    lossy.close();
  });
  const other = await busbar.sibling();
  await busbar.restart({ DATABASE_URL: lossy.connectionString });
  const customer = await connectCustomer(busbar, { provider: "hubspot", objects: ["companies"] });
  /** Returns whether the key was refused while the connection was still open. */
  const refusesInTime = async (): Promise<boolean> => {
    const { key, id } = (await busbar.inProject("POST", "/api-keys", { label: "ci" })).body;
    const headers = { "x-api-key": key };
    const statuses = async () => [
      (await busbar.inProject("GET", "", undefined, headers)).status,
      (await customer.proxied("/crm/objects/2026-03/companies?limit=1", headers)).status,
    ];
    assert.deepEqual(await statuses(), [200, 200]);
    await until(() => lossy.stall(LISTENS) > 0);
    const opened = lossy.countOpened(LISTENS);
    const switchedOff = await fetch(`${other.urls.base}/projects/default/api-keys/${id}`, {
      method: "PATCH",
      headers: { "x-api-key": busbar.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ updateMask: ["active"], apiKey: { active: false } }),
    });
    assert.equal(switchedOff.status, 200, await switchedOff.clone().text());
    await until(async () => (await statuses()).every((status) => status === 401));
    return lossy.countOpened(LISTENS) === opened;
  };
  // On a busy machine the calls may take longer than it takes to give the connection up: then once more.
  await until(refusesInTime, 10_000);
});
