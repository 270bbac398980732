/** Subscriptions by a stream end to end: the sandbox streams, Busbar stores with the position, reads again and delivers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { openTestBusbar, shareTestBusbar, type Answer } from "../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../tests/harness/deliveries/sink.ts";
import { until } from "../../tests/harness/until.ts";
import { openSubscriptions } from "../../tests/harness/subscriptions.ts";

const manifest = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: salesforce
    read:
      objects:
        - objectName: account
          mapToName: company
          destination: changes
          requiredFields: [{ fieldName: name }, { fieldName: billingcity, mapToName: town }]
          optionalFields: [{ fieldName: phone }]
        - objectName: Machine__c
          destination: changes
          requiredFields: [{ fieldName: Serial_Number__c }]
    write:
      objects:
        - objectName: account
    subscribe:
      objects:
        - objectName: account
          destination: changes
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, requiredWatchFields: [phone, town] }
          deleteEvent: { enabled: always }
          otherEvents: [UNDELETE]
        - objectName: Machine__c
          destination: changes
          inheritFieldsAndMapping: true
          updateEvent: { enabled: always, watchFieldsAuto: all }
`;
const ACCOUNT = "001Sb0000000001IAA";
const OTHER = "001Sb0000000002IAA";

const sink = await openSink();
const busbar = await shareTestBusbar({
  env: {
    BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0.1",
    BUSBAR_RETRY_BASE_SECONDS: "0.1",
    BUSBAR_METRICS: "true",
  },
});
after(() => sink.close());

describe("subscribing to Salesforce", () => {
  let customer: Customer;
  before(async () => {
    busbar.sandbox.salesforce.setLimits("off");
    await busbar.inProject("POST", "/provider-apps", {
      provider: "salesforce",
      clientId: "app",
      clientSecret: "secret",
    });
    await addWebhook(busbar, "changes", `${sink.url}/changes`);
    customer = await connectCustomer(busbar, { provider: "salesforce", manifest, integration: "crm" });
    await untilState("active");
  });

  const bus = () => busbar.sandbox.salesforce.bus;
  const server = () => busbar.sandbox.salesforce.server;
  const { installation, subscriptions, lines, entries } = openSubscriptions(() => ({
    busbar,
    sink,
    customer,
  }));
  const untilState = (state: string): Promise<unknown> =>
    until(async () => {
      const all = await subscriptions();
      return all.length > 0 && all.every((one) => one.state === state);
    });
  const change = (id: string, values: Record<string, string | null>): void =>
    void busbar.sandbox.salesforce.account.put("Account", { id, values, stamp: true });
  const untilEntries = (id: string, count: number): Promise<unknown> =>
    until(async () => entries(id).length >= count);

  test("a change becomes one entry with the record as it is now and the event in its JSON form", async () => {
    const [one] = await subscriptions();
    assert.equal(one.source, "pubsub");
    change(ACCOUNT, { BillingCity: "Turku", Phone: null, Website: "https://turku.example" });
    await untilEntries(ACCOUNT, 1);
    const [entry] = entries(ACCOUNT);
    const [text = ""] = sink.messagesAt("/changes").map(({ body }) => body);
    assert.equal(entry.subscribeEventType, "update");
    assert.equal(entry.providerEventType, "UPDATE");
    assert.deepEqual(entry.fieldsUpdated, ["BillingCity", "LastModifiedDate", "Website"]);
    assert.equal(entry.fields.name, "Northwind Traders");
    assert.deepEqual(entry.mappedFields, { town: "Turku" });
    assert.equal(entry.raw.BillingCity, "Turku");
    const { ChangeEventHeader: header, ...body } = entry.rawEvent;
    assert.equal(header.entityName, "Account");
    assert.equal(header.recordId, ACCOUNT);
    assert.equal(header.recordIds, undefined);
    assert.deepEqual(header.changedFields.toSorted(), ["BillingAddress.City", "LastModifiedDate", "Website"]);
    assert.deepEqual(body.BillingAddress, { City: "Turku" });
    assert.match(body.LastModifiedDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    // Numbers beyond 2^53 come with all digits.
    assert.match(text, /"commitNumber":17893776023155\d{5}[,}]/);
    assert.ok(!/"commitNumber":\d+00[,}]/.test(text));
    // Whoever asks may have the id in its short form.
    for (const id of [ACCOUNT, ACCOUNT.slice(0, 15)]) {
      const { body: page } = await busbar.inProject(
        "GET",
        `${installation()}/subscription-events?recordId=${id}`,
      );
      assert.deepEqual(
        page.results.map(({ recordId }: Answer["body"]) => recordId),
        [ACCOUNT],
        id,
      );
    }
  });

  test("an entry that shows a write through Busbar names the operation, a change by another names none", async () => {
    const id = busbar.sandbox.salesforce.account.put("Account", { values: { Name: "Own" }, stamp: true });
    await untilEntries(id, 1);
    const operationIds: string[] = [];
    const written = async (mode: string, Phone: string, headers?: object[]): Promise<void> => {
      const record = { id, Phone };
      const answer = await customer.write("account", {
        type: "update",
        mode,
        record,
        ...(headers && { headers }),
      });
      assert.equal(answer.status, 200, answer.text);
      operationIds.push(answer.body.operationId);
      await untilEntries(id, operationIds.length + 1);
    };
    await written("synchronous", "+47 1");
    await written("asynchronous", "+47 2");
    // What a write of another Busbar looks like, whose operations this one does not have.
    const other = "01890000-0000-7000-8000-000000000000";
    await written("synchronous", "+47 3", [{ key: "sforce-call-options", value: `client=busbar/${other}` }]);
    change(id, { Phone: "+47 4" });
    await untilEntries(id, 5);
    const shown = entries(id);
    assert.deepEqual(
      shown.map(({ causedBy }: { causedBy?: object }) => causedBy),
      [undefined, { operationId: operationIds[0] }, { operationId: operationIds[1] }, undefined, undefined],
    );
    const origins = shown.map(({ rawEvent }) => rawEvent.ChangeEventHeader.changeOrigin);
    assert.equal(origins[1], `com/salesforce/api/rest/60.0;client=busbar/${operationIds[0]}`);
    assert.equal(origins[3], `com/salesforce/api/rest/60.0;client=busbar/${other}`);
  });

  test("an update of fields that nobody watches is filtered, with the rule", async () => {
    change(OTHER, { Website: "https://nobody.example" });
    await until(async () => (await lines(OTHER)).some(({ outcome }) => outcome === "filtered"));
    const [line] = await lines(OTHER);
    assert.match(
      line.reason,
      /watched fields: changed LastModifiedDate, Website; watched phone, billingcity/,
    );
  });

  test("creations, deletions and restored records arrive in their order", async () => {
    const id = busbar.sandbox.salesforce.account.put("Account", { values: { Name: "New" }, stamp: true });
    await untilEntries(id, 1);
    busbar.sandbox.salesforce.account.archive("Account", id);
    await untilEntries(id, 2);
    busbar.sandbox.salesforce.account.restore("Account", id);
    await untilEntries(id, 3);
    const words = entries(id).map(({ subscribeEventType, providerEventType }) => [
      subscribeEventType,
      providerEventType,
    ]);
    assert.deepEqual(words, [
      ["create", "CREATE"],
      ["delete", "DELETE"],
      ["other", "UNDELETE"],
    ]);
  });

  test("a stream that breaks in any way goes on from the stored position, and nothing is missing", async () => {
    const before = entries(OTHER).length;
    let sent = 0;
    for (const how of ["reset", "disconnect", "goaway", "status"] as const) {
      server().break(how);
      change(OTHER, { Phone: `+1 ${(sent += 1)}` });
      await untilEntries(OTHER, before + sent);
    }
    // Subscribe was called again with a position, never with "from now on".
    const later = server().calls.slice(1);
    assert.ok(later.length >= 3);
    assert.ok(later.every(({ preset }) => preset !== 0));
    await until(() => server().open === 1);
  });

  test("a token that was revoked at the provider is refreshed, and the stream goes on", async () => {
    const before = entries(OTHER).length;
    busbar.sandbox.salesforce.expireTokens();
    server().break("status", "service.auth.error");
    change(OTHER, { Phone: "+2 1" });
    await untilEntries(OTHER, before + 1);
  });

  test("an event that comes twice is delivered once", async () => {
    const before = entries(OTHER).length;
    bus().settings = { ...bus().settings, duplicate: true };
    change(OTHER, { Phone: "+3 1" });
    await untilEntries(OTHER, before + 1);
    await until(async () =>
      (await subscriptions()).some(
        ({ objectName, counts }) => objectName === "account" && counts.duplicates >= 1,
      ),
    );
    bus().settings = { ...bus().settings, duplicate: false };
    change(OTHER, { Phone: "+3 2" });
    await untilEntries(OTHER, before + 2);
    assert.equal(entries(OTHER).length, before + 2);
  });

  test("a gap event is delivered as the change that it stands for", async () => {
    bus().emit("Account", "GAP_UPDATE", [ACCOUNT]);
    await until(() => entries(ACCOUNT).some((entry) => entry.providerEventType === "GAP_UPDATE"));
    const entry = entries(ACCOUNT).find((one) => one.providerEventType === "GAP_UPDATE");
    assert.equal(entry.subscribeEventType, "update");
    assert.equal(entry.fieldsUpdated, undefined);
    assert.equal(entry.fields.name, "Northwind Traders");
  });

  test("what a stream cannot report is found by reading: an overflow, and a position that is lost", async () => {
    const reconciled = (id: string) =>
      entries(id).filter((one) => one.providerEventType === "RECONCILED").length;
    const before = reconciled(OTHER);
    // Written behind the API: no event tells of it.
    const put = (values: Record<string, string>): void => {
      bus().settings = { ...bus().settings, hidden: ["Account"] };
      change(OTHER, values);
      bus().settings = { ...bus().settings, hidden: [] };
    };
    put({ BillingCity: "Vaasa" });
    bus().emit("Account", "GAP_OVERFLOW", ["000000000000000AAA"]);
    await until(() => reconciled(OTHER) > before);
    put({ BillingCity: "Kuopio" });
    bus().forgetPositions();
    server().break("disconnect");
    await until(() => reconciled(OTHER) > before + 1);
    // The stream began again with what is kept.
    await until(() => server().calls.some(({ preset, open }) => preset === 1 && open));
    change(OTHER, { Phone: "+4 3" });
    await until(() => entries(OTHER).some(({ rawEvent }) => rawEvent.Phone === "+4 3"));
  });

  test("of several processes one holds the stream, and another one goes on when that one ends", async () => {
    const before = entries(OTHER).length;
    await busbar.sibling();
    const scrape = async () => (await fetch(`${new URL(busbar.server.urls.base).origin}/metrics`)).text();
    for (const line of [
      /busbar_subscribe_streams_open \d/,
      /busbar_subscribe_stream_silence_seconds \d/,
      /busbar_subscribe_position_age_seconds\{source="pubsub"\} \d/,
      /busbar_subscribe_events_waiting_seconds \d/,
      /busbar_subscribe_events_ended_total\{outcome="coalesced"\} \d/,
    ])
      // Some are left out while the database is slow.
      await until(async () => line.test(await scrape()));
    change(OTHER, { Phone: "+5 1" });
    await untilEntries(OTHER, before + 1);
    await until(() => server().open === 1);
    // The changes while it stops come from the stored position.
    const stopped = busbar.restart();
    change(OTHER, { Phone: "+5 2" });
    await stopped;
    await untilEntries(OTHER, before + 2);
    await until(() => server().open === 1);
  });

  test("an object that is not subscribed any more is deselected at Salesforce", async () => {
    const selected = () => [...bus().members.values()].map(({ selectedEntity }) => selectedEntity).toSorted();
    assert.deepEqual(selected(), ["AccountChangeEvent", "Machine__ChangeEvent"]);
    const off = await busbar.inProject("PATCH", installation(), {
      updateMask: ["config.content.subscribe.objects.Machine__c"],
      installation: {
        config: {
          content: {
            subscribe: {
              objects: {
                Machine__c: {
                  objectName: "Machine__c",
                  destination: "changes",
                  inheritFieldsAndMappings: true,
                  updateEvent: { enabled: "never" },
                },
              },
            },
          },
        },
      },
    });
    assert.equal(off.status, 200, off.text);
    await until(() => selected().length === 1);
    assert.deepEqual(selected(), ["AccountChangeEvent"]);
    await busbar.inProject("DELETE", installation());
    await until(() => bus().channels.size === 0 && server().open === 0);
  });
});

test("what prevents a stream is shown with its remedy, and changes are found by polling until it is mended", async (t) => {
  const busbar = await openTestBusbar({ env: { BUSBAR_RETRY_BASE_SECONDS: "0.1" } });
  const sql = new Client({ connectionString: busbar.connectionString });
  await sql.connect();
  t.after(async () => {
    await sql.end();
    await busbar.stop();
  });
  const { account, bus } = busbar.sandbox.salesforce;
  busbar.sandbox.salesforce.setLimits("off");
  bus.settings = { ...bus.settings, mayCustomize: false };
  await addWebhook(busbar, "changes", "http://127.0.0.1:9/changes");
  const customer = await connectCustomer(busbar, { provider: "salesforce", manifest, integration: "crm" });
  const path = `/integrations/crm/installations/${customer.installationId}/subscriptions`;
  const find = async (): Promise<Answer["body"]> => (await busbar.inProject("GET", path)).body[0];
  /** Tries the stream again as it is tried after a quarter of an hour. */
  const untilRetried = (isDone: (one: Answer["body"]) => boolean): Promise<unknown> =>
    until(async () => {
      await sql.query(
        "update subscriptions set source_retry_time = now(), due_time = now() where source = 'polling'",
      );
      return isDone(await find());
    });
  const untilRefused = (reason: RegExp): Promise<unknown> =>
    untilRetried((one) => one.source === "polling" && one.state === "active" && reason.test(one.reason));

  await untilRefused(/insufficient access.*Customize Application.*tried again every 15 minutes/);
  bus.settings = { ...bus.settings, mayCustomize: true, entityLimit: 0 };
  await untilRefused(/maximum number of 0 entities.*Deselect another object/);
  bus.settings = { ...bus.settings, entityLimit: 5, allocation: 0 };
  await untilRefused(/allocation of 0 delivered events.*Subscribe to fewer objects/);
  const [profile] = busbar.sandbox.salesforce
    .records("PermissionSet")
    .filter(({ PermissionsViewAllData }) => PermissionsViewAllData === true);
  const id = String(profile?.["Id"]);
  account.put("PermissionSet", { id, values: { PermissionsViewAllData: false }, stamp: true });
  await untilRefused(/lacks the permission View All Records of Account.*Grant it/);

  bus.settings = { ...bus.settings, allocation: 100 };
  bus.delivered = 95;
  for (const SobjectType of ["Account", "Machine__c"]) {
    const values = { ParentId: id, SobjectType, PermissionsViewAllRecords: true };
    account.put("ObjectPermissions", { values, stamp: true });
  }
  await untilRetried((one) => one.source === "pubsub" && one.state === "active");
  const { reason, warnings } = await find();
  assert.equal(reason, undefined);
  assert.match(warnings[0], /5 of the organisation's 100 deliveries/);

  bus.settings = { ...bus.settings, mayCustomize: false };
  const app = { provider: "salesforce", clientId: "app", clientSecret: "secret" };
  const named = { ...app, metadata: { providerParams: { subscribeSource: "pubsub" } } };
  const made = await busbar.inProject("POST", "/provider-apps", named);
  assert.equal(made.status, 200, made.text);
  await sql.query("update subscriptions set state = 'pending', due_time = now()");
  await until(async () => (await find()).state === "failed");
  assert.equal((await find()).source, "pubsub");
});
