/** Guards the table of integrations, against a real server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestBusbar } from "../../tests/harness/busbar.ts";
import { runCli } from "../../tests/harness/command-line.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { until } from "../../tests/harness/until.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - { name: crm, provider: hubspot, write: { objects: [{ objectName: contacts }] }, proxy: { enabled: true } }
  - { name: unused, provider: stripe, proxy: { enabled: true } }
`;

test("integrations are listed with the health of their installations, revision and author, also of one provider", async (t) => {
  const server = await startTestBusbar(t);
  const crm = { provider: "hubspot", manifest: MANIFEST, integration: "crm", skipSampling: true } as const;
  const list = async (...args: string[]): Promise<string[]> => {
    const env = { BUSBAR_URL: new URL(server.server.urls.base).origin, BUSBAR_API_KEY: server.apiKey };
    const { code, stdout, stderr } = await runCli(["list", ...args], { env });
    assert.equal(code, 0, stderr);
    return stdout.trimEnd().split("\n");
  };
  await connectCustomer(server, { ...crm, groupRef: "well" });
  const table = await list("integrations");
  assert.match(table[0] ?? "", /^NAME +PROVIDER +ACTIONS +HEALTH +REVISION +DEPLOYED +BY +REVISION ID +ID$/);
  assert.match(table[1] ?? "", /^crm +hubspot +write, proxy +1 healthy +1 +\S+Z +API key bootstrap +/);
  assert.match(table[2] ?? "", /^unused +stripe +proxy {2,}1 +\S+Z +API key bootstrap +/);

  const { connectionId } = await connectCustomer(server, { ...crm, groupRef: "broken" });
  server.sandbox.hubspot.revokeTokens();
  await server.inProject("POST", `/connections/${connectionId}:check`);
  const [, ofHubspot, ...more] = await list("integrations", "--provider", "hubspot");
  assert.match(ofHubspot ?? "", /^crm +hubspot +write, proxy +1 of 2 unhealthy +2 +/);
  assert.deepEqual(more, []);
  assert.match(
    (await list("revisions", "--integration", "crm"))[1] ?? "",
    /^2 +true +\S+Z +API key bootstrap +/,
  );
});

test("installations are listed with the objects that are not read for now", async (t) => {
  const server = await startTestBusbar(t);
  const manifest = `specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: app
          schedule: "*/30 * * * *"
          requiredFields: [{ fieldName: email }]
`;
  const content = { read: { objects: { contacts: { objectName: "contacts" } } } };
  await connectCustomer(server, { provider: "hubspot", manifest, integration: "crm", content });
  const env = { BUSBAR_URL: new URL(server.server.urls.base).origin, BUSBAR_API_KEY: server.apiKey };
  const busbar = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await runCli(args, { env });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  // It is a worker that begins to read what was installed.
  const table = await until(async () => {
    await busbar("pause", "crm", "--group", "acme");
    const listed = await busbar("list", "installations");
    return listed.includes("person") && listed;
  });
  assert.match(table, /^GROUP.* HEALTH +PAUSED .*\nacme +crm .* person /);
});
