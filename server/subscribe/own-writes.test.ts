/** Changes by Busbar's own writes: recognised and left out where wanted, and never a change by anybody else. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { openClient, type Client } from "../../tests/harness/client.ts";
import { connectCustomer, type Customer } from "../../tests/harness/connect-customer.ts";
import { addWebhook } from "../../tests/harness/deliveries/routes.ts";
import { openSink, type Sink } from "../../tests/harness/deliveries/sink.ts";
import { openSubscriptions } from "../../tests/harness/subscriptions.ts";
import { until } from "../../tests/harness/until.ts";
import { addPushedApp } from "../../tests/harness/signed-push.ts";

const SECRET = "the-apps-secret";

const manifest = (ownWrites: string) => `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: changes
          requiredFields: [{ fieldName: email }]
    write:
      objects: [{ objectName: contacts }]
    subscribe:
      objects:
        - objectName: contacts
          destination: changes
          inheritFieldsAndMapping: true
          ${ownWrites}
          createEvent: { enabled: always }
          updateEvent: { enabled: always, watchFieldsAuto: all }
          deleteEvent: { enabled: always }
`;

/** Captured pushes of an app's own writes have `changeSource: INTEGRATION` and its id as `sourceId` and `appId` (see push-event.ts). */
describe("own writes to HubSpot", () => {
  let busbar: TestBusbar;
  let sink: Sink;
  let customer: Customer;
  const { lines, entries, subscription } = openSubscriptions(() => ({ busbar, sink, customer }));
  before(async () => {
    sink = await openSink();
    busbar = await openTestBusbar({ env: { BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "1" } });
    busbar.sandbox.hubspot.setLimits("off");
    await addPushedApp(busbar, SECRET);
    await addWebhook(busbar, "changes", `${sink.url}/changes`);
    customer = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: manifest(""),
      integration: "crm",
    });
    await until(async () => (await subscription())?.state === "active");
    const targetUrl = `${new URL(busbar.server.urls.base).origin}/subscribe/v1/projects/default/integrations/crm`;
    busbar.sandbox.hubspot.webhooks.set({ targetUrl, clientSecret: SECRET });
  });
  after(async () => {
    await busbar?.stop();
    await sink?.close();
  });

  const write = async (body: object) => {
    const answer = await customer.write("contacts", body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const ended = (id: string, count: number) =>
    until(async () => {
      const all = await lines(id);
      return all.length >= count && all.every(({ endTime }) => endTime !== undefined) && all;
    });

  test("name their operation, alone and in batches, and a change by a person names none", async () => {
    const { operationId } = await write({ type: "update", record: { id: "501", jobtitle: "Own" } });
    await until(() => entries("501").length === 1);
    const batch = await write({
      type: "update",
      batch: [{ record: { id: "502", jobtitle: "Own" } }, { record: { id: "503", jobtitle: "Own" } }],
    });
    await until(() => entries("502").length === 1 && entries("503").length === 1);
    busbar.sandbox.hubspot.account.put("contacts", {
      id: "501",
      values: { jobtitle: "Theirs" },
      stamp: true,
    });
    await until(() => entries("501").length === 2);
    assert.deepEqual(
      ["501", "502", "503"].flatMap((id) => entries(id).map(({ causedBy }) => causedBy)),
      [{ operationId }, undefined, { operationId: batch.operationId }, { operationId: batch.operationId }],
    );
  });

  test("are left out where the destination says so; a person's change with them or behind them is not", async () => {
    const path = "/destinations/changes";
    const patch = { updateMask: ["ownWrites"], destination: { ownWrites: "exclude" } };
    assert.equal((await busbar.inProject("PATCH", path, patch)).body.ownWrites, "exclude");
    const before = entries("504").length;
    await write({ type: "update", record: { id: "504", jobtitle: "Own" } });
    const [line] = await ended("504", 1);
    assert.deepEqual([line.outcome, line.reason, entries("504").length], ["filtered", "own write", before]);
    busbar.sandbox.hubspot.account.put("contacts", {
      id: "504",
      values: { jobtitle: "Theirs" },
      stamp: true,
    });
    await until(() => entries("504").length === before + 1);
    // Both within one window, by either first.
    await write({ type: "update", record: { id: "504", jobtitle: "Own again" } });
    busbar.sandbox.hubspot.account.put("contacts", { id: "504", values: { city: "Oslo" }, stamp: true });
    await until(() => entries("504").length >= before + 2);
    assert.equal(entries("504").at(-1)?.causedBy, undefined);
    const created = await write({ type: "create", record: { email: "own@new.example" } });
    const all = await ended(created.result.recordId, 1);
    assert.deepEqual([...new Set(all.map(({ reason }) => reason))], ["own write"]);
  });

  test("are delivered where the object says so, whatever the destination says", async () => {
    const deployed = await busbar.inProject("PUT", "/integrations:batch", {
      sourceYaml: manifest("ownWrites: include"),
    });
    assert.equal(deployed.status, 200, deployed.text);
    await until(async () => {
      const before = entries("505").length;
      await write({ type: "update", record: { id: "505", jobtitle: `Own ${Date.now()}` } });
      await ended("505", 1);
      return entries("505").length > before;
    });
  });

  test("are left out where the customer's configuration says so, although the manifest's object and the destination include them", async () => {
    const { integration, installationId } = customer;
    const destination = { updateMask: ["ownWrites"], destination: { ownWrites: "include" } };
    assert.equal((await busbar.inProject("PATCH", "/destinations/changes", destination)).status, 200);
    const contacts = { objectName: "contacts", ownWrites: "exclude" };
    const patched = await busbar.inProject(
      "PATCH",
      `/integrations/${integration}/installations/${installationId}`,
      {
        updateMask: ["config.content.subscribe.objects.contacts"],
        installation: { config: { content: { subscribe: { objects: { contacts } } } } },
      },
    );
    assert.equal(patched.status, 200, patched.text);
    await until(async () => {
      const before = entries("502").length;
      await write({ type: "update", record: { id: "502", jobtitle: `Own ${Date.now()}` } });
      const [newest] = await ended("502", 1);
      return newest.reason === "own write" && entries("502").length === before;
    });
    const before = entries("502").length;
    busbar.sandbox.hubspot.account.put("contacts", {
      id: "502",
      values: { jobtitle: "Theirs" },
      stamp: true,
    });
    await until(() => entries("502").length > before);
  });
});

