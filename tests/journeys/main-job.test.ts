/** The main job from nothing: deploy, connect, install, write, look it up, proxy. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm-hubspot
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "*/30 * * * *"
          requiredFields:
            - fieldName: email
            - fieldName: firstname
              mapToName: givenName
            - mapToName: notes
              prompt: Which field holds notes?
    write:
      objects:
        - objectName: contacts
          inheritMapping: true
    proxy:
      enabled: true
  - name: crm-salesforce
    provider: salesforce
    write:
      objects:
        - objectName: Contact
    proxy:
      enabled: true
`;

const busbar = await shareTestBusbar();

const hubspot = await connectCustomer(busbar, {
  provider: "hubspot",
  manifest: MANIFEST,
  integration: "crm-hubspot",
  content: {
    read: {
      objects: { contacts: { objectName: "contacts", selectedFieldMappings: { notes: "jobtitle" } } },
    },
    proxy: { enabled: true },
  },
});
const salesforce = await connectCustomer(busbar, {
  provider: "salesforce",
  manifest: MANIFEST,
  integration: "crm-salesforce",
  content: { proxy: { enabled: true } },
});

describe("the main job", () => {
  test("a HubSpot record is created and updated under mapped names and answered as it is there", async () => {
    const { result, operationId } = await hubspot.succeed("contacts", {
      type: "create",
      record: { email: "ada@example.com", givenName: "Ada", notes: "Engineer" },
    });
    assert.equal(result.success, true);
    assert.equal(result.data.properties.firstname, "Ada");
    const [record] = busbar.sandbox
      .records("hubspot", "contacts")
      .filter((row) => JSON.stringify(row).includes("ada@example.com"));
    assert.match(JSON.stringify(record), /Engineer/);

    const operation = await busbar.inProject("GET", `/operations/${operationId}`);
    assert.equal(operation.body.status, "success");
    assert.deepEqual(operation.body.metadata.successfulRecordIds, [result.recordId]);
    const logs = await busbar.inProject("GET", `/operations/${operationId}/logs`);
    assert.match(logs.text, /POST \/crm\/objects\/2026-03\/contacts → 201/);
    assert.doesNotMatch(logs.text, /Bearer/);

    const updated = await hubspot.succeed("contacts", {
      type: "update",
      record: { id: result.recordId, givenName: "Augusta" },
    });
    assert.equal(updated.result.data.properties.firstname, "Augusta");
  });

  test("a Salesforce record is created and updated and read back", async () => {
    const created = await salesforce.succeed("Contact", {
      type: "create",
      record: { LastName: "Lovelace", FirstName: "Ada" },
    });
    assert.equal(created.result.data.LastName, "Lovelace");
    const updated = await salesforce.succeed("Contact", {
      type: "update",
      record: { id: created.result.recordId, FirstName: "Augusta" },
    });
    assert.equal(updated.result.data.FirstName, "Augusta");
  });

  test("what the provider refuses is one body, Problem and result, and a failed operation", async () => {
    const refused = await hubspot.write("contacts", {
      type: "create",
      record: { email: "not an address" },
    });
    assert.equal(refused.status, 422, refused.text);
    assert.equal(refused.headers.get("content-type"), "application/problem+json");
    assert.equal(refused.body.result.success, false);
    assert.ok(refused.body.errors[0].message && refused.body.detail && refused.body.rawResponse);
    const operation = await busbar.inProject("GET", `/operations/${refused.body.operationId}`);
    assert.equal(operation.body.status, "failure");
    assert.match(operation.body.result, /contacts/);
  });

  test("a client that excludes problem+json gets the same refusal as JSON", async () => {
    const accept = "application/json;q=1, application/problem+json;q=0";
    const body = { type: "create", record: { email: "not an address" } };
    const refused = await hubspot.write("contacts", body, { accept });
    assert.equal(refused.status, 422);
    assert.equal(refused.headers.get("content-type"), "application/json");
  });

  test("a proxied call reaches the provider with the customer's credentials", async () => {
    const answer = await hubspot.proxied("/crm/v3/objects/contacts?limit=1");
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.results.length, 1);
  });
});
