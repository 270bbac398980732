/** What a change says of itself when the database goes away behind its commit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { openTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";

test("a change that was stored before the database went away is not answered with nothing was done", async (t) => {
  const busbar = await openTestBusbar({ env: { BUSBAR_ROLES: "api,proxy" } });
  const locker = new Client(busbar.connectionString);
  await locker.connect();
  t.after(async () => {
    await locker.end();
    await busbar.stop();
  });
  const manifest = `specVersion: 1.0.0
integrations:
  - { name: crm, provider: hubspot, proxy: { enabled: true } }
  - { name: support, provider: hubspot, proxy: { enabled: true } }
`;
  const { groupRef, connectionId } = await connectCustomer(busbar, {
    provider: "hubspot",
    manifest,
    integration: "crm",
    content: {},
  });
  const installations = "/integrations/support/installations";
  // The answer has the health of the installation, which is read after the commit.
  await locker.query("begin; lock table read_runs in access exclusive mode");
  const made = await busbar.inProject("POST", installations, {
    groupRef,
    connectionId,
    config: { content: { provider: "hubspot" } },
  });
  await locker.query("rollback");
  assert.equal((await busbar.inProject("GET", installations)).body.length, 1);
  assert.equal(made.status, 503, made.text);
  assert.match(made.body.detail, /was stored.*Look it up before you send it again/);
  assert.equal(made.body.retryable, false);
});