const CRMS = {
  hubspot: {
    id: "501",
    wide: "502",
    object: "contacts",
    type: "contacts",
    field: "jobtitle",
    other: "phone",
    born: "email",
  },
  salesforce: {
    id: "001Sb0000000001IAA",
    wide: "001Sb0000000002IAA",
    object: "account",
    type: "Account",
    field: "Phone",
    other: "Name",
    born: "Name",
  },
} as const;

const readManifest = (provider: keyof typeof CRMS): string => {
  const { object, field, other } = CRMS[provider];
  return `
specVersion: 1.0.0
integrations:
  - name: narrow-${provider}
    provider: ${provider}
    write: { objects: [{ objectName: ${object} }] }
    read:
      objects:
        - objectName: ${object}
          destination: copy
          ownWrites: exclude
          schedule: "*/10 * * * *"
          backfill: { defaultPeriod: { fullHistory: true } }
          requiredFields: [{ fieldName: ${field} }]
  - name: wide-${provider}
    provider: ${provider}
    write: { objects: [{ objectName: ${object} }] }
    read:
      objects:
        - objectName: ${object}
          destination: copy
          ownWrites: exclude
          schedule: "*/10 * * * *"
          backfill: { defaultPeriod: { fullHistory: true } }
          requiredFields: [{ fieldName: ${field} }, { fieldName: ${other} }]
${
  provider === "hubspot"
    ? ""
    : `    subscribe:
      objects:
        - objectName: ${object}
          destination: changes
          ownWrites: exclude
          inheritFieldsAndMapping: true
          createEvent: { enabled: always }
          updateEvent: { enabled: always, watchFieldsAuto: all }
`
}`;
};

