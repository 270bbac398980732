/** The question before something is deleted names what hangs on it, as a real server has it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { startTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { runCli } from "../../tests/harness/command-line.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - { name: crm, provider: hubspot, proxy: { enabled: true } }
  - { name: support, provider: hubspot, proxy: { enabled: true } }
`;
const CRM = { provider: "hubspot", manifest: MANIFEST, integration: "crm", content: {} } as const;

/** Begins a deletion, declines it, and returns the question. */
async function askToDelete(busbar: TestBusbar, ...args: string[]): Promise<string> {
  const { stderr } = await runCli(["delete", ...args], {
    env: { BUSBAR_URL: new URL(busbar.server.urls.base).origin, BUSBAR_API_KEY: busbar.apiKey },
    typed: ["n"],
  });
  assert.match(stderr, /kept/, stderr);
  return stderr;
}

/** Installs the other integration on a customer's connection. */
async function installSupport(busbar: TestBusbar, { groupRef, connectionId }: Customer): Promise<void> {
  const installation = { groupRef, connectionId, config: { content: { provider: "hubspot" } } };
  const { status } = await busbar.inProject("POST", "/integrations/support/installations", installation);
  assert.equal(status, 201);
}

test("the question before a deletion names customers, connections, people and routes that go along or are left behind", async (t) => {
  const busbar = await startTestBusbar(t);
  await addWebhook(busbar, "app", "https://example.com/");
  const topic = await busbar.inProject("POST", "/topics", {
    name: "sign-ups",
    eventTypes: ["connection.created"],
  });
  const { body: app } = await busbar.inProject("GET", "/destinations/app");
  await busbar.inProject("POST", "/topic-destination-routes", {
    topicId: topic.body.id,
    destinationId: app.id,
  });
  const globex = await connectCustomer(busbar, { ...CRM, groupRef: "globex" });
  await connectCustomer(busbar, { ...CRM, groupRef: "acme" });
  const ask = (...args: string[]) => askToDelete(busbar, ...args);
  const aboutIntegration = await ask("integration", "crm");
  assert.match(aboutIntegration, /2 installations \(of acme, globex\)/);
  assert.match(aboutIntegration, /2 connections \(hubspot of acme, hubspot of globex\)/);
  const aboutGroup = await ask("group", "globex");
  assert.match(aboutGroup, /1 connection \(hubspot of globex-admin\)/);
  assert.match(aboutGroup, /1 installation \(crm\)/);
  assert.match(aboutGroup, /1 person \(globex-admin\)/);
  assert.match(await ask("installation", globex.installationId), /1 connection \(hubspot of globex\)/);
  await installSupport(busbar, globex);
  assert.match(
    await ask("installation", globex.installationId),
    /its connection is kept, because support of globex uses it/,
  );
  assert.match(await ask("destination", "app"), /1 route \(from the topic sign-ups\)/);
  assert.match(await ask("topic", "sign-ups"), /2 routes \(connection\.created, to app\)/);
  assert.match(
    await ask("project", "default"),
    /3 installations \(crm of acme, crm of globex, support of globex\).*2 integrations \(crm, support\)/,
  );
});

test("what an installation shares its connection with is found however many newer installations the project has", async (t) => {
  const busbar = await startTestBusbar(t);
  const globex = await connectCustomer(busbar, { ...CRM, groupRef: "globex" });
  const client = new Client({ connectionString: busbar.connectionString });
  await client.connect();
  await client.query(`
    insert into groups (id, project_id, group_ref, group_name)
    select ('ffffffff' || lpad(to_hex(n), 24, '0'))::uuid, project_id, 'g' || n, 'g' from groups cross join generate_series(1, 1100) as n;
    insert into installations (id, project_id, integration_id, group_id, connection_id, created_by)
    select groups.id, old.project_id, old.integration_id, groups.id, old.connection_id, old.created_by
    from installations as old join groups on group_ref <> 'globex'`);
  await client.end();
  await installSupport(busbar, globex);
  const question = await askToDelete(busbar, "installation", globex.installationId);
  assert.match(question, /its connection is kept, because support of globex uses it/);
});
