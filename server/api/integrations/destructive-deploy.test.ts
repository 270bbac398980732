/** Deploys that take objects away, through a real Busbar: installations keep them unless the deploy says otherwise. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";

const manifest = (...objects: string[]) => `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
${objects.map((name) => `        - { objectName: ${name}, destination: hook, optionalFieldsAuto: all }`).join("\n")}
    proxy: { enabled: true }
`;

describe("a manifest that reads less than before", () => {
  let on: TestBusbar;
  let installationId: string;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
    const objects = {
      contacts: { selectedFields: { email: true } },
      companies: { selectedFields: { name: true } },
    };
    ({ installationId } = await connectCustomer(on, {
      provider: "hubspot",
      manifest: manifest("contacts", "companies"),
      integration: "crm",
      groupRef: "acme",
      content: { read: { objects } },
    }));
  });
  const installed = async () =>
    (await on.inProject("GET", `/integrations/crm/installations/${installationId}`)).body;

  test("leaves installations as they are unless it is deployed as destructive", async () => {
    const before = await installed();
    const sourceYaml = manifest("contacts");
    const deployed = await on.inProject("PUT", "/integrations:batch", { sourceYaml });
    assert.equal(deployed.status, 200, deployed.text);
    assert.deepEqual((await installed()).config, before.config);
  });

  test("deployed as destructive, takes what is gone out of every installation and nothing else", async () => {
    const sourceYaml = manifest("contacts");
    const deployed = await on.inProject("PUT", "/integrations:batch?destructive=true", { sourceYaml });
    assert.equal(deployed.status, 200, deployed.text);
    const { config } = await installed();
    assert.deepEqual(Object.keys(config.content.read.objects), ["contacts"]);
    assert.deepEqual(config.content.read.objects.contacts.selectedFields, { email: true });
    assert.equal(config.createdBy, "api:batch-upsert-integrations");
    assert.equal(config.revisionId, deployed.body[0].latestRevision.id);
  });

  test("a deploy of one integration does the same", async () => {
    const sourceYaml = manifest("deals");
    const path = "/integrations/crm/revisions?destructive=true";
    assert.equal((await on.inProject("POST", path, { sourceYaml })).status, 201);
    assert.deepEqual((await installed()).config.content.read.objects, {});
  });
});
