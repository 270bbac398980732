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
  let busbar: TestBusbar;
  let installationId: string;
  after(() => busbar.stop());
  before(async () => {
    busbar = await openTestBusbar();
    const objects = {
      contacts: { selectedFields: { email: true } },
      companies: { selectedFields: { name: true } },
    };
    ({ installationId } = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: manifest("contacts", "companies"),
      integration: "crm",
      groupRef: "acme",
      content: { read: { objects } },
    }));
  });
  const installed = async () =>
    (await busbar.inProject("GET", `/integrations/crm/installations/${installationId}`)).body;

  test("leaves installations as they are unless it is deployed as destructive", async () => {
    const before = await installed();
    const sourceYaml = manifest("contacts");
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
    assert.equal(deployed.status, 200, deployed.text);
    assert.deepEqual((await installed()).config, before.config);
  });

  test("deployed as destructive, takes what is gone out of every installation and nothing else", async () => {
    const sourceYaml = manifest("contacts");
    const deployed = await busbar.inProject("PUT", "/integrations:batch?destructive=true", { sourceYaml });
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
    assert.equal((await busbar.inProject("POST", path, { sourceYaml })).status, 201);
    assert.deepEqual((await installed()).config.content.read.objects, {});
  });
});

describe("a manifest that takes away names for writing", () => {
  let busbar: TestBusbar;
  after(() => busbar.stop());
  before(async () => {
    busbar = await openTestBusbar();
  });

  const written = ({
    name = "crm",
    fields = "{ mapToName: skill }, { mapToName: title, fieldName: jobtitle }",
    read = true,
  }) => `
specVersion: 1.0.0
integrations:
  - name: ${name}
    provider: hubspot${
      read
        ? `
    read:
      objects:
        - { objectName: contacts, mapToName: person, destination: hook, requiredFields: [${fields}] }`
        : ""
    }
    write:
      objects:
        - { objectName: contacts, inheritMapping: true }
`;
  const deploy = (sourceYaml: string, query = "") =>
    busbar.inProject("PUT", `/integrations:batch${query}`, { sourceYaml });
  const lostIn = (answer: { body: { warnings: { rule: string; message: string }[] }[] }): string[] =>
    (answer.body[0]?.warnings ?? []).flatMap(({ rule, message }) =>
      rule === "written-names" ? [message] : [],
    );

  test("is deployed with a warning for each name and the number of installations, or refused with destructive=false", async () => {
    const { integration } = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: written({}),
      integration: "crm",
      content: { read: { objects: { contacts: { selectedFieldMappings: { skill: "jobtitle" } } } } },
    });
    const without = written({ read: false });
    for (const [path, method] of [
      ["/integrations:batch", "PUT"],
      [`/integrations/${integration}/revisions`, "POST"],
    ] as const) {
      const refused = await busbar.inProject(method, `${path}?destructive=false`, { sourceYaml: without });
      assert.deepEqual(
        [refused.status, refused.body.type.split("/").at(-1)],
        [409, "names-in-use"],
        refused.text,
      );
      assert.match(
        refused.body.detail,
        /`person` is no longer a name of `contacts` for writing \(1 installation\)/,
      );
    }
    const [{ latestRevision }] = (await busbar.inProject("GET", "/integrations")).body;
    assert.ok(latestRevision.content.read, "a refused deployment changes nothing");
    // The customer's own mapping of `skill` stays in the configuration.
    assert.deepEqual(lostIn(await deploy(without)), [
      "`person` is no longer a name of `contacts` for writing (1 installation).",
      "`title` of `contacts` is no longer mapped for writing (1 installation).",
    ]);
    await deploy(written({}));
    const renamed = written({ fields: "{ mapToName: skill }, { mapToName: role, fieldName: jobtitle }" });
    assert.deepEqual(lostIn(await deploy(renamed, "?destructive=true")), []);
    await deploy(written({}));
    assert.deepEqual(lostIn(await deploy(renamed)), [
      "`title` of `contacts` is no longer mapped for writing (1 installation).",
    ]);
    assert.equal((await deploy(renamed, "?destructive=false")).status, 200);
  });

  test("is deployed without a word where no installation could write to them", async () => {
    await deploy(written({ name: "unused" }));
    const answer = await deploy(written({ name: "unused", read: false }), "?destructive=false");
    assert.deepEqual([answer.status, lostIn(answer)], [200, []], answer.text);
  });
});