describe("own writes that are read", () => {
  let busbar: TestBusbar;
  let sink: Sink;
  /** A second process of the same Busbar. */
  let other: Client;
  before(async () => {
    sink = await openSink();
    // Ten minutes are half a second here.
    busbar = await openTestBusbar({
      env: { BUSBAR_MINUTE_MS: "50", BUSBAR_SUBSCRIBE_COALESCE_SECONDS: "0.5" },
    });
    for (const provider of ["hubspot", "salesforce"] as const) busbar.sandbox[provider].setLimits("off");
    await busbar.inProject("POST", "/provider-apps", {
      provider: "salesforce",
      clientId: "app",
      clientSecret: SECRET,
    });
    for (const name of ["copy", "changes"]) {
      await addWebhook(busbar, name, `${sink.url}/${name}`);
    }
    const { urls } = await busbar.sibling();
    other = openClient({ apiKey: busbar.apiKey, projectId: busbar.projectId, urls: () => urls });
  });
  after(async () => {
    await busbar?.stop();
    await sink?.close();
  });

  interface Entry {
    id: string;
    causedBy?: object;
    possiblyCausedBy?: object;
  }
  const read = (installationId: string, id: string, path = "/copy"): Entry[] =>
    sink
      .messagesAt(path)
      .map(({ body }) => JSON.parse(body))
      .filter((message) => message.installationId === installationId)
      .flatMap(({ result }) => result)
      .filter((entry: Entry) => entry.id === id);

  for (const provider of ["hubspot", "salesforce"] as const)
    test(`of ${provider} are left out where the entry shows nothing else, whichever process wrote; otherwise it says so`, async () => {
      const { id, wide, object, type, field, born } = CRMS[provider];
      const manifest = readManifest(provider);
      const content = { read: { objects: { [object]: { objectName: object } } } };
      const narrow = await connectCustomer(busbar, {
        provider,
        manifest,
        content,
        integration: `narrow-${provider}`,
      });
      const both = await connectCustomer(busbar, {
        provider,
        manifest,
        content,
        integration: `wide-${provider}`,
        groupRef: "wide",
      });
      const writeBy = async (by: Client, one: Customer, body: object) => {
        const { integration, groupRef } = one;
        const answer = await by.write(integration, object, { groupRef, type: "update", ...body });
        assert.equal(answer.status, 200, answer.text);
        return answer.body;
      };
      const put = (values: Record<string, string>, recordId: string = id) =>
        busbar.sandbox[provider].account.put(type, { id: recordId, values, stamp: true });
      const seen = async (recordId: string) => {
        const path = `/integrations/${narrow.integration}/installations/${narrow.installationId}/records/${object}/${recordId}`;
        const answer = await busbar.inProject("GET", path);
        return answer.status === 200 ? answer.body.seen : [];
      };
      const leftOut = (recordId: string) =>
        until(async () =>
          (await seen(recordId)).some(({ reason }: { reason?: string }) => reason === "own write"),
        );
      await until(() => read(narrow.installationId, id).length === 1);

      await writeBy(other, narrow, { record: { id, [field]: "own" } });
      await leftOut(id);
      const created = await writeBy(busbar, narrow, {
        type: "create",
        record: { [born]: "own@born.example", [field]: "own" },
      });
      await leftOut(created.result.recordId);
      assert.deepEqual(read(narrow.installationId, created.result.recordId), []);
      put({ [field]: "theirs again" });
      await until(() => read(narrow.installationId, id).length === 2);
      assert.deepEqual(
        read(narrow.installationId, id).map(({ causedBy, possiblyCausedBy }) => [
          causedBy,
          possiblyCausedBy?.constructor,
        ]),
        [
          [undefined, undefined],
          [undefined, Object],
        ],
      );

      await until(() => read(both.installationId, wide).length > 0);
      const before = read(both.installationId, wide).length;
      const { operationId } = await writeBy(other, both, { record: { id: wide, [field]: "own" } });
      await until(() => read(both.installationId, wide).length > before);
      assert.deepEqual(read(both.installationId, wide).at(-1)?.possiblyCausedBy, { operationId });
    });

  test("of Salesforce, by another process, are left out of its stream, creations too; a change by somebody else is not", async () => {
    const manifest = readManifest("salesforce");
    const customer = await connectCustomer(busbar, {
      provider: "salesforce",
      manifest,
      integration: "wide-salesforce",
      groupRef: "stream",
    });
    const { lines, subscription } = openSubscriptions(() => ({ busbar, sink, customer }));
    await until(async () => (await subscription())?.state === "active");
    const { integration, groupRef } = customer;
    const answer = await other.write(integration, "account", {
      groupRef,
      type: "create",
      record: { Name: "Own" },
    });
    const id: string = answer.body.result.recordId;
    const reasons = async () => (await lines(id)).map(({ outcome, reason }) => [outcome, reason]);
    await until(async () => (await reasons()).join() === "filtered,own write");
    await other.write(integration, "account", { groupRef, type: "update", record: { id, Phone: "+47 1" } });
    await until(async () => (await reasons()).join() === "filtered,own write,filtered,own write");
    const second = await other.write(integration, "account", {
      groupRef,
      type: "create",
      record: { Name: "Own, changed at once" },
    });
    const born: string = second.body.result.recordId;
    await other.write(integration, "account", {
      groupRef,
      type: "update",
      record: { id: born, Phone: "+47 3" },
    });
    const ofBoth = await until(async () => {
      const found = await lines(born);
      return found.length === 2 && found.every(({ endTime }) => endTime !== undefined) && found;
    });
    assert.deepEqual(
      ofBoth.map(({ outcome, reason }) => [outcome, reason]),
      [
        ["filtered", "own write"],
        ["filtered", "own write"],
      ],
    );
    busbar.sandbox.salesforce.account.put("Account", { id, values: { Phone: "+47 2" }, stamp: true });
    // Another customer has connected the same account, and gets all.
    const [entry] = await until(() => {
      const found = read(customer.installationId, id, "/changes");
      return found.length === 1 && found;
    });
    assert.equal(entry?.causedBy, undefined);
  });
});
