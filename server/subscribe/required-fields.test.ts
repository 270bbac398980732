/** A required field that the account no longer has, where the object is only subscribed to. HubSpot leaves it out and refuses nothing. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { openSink, type Sink } from "../../tests/harness/deliveries/sink.ts";
import { seenSubscriptions } from "../../tests/harness/subscriptions.ts";
import { until } from "../../tests/harness/until.ts";

const SECRET = "the-apps-secret";

const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: changes
          requiredFields: [{ fieldName: email }, { mapToName: town }]
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
          updateEvent: { enabled: always, watchFieldsAuto: all }
`;

describe("a required field that vanished of an object that is only subscribed to", () => {
  let busbar: TestBusbar;
  let sink: Sink;
  let customer: Customer;
  let client: Client;
  const { entries, subscription, installation } = seenSubscriptions(() => ({ on: busbar, sink, customer }));
  before(async () => {
    sink = await openSink();
    busbar = await openTestBusbar({ env: { BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0.1" } });
    client = new Client({ connectionString: busbar.connectionString });
    await client.connect();
    busbar.sandbox.hubspot.setLimits("off");
    await busbar.inProject("POST", "/provider-apps", {
      provider: "hubspot",
      clientId: "app",
      clientSecret: SECRET,
      scopes: ["oauth", "crm.objects.contacts.read"],
      metadata: { providerParams: { subscribeSource: "webhook" } },
    });
    const destination = { name: "changes", type: "webhook", metadata: { url: `${sink.url}/changes` } };
    assert.equal((await busbar.inProject("POST", "/destinations", destination)).status, 201);
    const contacts = { objectName: "contacts", selectedFieldMappings: { town: "city" } };
    customer = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest,
      integration: "crm",
      content: { read: { objects: { contacts } } },
    });
    await until(async () => (await subscription())?.state === "active");
    const targetUrl = `${new URL(busbar.busbar.urls.base).origin}/subscribe/v1/projects/default/integrations/crm`;
    busbar.sandbox.hubspot.webhooks.set({ targetUrl, clientSecret: SECRET });
  });
  after(async () => {
    await client?.end();
    await busbar?.stop();
    await sink?.close();
  });

  const found = async () => (await busbar.inProject("GET", installation())).body;

  test("makes the installation unhealthy, and its changes wait until the field is back", async () => {
    assert.equal((await found()).healthStatus, "healthy");
    busbar.sandbox.hubspot.account.hideField("contacts", "city", true);
    // A description may be some seconds old.
    const waiting = await until(async () => {
      busbar.sandbox.hubspot.account.put("contacts", {
        id: "501",
        values: { email: `a${Date.now()}@b.example` },
        stamp: true,
      });
      const { healthStatus, healthReasons } = await found();
      return healthStatus === "unhealthy" && { healthReasons, delivered: entries("501").length };
    });
    const [{ type, name, detail }] = waiting.healthReasons;
    assert.deepEqual([type, name], ["field", "city"]);
    assert.match(detail, /no field `city` of .*, which the manifest requires/);
    busbar.sandbox.hubspot.account.hideField("contacts", "city", false);
    // It is tried again after a minute.
    await client.query("update subscriptions set retry_time = now()");
    await until(() => entries("501").length > waiting.delivered);
    await until(async () => (await found()).healthStatus === "healthy");
  });
});
