/** The overview names what keeps customers' data from flowing: a missing worker once, and customers with reasons of their own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { startTestBusbar } from "../harness/busbar.ts";
import { launchBrowser, NO_CHROMIUM } from "../harness/chromium.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { until } from "../harness/until.ts";
import { openVisit, signIn, untilBuilt } from "./open-dashboard.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: app
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: email }]
`;

test(
  "the overview and the customer's page name a missing worker and a reading that is paused",
  { skip: NO_CHROMIUM },
  async (t) => {
    const busbar = await startTestBusbar(t, { env: { BUSBAR_DASHBOARD: "true" } });
    await addWebhook(busbar, "app", "https://example.com/");
    const content = { read: { objects: { contacts: {} } } };
    await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "globex",
      manifest: MANIFEST,
      integration: "crm",
      content,
    });
    const database = new Client(busbar.connectionString);
    await database.connect();
    // The worker inserts the row, and is stopped before it could change it again.
    await until(async () => (await database.query("select from read_objects")).rowCount === 1);
    await busbar.restart({ BUSBAR_ROLES: "api,proxy" });
    const pause = { by: "auto", error: "The provider has no such object.", time: new Date().toISOString() };
    await database.query("update read_objects set pause = $1, failing_since = now()", [
      JSON.stringify(pause),
    ]);
    // A worker counts as missing after 30 s.
    await database.query("update readiness set worker_seen_time = worker_seen_time - interval '31 seconds'");
    await database.end();

    const origin = new URL(busbar.server.urls.base).origin;
    const [browser] = await Promise.all([launchBrowser(), untilBuilt(origin)]);
    t.after(() => browser.close());
    const visit = await openVisit({ browser, origin });
    const { page } = visit;
    await signIn(visit, busbar.apiKey);
    await visit.open("/projects/default");
    await page.getByText(/^No process of this Busbar has the role `worker`/).waitFor();
    await page.getByRole("link", { name: /globex · Reading contacts$/ }).click();
    await page.waitForURL(/\/customers\/globex$/);
    const reasons = page.getByRole("status").filter({ hasText: "Not healthy" });
    await reasons.getByText(/The provider has no such object/).waitFor();
    assert.match(await reasons.innerText(), /Role worker: No process of this Busbar/);
    visit.assertUntroubled();
  },
);
