/**
 * What the health of an installation, its event and a trace say of an object that is only subscribed to. A field that the account
 * no longer has is left out by HubSpot, which refuses nothing.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../tests/harness/deliveries/sink.ts";
import { openSubscriptions } from "../../tests/harness/subscriptions.ts";
import { connectBoth } from "../../tests/harness/two-databases.ts";
import { until } from "../../tests/harness/until.ts";
import { addPushedApp } from "../../tests/harness/signed-push.ts";

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
          optionalFields: [{ fieldName: jobtitle }]
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
          updateEvent: { enabled: always, watchFieldsAuto: all }
`;

const sink = await openSink();
const busbar = await shareTestBusbar({
  env: { BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0.1", BUSBAR_MINUTE_MS: "6000" },
});
after(() => sink.close());

describe("the health of an object that is only subscribed to", () => {
  let customer: Customer;
  let client: Awaited<ReturnType<typeof connectBoth>>;
  const { entries, subscription, installation } = openSubscriptions(() => ({ busbar, sink, customer }));
  before(async () => {
    client = await connectBoth(busbar);
    busbar.sandbox.hubspot.setLimits("off");
    await addPushedApp(busbar, SECRET);
    await addWebhook(busbar, "changes", `${sink.url}/changes`);
    const contacts = {
      objectName: "contacts",
      selectedFieldMappings: { town: "city" },
      selectedFields: { jobtitle: true },
    };
    customer = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest,
      integration: "crm",
      content: { read: { objects: { contacts } } },
    });
    await until(async () => (await subscription())?.state === "active");
    aimPushes();
  });
  after(async () => {
    await client?.end();
  });

  function aimPushes(): void {
    const targetUrl = `${new URL(busbar.server.urls.base).origin}/subscribe/v1/projects/default/integrations/crm`;
    busbar.sandbox.hubspot.webhooks.set({ targetUrl, clientSecret: SECRET });
  }

  const found = async () => (await busbar.inProject("GET", installation())).body;

  const change = () =>
    busbar.sandbox.hubspot.account.put("contacts", {
      id: "501",
      values: { email: `a${Date.now()}@b.example` },
      stamp: true,
    });

  /** Waits until the newest event about the installation's health has these reasons. */
  const awaitEvent = (expected: [type: string, name: string][]) =>
    until(async () => {
      const query = `type=installation.health.changed&installationId=${customer.installationId}&pageSize=1`;
      const [newest] = (await busbar.inProject("GET", `/events?${query}`)).body.results;
      const { data } = newest ? (await busbar.inProject("GET", `/events/${newest.id}`)).body : {};
      const told = data?.healthReasons.map(({ type, name }: Answer["body"]) => [type, name]);
      return JSON.stringify(told) === JSON.stringify(expected);
    });

  test("is broken by a required field that vanished: its changes wait until the field is back", async () => {
    assert.equal((await found()).healthStatus, "healthy");
    busbar.sandbox.hubspot.account.hideField("contacts", "city", true);
    // A description may be some seconds old.
    const waiting = await until(async () => {
      change();
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

  test("is broken by an optional field that vanished, which health and trace name until it is back", async () => {
    busbar.sandbox.hubspot.account.hideField("contacts", "jobtitle", true);
    // A description of before is kept for a minute, by the process.
    await busbar.restart();
    aimPushes();
    await until(async () => {
      change();
      return (await found()).healthStatus === "unhealthy";
    });
    const [{ type, name, detail }] = (await found()).healthReasons;
    assert.deepEqual([type, name], ["field", "jobtitle"]);
    assert.match(detail, /no such field of contacts.*left out/);
    const { body: trace } = await busbar.inProject("GET", `${installation()}/records/contacts/501`);
    const [obstacle] = trace.obstacles;
    assert.match(obstacle.detail, /field `jobtitle`: .*left out/);
    await awaitEvent([["field", "jobtitle"]]);
    busbar.sandbox.hubspot.account.hideField("contacts", "jobtitle", false);
    await until(async () => {
      change();
      return (await found()).healthStatus === "healthy";
    });
    await awaitEvent([]);
  });

  test("is broken by an optional field that vanished only as long as it is selected", async () => {
    // A late push of the test before finds all fields, and may say so in between.
    await until(async () => {
      await client.query("update subscriptions set missing_fields = $1", [
        JSON.stringify([{ name: "jobtitle", since: new Date() }]),
      ]);
      return (await found()).healthStatus === "unhealthy";
    });
    const contacts = { objectName: "contacts", selectedFieldMappings: { town: "city" } };
    const config = { content: { read: { objects: { contacts } } } };
    const body = { installation: { config }, updateMask: ["config.content.read.objects.contacts"] };
    assert.equal((await busbar.inProject("PATCH", installation(), body)).status, 200);
    await until(async () => (await found()).healthStatus === "healthy");
  });

  test("is broken by a provider that refuses its records: a reason `subscription` in health and event", async () => {
    const refusal = {
      status: "error",
      category: "MISSING_SCOPES",
      message: "requires crm.objects.contacts.read",
    };
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "contacts/batch/read",
      status: 403,
      body: refusal,
      count: 1_000,
    });
    change();
    const [reason] = await until(async () => {
      const { healthReasons } = await found();
      return healthReasons.length > 0 && healthReasons;
    });
    assert.deepEqual([reason.type, reason.name], ["subscription", "contacts"]);
    assert.match(reason.detail, /crm\.objects\.contacts\.read/);
    await awaitEvent([["subscription", "contacts"]]);
    busbar.sandbox.clearFaults();
    await client.query("update subscriptions set retry_time = now()");
    await until(async () => (await found()).healthStatus === "healthy");
    await awaitEvent([]);
  });
});
