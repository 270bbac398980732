/** Fields of a configuration are those of the customer's account, where the account can be read. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          requiredFields: [{ fieldName: email }, { mapToName: skill }]
          optionalFields: [{ fieldName: phone }, { mapToName: notes }]
`;

const busbar = await shareTestBusbar();

describe("the fields of a configuration", () => {
  let customers = 0;
  before(async () => {
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
  });

  const connect = async (): Promise<string> => {
    const groupRef = `group-${(customers += 1)}`;
    const connected = await busbar.inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef,
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: busbar.sandbox.hubspot.mintToken().accessToken } },
    });
    assert.equal(connected.status, 201, connected.text);
    return groupRef;
  };
  const deployMisspelt = async (): Promise<void> => {
    const sourceYaml = `
specVersion: 1.0.0
integrations:
  - name: misspelt
    provider: hubspot
    read:
      objects:
        - objectName: companies
          destination: hook
          requiredFields: [{ fieldName: name }]
        - objectName: contacts
          destination: hook
          requiredFields: [{ fieldName: emial }]
`;
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml });
    assert.equal(deployed.status, 200, deployed.text);
  };
  const buildContent = (contacts: object) => ({ content: { read: { objects: { contacts } } } });
  const install = async (contacts: object, query = "", groupRef?: string) =>
    busbar.inProject("POST", `/integrations/crm/installations${query}`, {
      groupRef: groupRef ?? (await connect()),
      config: buildContent(contacts),
    });
  const PLACE = "config.content.read.objects.contacts";

  test("are refused at an installation if the account does not have them, each with its place and the nearest one", async () => {
    const refused = await install({
      selectedFields: { fax_number: true, phone: true },
      selectedFieldMappings: { skill: "jobtitel", notes: "city" },
    });
    assert.deepEqual(
      [refused.status, refused.body.type.split("/").at(-1)],
      [422, "invalid-config"],
      refused.text,
    );
    assert.deepEqual(
      refused.body.issues.map(({ name }: { name: string }) => name),
      [`${PLACE}.selectedFields.fax_number`, `${PLACE}.selectedFieldMappings.skill`],
    );
    assert.match(refused.body.issues[1].remedy, /Did you mean "jobtitle"\?/);
  });

  test("that hold plain values are refused with a path into them, which would always be null", async () => {
    const refused = await install({
      selectedFieldMappings: { skill: "$['email'][0]", notes: "$['email'][?primary]['value']" },
    });
    assert.equal(refused.status, 422, refused.text);
    assert.deepEqual(
      refused.body.issues.map(({ name }: { name: string }) => name),
      [`${PLACE}.selectedFieldMappings.skill`, `${PLACE}.selectedFieldMappings.notes`],
    );
    assert.match(refused.body.issues[0].detail, /`email` of Contacts is one value/);
    assert.match(refused.body.issues[0].remedy, /"email"/);
  });

  test("that the manifest requires are refused as well, at the object's place", async () => {
    await deployMisspelt();
    const groupRef = await connect();
    const config = { content: { read: { objects: { contacts: {} } } } };
    const install = (query: string) =>
      busbar.inProject("POST", `/integrations/misspelt/installations${query}`, { groupRef, config });
    const refused = await install("");
    assert.equal(refused.status, 422, refused.text);
    const [issue] = refused.body.issues;
    assert.equal(issue.name, "config.content.read.objects.contacts");
    assert.match(issue.detail, /no field `emial` of .*which the integration's manifest requires/);
    assert.match(issue.remedy, /email/);
    assert.equal((await install("?skipSampling=true")).status, 201);
  });

  test("that the manifest requires are refused where a change adds the object or enables it again", async () => {
    await deployMisspelt();
    const created = await busbar.inProject("POST", "/integrations/misspelt/installations", {
      groupRef: await connect(),
      config: { content: { read: { objects: { companies: {} } } } },
    });
    assert.equal(created.status, 201, created.text);
    const { id } = created.body;
    const patch = (contacts: object) =>
      busbar.inProject("PATCH", `/integrations/misspelt/installations/${id}`, {
        updateMask: [PLACE],
        installation: { config: buildContent(contacts) },
      });
    const added = await patch({});
    assert.deepEqual([added.status, added.body.issues?.[0].name], [422, PLACE], added.text);
    assert.match(
      added.body.issues[0].detail,
      /no field `emial` of .*which the integration's manifest requires/,
    );
    assert.equal((await patch({ disabled: true })).status, 200, "a disabled object is not read");
    const enabled = await patch({ disabled: false });
    assert.deepEqual([enabled.status, enabled.body.issues?.[0].name], [422, PLACE], enabled.text);
  });

  test("that a path begins with are suggested with the path", async () => {
    const refused = await install({ selectedFieldMappings: { skill: "$['jobtitel'][0]" } });
    assert.equal(refused.status, 422, refused.text);
    assert.equal(refused.body.issues[0].remedy, "Did you mean \"$['jobtitle'][0]\"?");
  });

  test("are accepted in any case, and unchecked with skipSampling", async () => {
    assert.equal((await install({ selectedFieldMappings: { skill: "JobTitle" } })).status, 201);
    const unchecked = await install({ selectedFieldMappings: { skill: "jobtitel" } }, "?skipSampling=true");
    assert.equal(unchecked.status, 201, unchecked.text);
  });

  test("are mapped by names of the manifest: one that is nearly such a name is refused", async () => {
    const mappings = { skill: "jobtitle", note: "city" };
    const refused = await install({ selectedFieldMappings: mappings });
    assert.deepEqual(
      [refused.status, refused.body.issues?.[0].name],
      [422, `${PLACE}.selectedFieldMappings.note`],
      refused.text,
    );
    assert.match(refused.body.issues[0].remedy, /Did you mean "notes"\?/);
    const own = await install({ selectedFieldMappings: { skill: "jobtitle", shoeSize: "city" } });
    assert.equal(own.status, 201, own.text);
  });

  test("are not checked while the provider cannot be asked", async () => {
    const groupRef = await connect();
    busbar.sandbox.addFault({ provider: "hubspot", path: "/properties/", status: 503, count: 10 });
    const installed = await install({ selectedFieldMappings: { skill: "jobtitel" } }, "", groupRef);
    busbar.sandbox.clearFaults();
    assert.equal(installed.status, 201, installed.text);
  });

  test("are checked at a change where it names other fields, not where it leaves old ones", async () => {
    const { body } = await install({ selectedFieldMappings: { skill: "gone" } }, "?skipSampling=true");
    const patch = (changes: object[]) =>
      busbar.inProject("PATCH", "/integrations/crm/objects/contacts/config-content", {
        installationId: body.id,
        action: "read",
        changes,
      });
    const kept = await patch([{ op: "add", path: "/selectedFields", value: { phone: true } }]);
    assert.equal(kept.status, 200, kept.text);
    const wrong = await patch([{ op: "add", path: "/selectedFields/fone", value: true }]);
    assert.deepEqual(
      [wrong.status, wrong.body.issues?.[0].name],
      [422, `${PLACE}.selectedFields.fone`],
      wrong.text,
    );
    const mask = { updateMask: ["config.content.read.objects.contacts"] };
    const update = (query: string) =>
      busbar.inProject("PATCH", `/integrations/crm/installations/${body.id}${query}`, {
        ...mask,
        installation: { config: buildContent({ selectedFieldMappings: { skill: "jobtitel" } }) },
      });
    assert.equal((await update("")).status, 422);
    assert.equal((await update("?skipSampling=true")).status, 200);
  });
});
