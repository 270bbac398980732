/** Subscriptions end to end: the sandbox pushes, Busbar stores, reads again and delivers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../tests/harness/deliveries/sink.ts";
import { until } from "../../tests/harness/until.ts";
import { openSubscriptions } from "../../tests/harness/subscriptions.ts";
import { addPushedApp } from "../../tests/harness/signed-push.ts";

const SECRET = "the-apps-secret";
const PORTAL = 4100410;

const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: changes
          requiredFields: [{ fieldName: email }, { fieldName: lastname, mapToName: familyName }]
          optionalFields: [{ fieldName: phone }]
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, requiredWatchFields: [phone, Fax, familyName] }
          deleteEvent: { enabled: always }
          associationChangeEvent: { enabled: always }
          otherEvents: [contact.merge]
  - name: full
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: full
          requiredFields: [{ fieldName: email }]
        - objectName: companies
          mapToName: firm
          destination: full
          requiredFields: [{ fieldName: name }, { fieldName: domain, mapToName: site }]
    subscribe:
      objects:
        - objectName: contacts
          destination: full
          inheritFieldsAndMapping: true
          associationChangeEvent: { enabled: always, includeFullRecords: true }
`;

const sink = await openSink();
const busbar = await shareTestBusbar({
  env: { BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "1", BUSBAR_RETRY_BASE_SECONDS: "0.1" },
});
after(() => sink.close());

describe("subscribing to HubSpot", () => {
  let customer: Customer;
  before(async () => {
    busbar.sandbox.hubspot.setLimits("off");
    await addPushedApp(busbar, SECRET);
    await addWebhook(busbar, "changes", `${sink.url}/changes`);
    customer = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest,
      integration: "crm",
      content: { read: { objects: { contacts: { selectedFields: { phone: true } } } } },
    });
    await untilState("active");
    busbar.sandbox.hubspot.webhooks.set({ targetUrl: callback(), clientSecret: SECRET });
  });

  const callback = (): string =>
    `${new URL(busbar.server.urls.base).origin}/subscribe/v1/projects/default/integrations/crm`;
  const { installation, subscription, lines, entries } = openSubscriptions(() => ({
    busbar,
    sink,
    customer,
  }));
  const untilState = (state: string): Promise<unknown> =>
    until(async () => (await subscription())?.state === state);
  const change = (id: string, values: Record<string, string>): void =>
    void busbar.sandbox.hubspot.account.put("contacts", { id, values, stamp: true });
  const untilDone = (recordId: string, count: number): Promise<unknown> =>
    until(async () => {
      const all = await lines(recordId);
      return all.length >= count && all.every(({ endTime }) => endTime !== undefined);
    });

  test("before the first push it is told as not known whether pushes arrive, with the time since when", async () => {
    const { state, reason, lastEventTime } = await subscription();
    assert.deepEqual([state, lastEventTime], ["active", undefined]);
    const [, since = ""] = /No event of `contacts` has been pushed since (\S+Z),/.exec(reason) ?? [];
    assert.ok(Date.parse(since) <= Date.now() && Date.parse(since) > Date.now() - 600_000, reason);
    const unknown = await busbar.inProject("GET", `${installation()}/records/contacts/987654`);
    assert.match(unknown.body.causes.join(), /No event of `contacts` has been pushed since/);
  });

  test("a burst of changes becomes one entry, with the record as it is now", async () => {
    change("501", { phone: "+1 1" });
    change("501", { phone: "+1 2" });
    change("501", { lastname: "Lovelace", city: "London" });
    await until(() => entries("501").length > 0);
    assert.equal((await subscription()).reason, undefined, "a push has arrived");
    const [message] = sink.messagesAt("/changes").map(({ body }) => JSON.parse(body));
    const { installationUpdateTime: _, ...head } = message;
    assert.deepEqual(
      { ...head, result: undefined },
      {
        action: "subscribe",
        projectId: busbar.projectId,
        provider: "hubspot",
        groupRef: "acme",
        groupName: "acme",
        consumerRef: "acme-admin",
        consumerName: "acme-admin",
        installationId: customer.installationId,
        objectName: "person",
        rawObjectName: "contacts",
        workspace: String(PORTAL),
        resultInfo: { type: "inline", numRecords: 1 },
        result: undefined,
      },
    );
    const [entry] = entries("501");
    assert.equal(entry.subscribeEventType, "update");
    assert.equal(entry.providerEventType, "contact.propertyChange");
    assert.deepEqual(entry.fieldsUpdated, ["city", "lastname", "phone"]);
    assert.deepEqual(entry.fields, { email: "ada.king@northwind.example", phone: "+1 2" });
    assert.deepEqual(entry.mappedFields, { familyName: "Lovelace" });
    assert.equal(entry.raw.id, "501");
    assert.equal(entry.rawEvent.objectId, 501);
    assert.equal(entry.rawEvent.portalId, PORTAL);
  });

  test("a change of fields that nobody watches is not delivered, and its line names the rule", async () => {
    change("502", { city: "Turku" });
    await untilDone("502", 1);
    const [line] = await lines("502");
    assert.equal(line.outcome, "filtered");
    assert.match(line.reason, /watched fields: changed city; watched phone, lastname/);
    assert.deepEqual(entries("502"), []);
  });

  test("a creation takes in its first changes; a deletion has no record", async () => {
    const id = busbar.sandbox.hubspot.account.put("contacts", {
      values: { email: "new@x.example", phone: "1" },
      stamp: true,
    });
    await until(() => entries(id).length > 0);
    busbar.sandbox.hubspot.account.archive("contacts", id);
    await until(() => entries(id).length > 1);
    const [created, deleted] = entries(id);
    assert.equal(created.subscribeEventType, "create");
    assert.equal(created.rawEvent.subscriptionType, "contact.creation");
    assert.equal(created.fields.email, "new@x.example");
    assert.deepEqual(
      [deleted.subscribeEventType, deleted.fields, deleted.mappedFields, deleted.raw],
      ["delete", {}, {}, undefined],
    );
    assert.equal(entries(id).length, 2);
    // Events that became one entry share its outcome, which is stored a moment after the receiver has it.
    await until(async () => (await lines(id)).every(({ outcome }) => outcome === "delivered"));
    assert.equal((await lines(id)).filter(({ reason }) => reason === undefined).length, 2);
  });

  test("associations name both records; a merge is an other event; what is not listed is filtered", async () => {
    const [deal, loser] = ["90", "91"].map((phone) =>
      busbar.sandbox.hubspot.account.put("contacts", {
        values: { email: `m${phone}@x.example`, phone },
        stamp: true,
      }),
    );
    await until(() => entries(loser ?? "").length > 0);
    busbar.sandbox.hubspot.account.merge("contacts", deal ?? "", [loser ?? ""]);
    await until(() => entries(deal ?? "").length > 1);
    assert.equal(entries(deal ?? "")[1].providerEventType, "contact.merge");
    busbar.sandbox.hubspot.webhooks.push([
      {
        ...event("contact.associationChange"),
        fromObjectId: 503,
        toObjectId: 602,
        associationType: "CONTACT_TO_COMPANY",
        associationRemoved: false,
      },
      { ...event("contact.restore"), objectId: 503 },
    ]);
    await untilDone("503", 2);
    await until(() => entries("503").length > 0);
    const [association] = entries("503");
    assert.deepEqual(association.fromRecord, { id: "503", objectName: "person", rawObjectName: "contacts" });
    assert.deepEqual(association.toRecord, {
      id: "602",
      objectName: "companies",
      rawObjectName: "companies",
    });
    assert.equal(association.fields, undefined);
    assert.equal(entries("503").length, 1);
  });

  const event = (subscriptionType: string, more: object = {}) => ({
    appId: 55501,
    eventId: 7,
    subscriptionId: 70_001,
    portalId: PORTAL,
    occurredAt: Date.now(),
    subscriptionType,
    attemptNumber: 0,
    ...more,
  });

  test("what HubSpot sends again is delivered once; other accounts and objects are taken and dropped", async () => {
    const { webhooks } = busbar.sandbox.hubspot;
    webhooks.set({ duplicate: true });
    const before = await subscription();
    webhooks.push([
      event("contact.propertyChange", { objectId: 504, propertyName: "phone" }),
      event("contact.propertyChange", { objectId: 504, propertyName: "phone", portalId: 1 }),
      event("deal.creation", { objectId: 504 }),
    ]);
    await untilDone("504", 1);
    await until(() => webhooks.open === 0 && entries("504").length > 0);
    webhooks.set({ duplicate: false });
    assert.equal(entries("504").length, 1);
    assert.equal((await lines("504")).length, 1);
    const { counts } = await subscription();
    assert.equal(counts.received, before.counts.received + 1);
    assert.equal(counts.duplicates, before.counts.duplicates + 1);
    assert.ok(webhooks.log.every(({ status }) => status === 200));
  });

  test("events wait while the provider cannot be read, and come in order afterwards", async () => {
    busbar.sandbox.addFault({ provider: "hubspot", path: "/batch/read", status: 503, count: 1_000 });
    change("505", { phone: "1" });
    await until(async () => (await subscription()).state === "degraded");
    change("505", { phone: "2" });
    busbar.sandbox.clearFaults();
    await until(() => entries("505").length > 0);
    await untilDone("505", 2);
    assert.equal(entries("505").at(-1).fields.phone, "2");
    assert.equal((await subscription()).state, "active");
  });

  test("an event that the configuration switches off is not delivered any more", async () => {
    const subscribe = { objects: { contacts: { updateEvent: { enabled: "never" } } } };
    const mask = ["config.content.subscribe.objects"];
    const body = (content: object) => ({ updateMask: mask, installation: { config: { content } } });
    const { status, text } = await busbar.inProject("PATCH", installation(), body({ subscribe }));
    assert.equal(status, 200, text);
    const known = entries("501").length;
    change("501", { phone: "+1 off" });
    await until(async () => (await lines("501"))[0]?.outcome === "filtered");
    assert.match((await lines("501"))[0].reason, /updateEvent is not enabled/);
    assert.equal(entries("501").length, known);
    assert.equal((await subscription()).events.update, false);
    await busbar.inProject("PATCH", installation(), body({ subscribe: { objects: {} } }));
    assert.equal((await subscription()).events.update, true);
  });

  test("a test event goes the way of the others", async () => {
    const path = `${installation()}/subscriptions:test`;
    for (const body of [
      { objectName: "contacts", eventType: "update" },
      { objectName: "contacts", eventType: "create", recordId: "502" },
    ]) {
      const { status, text } = await busbar.inProject("POST", path, body);
      assert.equal(status, 202, text);
    }
    await until(() => entries("test").length > 0 && entries("502").length > 0);
    assert.deepEqual(entries("test")[0].fields, { email: null, phone: null });
    assert.equal(entries("test")[0].rawEvent.test, true);
    assert.equal(entries("502")[0].fields.email, "grace.moore@northwind.example");
    const wrong = await busbar.inProject("POST", path, { objectName: "deals", eventType: "update" });
    assert.equal(wrong.status, 400);
  });

  test("full records at both ends of an association have the fields of their objects, installed or not", async () => {
    await addWebhook(busbar, "full", `${sink.url}/full`);
    const installed = await busbar.inProject("POST", "/integrations/full/installations", {
      groupRef: customer.groupRef,
      config: { content: { read: { objects: { contacts: {} } } } },
    });
    assert.equal(installed.status, 201, installed.text);
    const status = `/integrations/full/installations/${installed.body.id}/subscriptions`;
    await until(async () => (await busbar.inProject("GET", status)).body[0]?.state === "active");
    const ends = { fromObjectId: 501, toObjectId: 601, associationType: "CONTACT_TO_COMPANY" };
    busbar.sandbox.hubspot.webhooks.push([event("contact.associationChange", ends)]);
    const { body } = await until(() => sink.messagesAt("/full")[0]);
    const [{ fromRecord, toRecord }] = JSON.parse(body).result;
    assert.equal(fromRecord.fields.email, "ada.king@northwind.example");
    assert.equal(toRecord.objectName, "firm");
    assert.deepEqual(toRecord.fields, { name: "Northwind Traders" });
    assert.deepEqual(Object.keys(toRecord.mappedFields), ["site"]);
  });

  test("changes cannot be sent to a destination that does not exist", async () => {
    const name = "config.content.subscribe.objects.contacts.destination";
    const content = { subscribe: { objects: { contacts: { destination: "nowhere" } } } };
    const update = {
      updateMask: ["config.content.subscribe.objects"],
      installation: { config: { content } },
    };
    const updated = await busbar.inProject("PATCH", installation(), update);
    const connected = { groupRef: "elsewhere", manifest, integration: "crm", provider: "hubspot" } as const;
    await assert.rejects(connectCustomer(busbar, { ...connected, content }), /`nowhere`/);
    assert.equal(updated.status, 422, updated.text);
    assert.deepEqual(
      updated.body.issues.map((issue: { name: string }) => issue.name),
      [name],
    );
    content.subscribe.objects.contacts.destination = "changes";
    assert.equal((await busbar.inProject("PATCH", installation(), update)).status, 200);
  });

  test("the set-up names the addresses and the file to upload; a watched name that matches nothing is a warning", async () => {
    const { body } = await busbar.inProject("GET", "/integrations/crm/subscribe-setup");
    assert.equal(body.callbackURL, callback());
    assert.equal(body.publicAddress, false);
    const { crmObjects } = body.webhooksConfig.config.subscriptions;
    const watched = crmObjects.flatMap((one: { propertyName?: string }) => one.propertyName ?? []);
    assert.deepEqual(watched, ["phone", "lastname"]);
    const { watchFields, warnings } = await subscription();
    assert.deepEqual(watchFields, ["phone", "lastname"]);
    assert.deepEqual(warnings, ["`Fax` watches nothing: hubspot has no such spelling. Write `fax`."]);
  });
});
