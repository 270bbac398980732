/** An installation is saved only if the provider lets a record be read as configured, where the provider can be asked. */
import assert from "node:assert/strict";
import { beforeEach, describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: salesforce
    read:
      objects:
        - objectName: contact
          destination: hook
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: email }]
          optionalFields: [{ fieldName: phone }]
        - objectName: account
          destination: hook
          schedule: "0 0 1 1 *"
          requiredFields: [{ fieldName: name }]
        - objectName: lead
          destination: hook
          requiredFields: [{ fieldName: email }]
`;

const busbar = await shareTestBusbar();

const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
assert.equal(deployed.status, 200, deployed.text);

describe("the sample read of an installation", () => {
  let customers = 0;
  beforeEach(() => {
    busbar.sandbox.clearFaults();
    refuseAccounts();
  });

  /** Salesforce describes the object, and refuses to read it. */
  const refuseAccounts = () =>
    busbar.sandbox.addFault({
      provider: "salesforce",
      // Not of scheduled reads, which go on beside the tests.
      path: "/query.*(Account|account).*LIMIT(\\+|%20| )1$",
      status: 400,
      body: [{ errorCode: "INVALID_TYPE", message: "sObject type 'Account' is not supported" }],
      count: 1_000,
    });

  const connect = async (): Promise<string> => {
    const groupRef = `group-${(customers += 1)}`;
    const connected = await busbar.inProject("POST", "/connections:generate", {
      provider: "salesforce",
      groupRef,
      consumerRef: "ada",
      providerWorkspaceRef: "acme",
      oauth2AuthorizationCode: { accessToken: { token: busbar.sandbox.salesforce.mintToken().accessToken } },
    });
    assert.equal(connected.status, 201, connected.text);
    return groupRef;
  };
  const buildConfig = (objects: object) => ({ content: { read: { objects } } });
  const install = async (objects: object, query = "", groupRef?: string) =>
    busbar.inProject("POST", `/integrations/crm/installations${query}`, {
      groupRef: groupRef ?? (await connect()),
      config: buildConfig(objects),
    });
  const samples = () =>
    busbar.sandbox
      .requests({ provider: "salesforce" })
      .filter(({ path }) => /LIMIT(\+|%20| )1$/i.test(path))
      .map(({ path }) => /FROM(?:\+|%20| )(\w+)/i.exec(path)?.[1]);

  test("refuses what the provider refuses, with its message and the place, and saves nothing", async () => {
    const groupRef = await connect();
    const refused = await install({ contact: {}, account: {} }, "", groupRef);
    assert.equal(refused.status, 422, refused.text);
    const [issue, ...more] = refused.body.issues;
    assert.deepEqual([issue.name, more], ["config.content.read.objects.account", []]);
    assert.match(issue.detail, /salesforce refuses .*Account' is not supported\.$/);
    assert.equal(
      (await install({ contact: {} }, "", groupRef)).status,
      201,
      "the group has no installation yet",
    );
  });

  test("concerns only objects that are read by schedule, and can be skipped", async () => {
    assert.equal((await install({ lead: {} })).status, 201);
    assert.equal((await install({ account: { schedule: "" } })).status, 201);
    assert.equal((await install({ account: { disabled: true } })).status, 201);
    const before = samples().length;
    assert.equal((await install({ account: {} }, "?skipSampling=true")).status, 201);
    assert.equal(samples().length, before);
  });

  for (const status of [401, 429, 503]) {
    test(`lets everything through when the provider answers ${status}`, async () => {
      const groupRef = await connect();
      busbar.sandbox.clearFaults();
      busbar.sandbox.addFault({ provider: "salesforce", path: "/query", status, count: 10 });
      assert.equal((await install({ account: {} }, "", groupRef)).status, 201);
    });
  }

  test("is repeated at a change only for objects of which other things are read", async () => {
    const { body } = await install({ contact: {}, account: {} }, "?skipSampling=true");
    const change = (objectName: string, changes: object[]) =>
      busbar.inProject("PATCH", `/integrations/crm/objects/${objectName}/config-content`, {
        installationId: body.id,
        action: "read",
        changes,
      });
    const before = samples().length;
    const chosen = await change("contact", [{ op: "add", path: "/selectedFields", value: { phone: true } }]);
    assert.equal(chosen.status, 200, chosen.text);
    assert.deepEqual(samples().slice(before), ["contact"]);
    const moved = await change("contact", [{ op: "add", path: "/destination", value: "hook" }]);
    assert.equal(moved.status, 200, moved.text);
    assert.equal(samples().length, before + 1);
    const lost = await change("contact", [{ op: "add", path: "/destination", value: "nowhere" }]);
    assert.equal(lost.status, 422, lost.text);
    assert.equal(lost.body.issues[0].name, "config.content.read.objects.contact.destination");
    const off = await change("account", [{ op: "add", path: "/schedule", value: "" }]);
    assert.equal(off.status, 200, off.text);
    const again = await change("account", [{ op: "remove", path: "/schedule" }]);
    assert.equal(again.status, 422, "newly scheduled");
  });
});
