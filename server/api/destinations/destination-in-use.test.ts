/** A destination that something still sends to is not deleted. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: reads
          schedule: "0 3 * * *"
          requiredFields: [{fieldName: email}]
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
          createEvent: {enabled: always}
    watchSchema:
      destination: schemas
      schedule: "0 4 * * *"
      allObjects: {fieldCreated: {enabled: always}}
`;

const busbar = await shareTestBusbar();

for (const name of ["reads", "changes", "schemas", "of-customer", "routed"]) {
  const metadata = { url: `http://127.0.0.1:9/${name}` };
  const made = await busbar.inProject("POST", "/destinations", { name, type: "webhook", metadata });
  assert.equal(made.status, 201, made.text);
}
const content = {
  read: { objects: { contacts: { objectName: "contacts", destination: "of-customer" } } },
};
await connectCustomer(busbar, { provider: "hubspot", manifest: MANIFEST, integration: "crm", content });

describe("a destination", () => {
  const remove = (name: string) => busbar.inProject("DELETE", `/destinations/${name}`);

  for (const [name, users] of [
    ["reads", "manifest"],
    ["changes", "manifest"],
    ["schemas", "manifest"],
    ["of-customer", "1 installation"],
  ] as const)
    test(`${name} that is sent to by the ${users} is neither deleted nor renamed, and the refusal names what uses it`, async () => {
      const update = { updateMask: ["name"], destination: { name: `${name}-2` } };
      for (const refused of [
        await remove(name),
        await busbar.inProject("PATCH", `/destinations/${name}`, update),
      ]) {
        assert.equal(refused.status, 409, refused.text);
        assert.match(refused.body.type, /\/names-in-use$/);
        assert.match(refused.body.detail, /`crm` \(/);
        assert.match(refused.body.detail, new RegExp(users));
        assert.equal(refused.body.issues[0].value, "crm");
      }
      assert.equal((await busbar.inProject("GET", `/destinations/${name}`)).status, 200);
    });

  test("that only a topic's route names is deleted, and its other settings are changed while it is in use", async () => {
    const topic = await busbar.inProject("POST", "/topics", {
      name: "all",
      eventTypes: ["connection.created"],
      destinationIds: [(await busbar.inProject("GET", "/destinations/routed")).body.id],
    });
    assert.ok([200, 201].includes(topic.status), topic.text);
    assert.equal((await remove("routed")).status, 204);
    const update = {
      updateMask: ["metadata.url"],
      destination: { metadata: { url: "http://127.0.0.1:9/x" } },
    };
    assert.equal((await busbar.inProject("PATCH", "/destinations/reads", update)).status, 200);
  });

  test("is deleted as soon as nothing sends to it any more", async () => {
    const { body: all } = await busbar.inProject("GET", "/integrations/crm/installations");
    const removed = await busbar.inProject("DELETE", `/integrations/crm/installations/${all[0].id}`);
    assert.equal(removed.status, 204, removed.text);
    assert.equal((await remove("of-customer")).status, 204);
    const sourceYaml = MANIFEST.replaceAll(/destination: (changes|schemas)/g, "destination: reads");
    assert.equal((await busbar.inProject("PUT", "/integrations:batch", { sourceYaml })).status, 200);
    for (const name of ["changes", "schemas"]) assert.equal((await remove(name)).status, 204);
    assert.equal((await remove("reads")).status, 409);
  });
});
