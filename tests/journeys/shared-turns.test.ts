/** Background work that projects share: one that has much of it does not take the turns of another. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { secondProject } from "../harness/second-project.ts";
import { claimDueTrials } from "../../server/store/connections/connection-states.ts";
import { claimSchemaCheck } from "../../server/store/integrations/schema-checks.ts";
import { reopenDatabase } from "../harness/database.ts";

/** Nobody listens there. */
const AWAY = {
  authType: "apiKey",
  baseURL: "http://127.0.0.1:1",
  support: { proxy: true },
  apiKeyOpts: { attachmentType: "header", header: { name: "X-Key" } },
  authHealthCheck: { url: "http://127.0.0.1:1/me", successStatusCodes: [200] },
};
const MANIFEST =
  "specVersion: 1.0.0\nintegrations:\n  - name: away\n    provider: away\n    proxy: { enabled: true }\n";
const MANY = 12;

async function install(project: TestBusbar, groupRef: string): Promise<void> {
  const made = await project.inProject("POST", "/connections:generate", {
    provider: "away",
    groupRef,
    consumerRef: groupRef,
    apiKey: "key",
  });
  assert.equal(made.status, 201, made.text);
  assert.equal(made.body.verified, false, made.text);
  const installed = await project.inProject("POST", "/integrations/away/installations?skipSampling=true", {
    groupRef,
    config: { content: { provider: "away", proxy: { enabled: true } } },
  });
  assert.equal(installed.status, 201, installed.text);
}

test("trials of credentials and checks of schemas that are due for long in one project leave turns to another", async (t) => {
  // The workers' own rounds come after the test.
  const busbar = await openTestBusbar({ env: { BUSBAR_MINUTE_MS: "3600000" }, providers: { away: AWAY } });
  t.after(() => busbar.stop());
  const other = await secondProject(busbar);
  for (const project of [busbar, other])
    assert.equal(
      (await project.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST })).status,
      200,
    );
  for (let index = 0; index < MANY; index += 1) await install(busbar, `customer-${index}`);
  await install(other, "only");
  const database = await reopenDatabase(t, busbar);
  const { rows } = await database.pool.query<{ id: string }>("select id from projects where name = 'second'");
  const second = rows[0]?.id;
  await database.pool.query(
    "update connections set trial_time = now() - case when project_id = $1 then interval '1 second' else interval '1 hour' end",
    [second],
  );
  const trials = await claimDueTrials(database.queries, { max: 4, minuteMs: 60_000 });
  assert.equal(trials.length, 4);
  assert.equal(trials.filter(({ projectId }) => projectId === second).length, 1);

  await database.pool.query(
    `insert into schema_looks (installation_id, integration_id, due_time)
     select id, integration_id, now() - case when project_id = $1 then interval '1 second' else interval '1 hour' end from installations`,
    [second],
  );
  const oldest = await claimSchemaCheck(database.queries, { leaseMs: 60_000, full: [] });
  assert.ok(oldest && oldest.projectId !== second);
  const next = await claimSchemaCheck(database.queries, { leaseMs: 60_000, full: [oldest.projectId] });
  assert.equal(next?.projectId, second, "while a project has its share, the other one has its turn");
});
