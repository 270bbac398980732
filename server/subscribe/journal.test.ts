/** Subscriptions by HubSpot's journal end to end: the sandbox keeps it, Busbar reads it, stores events with the position. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../tests/harness/deliveries/sink.ts";
import { openProcessGroup } from "../../tests/harness/process-group.ts";
import { connectBoth } from "../../tests/harness/two-databases.ts";
import { until } from "../../tests/harness/until.ts";
import { openSubscriptions } from "../../tests/harness/subscriptions.ts";
import { subscribedContacts } from "../../tests/fixtures/subscribed-fixture.ts";

const manifest = subscribedContacts(
  "createEvent: { enabled: always }",
  "updateEvent: { enabled: always, requiredWatchFields: [phone] }",
  "deleteEvent: { enabled: always }",
  "associationChangeEvent: { enabled: always }",
  "otherEvents: [contact.merge]",
);
const APP = {
  provider: "hubspot",
  clientId: "app",
  clientSecret: "secret",
  scopes: ["oauth", "crm.objects.contacts.read"],
};

const sink = await openSink();
const busbar = await shareTestBusbar({
  env: {
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0",
    BUSBAR_SUBSCRIBE_POLL_SECONDS: "1",
    BUSBAR_RETRY_BASE_SECONDS: "0.1",
  },
});
after(() => sink.close());

describe("subscribing by HubSpot's journal", () => {
  let customer: Customer;
  let sql: Awaited<ReturnType<typeof connectBoth>>;
  before(async () => {
    sql = await connectBoth(busbar);
    busbar.sandbox.hubspot.setLimits("off");
    await busbar.inProject("POST", "/provider-apps", APP);
    await addWebhook(busbar, "changes", `${sink.url}/changes`);
    customer = await connectCustomer(busbar, { provider: "hubspot", manifest, integration: "crm" });
  });
  after(async () => {
    await sql?.end();
  });

  const journal = () => busbar.sandbox.hubspot.journal;
  const { installation, subscription, entries } = openSubscriptions(() => ({ busbar, sink, customer }));
  const words = (id: string): string[] => entries(id).map((entry) => entry.providerEventType);
  const put = (values: Record<string, string>, id?: string): string =>
    busbar.sandbox.hubspot.account.put("contacts", { ...(id !== undefined && { id }), values, stamp: true });
  const untilWords = (id: string, ...expected: string[]): Promise<unknown> =>
    until(() => JSON.stringify(words(id)) === JSON.stringify(expected));

  test("without the scopes, changes are found by polling; the journal takes over when it is granted", async () => {
    await until(async () => (await subscription())?.source === "polling");
    const { state, reason } = await subscription();
    assert.equal(state, "active");
    assert.match(
      reason,
      /needs the scopes developer\.webhooks_journal\.read, .*crm\.objects\.contacts\.read/,
    );
    assert.match(reason, /set BUSBAR_PUBLIC_URL.*tried again every 15 minutes/);

    journal().settings = { ...journal().settings, granted: true };
    await until(async () => {
      await sql.query(
        "update subscriptions set source_retry_time = now(), due_time = now() where source = 'polling'",
      );
      const { source, state } = await subscription();
      return source === "journal" && state === "active";
    });
    assert.equal((await subscription()).reason, undefined);
    // What changed between the last turn of polling and the journal's first event.
    await until(async () => (await subscription()).reconciliation?.state === "succeeded");
    assert.deepEqual(
      [...journal().subscriptions.values()].map((one) => [
        one.subscriptionType,
        one.portalId,
        one.properties,
      ]),
      [
        ["OBJECT", 4100410, ["phone"]],
        ["ASSOCIATION", 4100410, []],
        ["GDPR_PRIVACY_DELETION", 4100410, []],
      ],
    );
  });

  test("created, changed, merged and deleted records arrive with the event as HubSpot wrote it", async () => {
    const id = put({ email: "journal@x.example", phone: "1" });
    await untilWords(id, "object.creation");
    put({ phone: "2", email: "changed@x.example" }, id);
    await untilWords(id, "object.creation", "object.propertyChange");
    const [, update] = entries(id);
    assert.deepEqual(update.fieldsUpdated, ["phone"]);
    assert.deepEqual(update.fields, { email: "changed@x.example", phone: "2" });
    assert.deepEqual(update.rawEvent.propertyChanges, { phone: "2" });
    assert.equal(update.rawEvent.objectId, Number(id));
    const loser = put({ email: "loser@x.example" });
    await untilWords(loser, "object.creation");
    busbar.sandbox.hubspot.account.merge("contacts", id, [loser]);
    await until(() => words(id).includes("object.merge"));
    busbar.sandbox.hubspot.account.archive("contacts", id);
    await until(() => words(id).at(-1) === "object.deletion");
    assert.deepEqual(entries(id).at(-1).fields, {});
  });

  test("events of accounts that nobody connected, and of other forms, are passed over", async () => {
    const base = { portalId: 999, occurredAt: new Date().toISOString(), objectTypeId: "0-1" };
    journal().emit([
      { ...base, type: "OBJECT", action: "CREATE", objectId: 501 },
      { type: "app_lifecycle_event", portalId: 4100410, eventTypeId: "4-1916193" },
      {
        ...base,
        portalId: 4100410,
        type: "OBJECT",
        action: "UPDATE",
        objectId: 503,
        propertyChanges: { phone: "9" },
      },
    ]);
    await untilWords("503", "object.propertyChange");
    assert.deepEqual(words("501"), []);
  });

  test("another process goes on from the stored position when one stops", async () => {
    await busbar.sibling();
    put({ phone: "+1" }, "502");
    await untilWords("502", "object.propertyChange");
    const stopped = busbar.restart();
    put({ phone: "+2" }, "502");
    await stopped;
    put({ phone: "+3" }, "502");
    await until(() => entries("502").some(({ rawEvent }) => rawEvent.propertyChanges?.phone === "+3"));
    // A delivery that a stop interrupts is made again.
    const phones = new Set(entries("502").map(({ rawEvent }) => rawEvent.propertyChanges?.phone));
    assert.deepEqual([...phones], ["+1", "+2", "+3"]);
  });

  test("what was in the journal when the position ran out is found by reading", async () => {
    // Written behind the API: no event tells of it.
    const kept = new Map(journal().subscriptions);
    journal().subscriptions.clear();
    put({ phone: "+lost" }, "504");
    for (const [id, subscribed] of kept) journal().subscriptions.set(id, subscribed);
    journal().expire();
    await until(() => words("504").includes("RECONCILED"));
    assert.match((await subscription()).reconciliation.reason, /position is lost.*three days/);
    put({ phone: "+again" }, "504");
    await until(() => words("504").at(-1) === "object.propertyChange");
  });

  test("other watched fields are subscribed to, and an object that nobody wants any more is removed", async () => {
    const patched = await busbar.inProject("PATCH", installation(), {
      updateMask: ["config.content.subscribe.objects.contacts"],
      installation: {
        config: {
          content: {
            subscribe: {
              objects: {
                contacts: {
                  objectName: "contacts",
                  destination: "changes",
                  inheritFieldsAndMappings: true,
                  updateEvent: { enabled: "always", requiredWatchFields: ["email", "phone"] },
                },
              },
            },
          },
        },
      },
    });
    assert.equal(patched.status, 200, patched.text);
    const properties = () =>
      [...journal().subscriptions.values()].find(({ subscriptionType }) => subscriptionType === "OBJECT")
        ?.properties;
    await until(() => JSON.stringify(properties()) === '["email","phone"]');
    await busbar.inProject("DELETE", installation());
    await until(() => journal().subscriptions.size === 0);
    await until(async () => (await sql.query("select from event_streams")).rowCount === 0);
  });
});

test("kill -9 of the process that reads the journal loses no change, and their order stays", async (t) => {
  const group = await openProcessGroup({
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0",
    BUSBAR_SUBSCRIBE_POLL_SECONDS: "1",
  });
  t.after(() => group.stop());
  const sink = await openSink();
  t.after(() => sink.close());
  const { journal, account } = group.sandbox.hubspot;
  group.sandbox.hubspot.setLimits("off");
  journal.settings = { ...journal.settings, granted: true };
  const first = await group.start();
  await first.inProject("POST", "/provider-apps", APP);
  await addWebhook(first, "changes", `${sink.url}/changes`);
  await connectCustomer(Object.assign(first, { sandbox: group.sandbox }), {
    provider: "hubspot",
    manifest,
    integration: "crm",
  });
  await until(() => journal.subscriptions.size === 3);
  const put = (phone: string): void =>
    void account.put("contacts", { id: "501", values: { phone }, stamp: true });
  /** In order, repeats left out. */
  const phones = (): string[] => [
    ...new Set<string>(
      sink
        .messagesAt("/changes")
        .flatMap(({ body }) =>
          JSON.parse(body).result.map((entry: Answer["body"]) => entry.rawEvent.propertyChanges?.phone),
        ),
    ),
  ];
  put("1");
  await until(() => phones().length === 1);
  first.signalGroup("SIGKILL");
  await first.exited;
  put("2");
  await group.start();
  put("3");
  await until(() => phones().length === 3);
  assert.deepEqual(phones(), ["1", "2", "3"]);
});

test("a journal that is named and not granted fails with what to do", async (t) => {
  const busbar = await openTestBusbar({ env: { BUSBAR_RETRY_BASE_SECONDS: "0.1" } });
  t.after(() => busbar.stop());
  const metadata = { providerParams: { subscribeSource: "journal" } };
  await busbar.inProject("POST", "/provider-apps", { ...APP, scopes: ["oauth"], metadata });
  await addWebhook(busbar, "changes", "http://127.0.0.1:9/changes");
  const customer = await connectCustomer(busbar, { provider: "hubspot", manifest, integration: "crm" });
  const path = `/integrations/crm/installations/${customer.installationId}/subscriptions`;
  await until(async () => (await busbar.inProject("GET", path)).body[0]?.state === "failed");
  const [{ source, reason }] = (await busbar.inProject("GET", path)).body;
  assert.equal(source, "journal");
  assert.match(reason, /invalid_scope: .*granted the scopes developer\.webhooks.*The app needs the scopes/);
});
