/** What counts as a change of health that is worth an event. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../../tests/harness/deliveries/routes.ts";
import { transactData } from "../database/database.ts";
import { FIRST_ID } from "../../../ground/ids.ts";
import { listChangedHealth, saveReportedHealth } from "./reported-health.ts";
import { reopenDatabase } from "../../../tests/harness/database.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read: { objects: [{ objectName: contacts, destination: app, schedule: "0 0 * * *", requiredFields: [{ fieldName: email }] }] }
`;

test("a destination that fails, succeeds and fails for another reason is reported once, one that is disabled again", async (t) => {
  const busbar = await openTestBusbar({ env: { BUSBAR_ROLES: "api,proxy" } });
  t.after(() => busbar.stop());
  await addWebhook(busbar, "app", "https://example.com/");
  const { installationId } = await connectCustomer(busbar, {
    provider: "hubspot",
    manifest: MANIFEST,
    integration: "crm",
    content: { read: { objects: { contacts: {} } } },
  });
  const database = await reopenDatabase(t, busbar);
  await database.pool.query(
    `insert into read_objects (installation_id, object_name, message_name, project_id, destination, account_ref, cursor_time, deletions_time)
     select id, 'contacts', 'contacts', project_id, 'app', '1', now(), now() from installations where id = $1
     on conflict do nothing`,
    [installationId],
  );
  const report = () =>
    transactData(database, async (queries) => {
      const changed = await listChangedHealth(queries, { after: FIRST_ID, standsMs: 0, max: 10 });
      await saveReportedHealth(queries, changed ?? []);
      return changed?.flatMap(({ reasons }) => reasons.map(({ detail }) => detail)) ?? [];
    });
  const fail = (reason: string) =>
    database.pool.query(
      "update destinations set failing_since = now() - interval '1 hour', failing_reason = $1",
      [reason],
    );
  await fail("refused: 503");
  assert.match((await report()).join(), /refused: 503/);
  await fail("the receiver closed the connection");
  assert.deepEqual(await report(), []);
  await database.pool.query(
    "update destinations set disabled_time = now(), disabled_reason = 'refused: 410'",
  );
  assert.match((await report()).join(), /disabled: refused: 410/);
});
