/** Reading: what an installation reads arrives at its destination once, then what changes, whatever providers and receivers do. */
import assert from "node:assert/strict";
import { after, beforeEach, describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

interface Entry {
  id: string;
  fields: Record<string, unknown>;
  mappedFields: Record<string, unknown>;
  deleted?: true;
}

/** A manifest that reads one object every ten minutes. */
const buildManifest = (provider: string, integration: string, object: string, more = "") => `
specVersion: 1.0.0
integrations:
  - name: ${integration}
    provider: ${provider}
    read:
      objects:
        - objectName: ${object}
          mapToName: person
          destination: ${integration}
          schedule: "*/10 * * * *"
          requiredFields:
            - fieldName: email
            - fieldName: firstname
              mapToName: givenName
          backfill:
            defaultPeriod:
              fullHistory: true
${more}`;

const sink = await openSink();
// Ten minutes are half a second here.
const busbar = await shareTestBusbar({
  env: {
    BUSBAR_MINUTE_MS: "50",
    BUSBAR_RETRY_BASE_SECONDS: "0.05",
    BUSBAR_WEBHOOK_RETRY_SECONDS: "0.2,0.2,0.2,0.2",
  },
});
after(() => sink.close());

describe("reading", () => {
  beforeEach(() => {
    busbar.sandbox.reset();
    busbar.sandbox.hubspot.setLimits("off");
  });

  /** The entries that arrived for an integration, in order. */
  const arrived = (integration: string): Entry[] =>
    sink.messagesAt(`/${integration}`).flatMap(({ body }) => JSON.parse(body).result as Entry[]);

  let customers = 0;
  async function install(provider: "hubspot" | "salesforce", object: string, more = "") {
    const integration = `crm${(customers += 1)}`;
    await addWebhook(busbar, integration, `${sink.url}/${integration}`);
    const manifest = buildManifest(provider, integration, object, more);
    const { installationId } = await connectCustomer(busbar, {
      provider,
      groupRef: integration,
      manifest,
      integration,
      expiresInSeconds: 3_600,
      content: { read: { objects: { [object]: { objectName: object } } } },
    });
    const operations = async (): Promise<
      { status: string; result?: string; metadata: { retry?: { attempts: number } } }[]
    > =>
      (
        await busbar.inProject(
          "GET",
          `/integrations/${integration}/installations/${installationId}/operations`,
        )
      ).body.results;
    const remove = () =>
      busbar.inProject("DELETE", `/integrations/${integration}/installations/${installationId}`);
    return { integration, installationId, operations, remove };
  }

  test("an installation's records arrive at once, then what changes, and nothing twice", async () => {
    const { integration, operations, remove } = await install("hubspot", "contacts");
    await until(() => arrived(integration).length >= 5);
    const [first] = arrived(integration);
    assert.deepEqual(first?.fields, { email: "ada.king@northwind.example" });
    assert.deepEqual(first?.mappedFields, { givenName: "Ada" });
    await until(async () => (await operations()).filter(({ status }) => status === "success").length >= 3);
    assert.equal((await operations()).at(-1)?.result, "[person] 5 records read");
    assert.equal(arrived(integration).length, 5);
    busbar.sandbox.hubspot.account.put("contacts", {
      id: "501",
      values: { firstname: "Augusta" },
      stamp: true,
    });
    await until(() => arrived(integration).length >= 6);
    assert.deepEqual(arrived(integration)[5]?.mappedFields, { givenName: "Augusta" });
    const before = (await operations()).length;
    await until(async () => (await operations()).length > before + 2);
    assert.equal(arrived(integration).length, 6);
    await remove();
  });

  test("Salesforce records that share one time stamp all arrive, although every cursor expires on the way", async () => {
    const stamp = Date.now() - 3_600_000;
    const spec = { count: 5_000, changedFrom: stamp, changedTo: stamp, values: { LastName: "Same {n}" } };
    busbar.sandbox.salesforce.account.generate("Contact", spec);
    busbar.sandbox.salesforce.account.expireCursors();
    busbar.sandbox.addFault({
      provider: "salesforce",
      preset: "salesforce.bad_locator",
      path: "/query/0r8",
      count: 1,
    });
    const { integration, remove } = await install("salesforce", "Contact");
    await until(() => new Set(arrived(integration).map(({ id }) => id)).size >= 5_004);
    assert.equal(arrived(integration).length, 5_004);
    await remove();
  });

  test("a provider that refuses for a while delays a read and fails nothing", async () => {
    busbar.sandbox.addFault({ provider: "hubspot", path: "/objects/contacts", status: 503, count: 3 });
    const { integration, operations, remove } = await install("hubspot", "contacts");
    await until(() => arrived(integration).length >= 5);
    const backfill = await until(async () => {
      const last = (await operations()).at(-1);
      return last?.status !== "in_progress" && last;
    });
    assert.equal(backfill.status, "success");
    assert.ok((backfill.metadata.retry?.attempts ?? 0) > 0);
    await remove();
  });

  test("a page with wrong types ends the read with a plain reason and delivers nothing of it", async () => {
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/objects/contacts",
      alter: "wrong_types",
      count: 1_000,
    });
    const { integration, operations, remove } = await install("hubspot", "contacts");
    const failed = await until(async () => (await operations()).find(({ status }) => status === "failure"));
    assert.match(failed.result ?? "", /^\[person\] Error reading from provider: /);
    assert.deepEqual(arrived(integration), []);
    await remove();
  });

  test("a deleted record arrives as a deletion where the manifest asks for it, and again when it is restored", async () => {
    const { integration, remove } = await install(
      "salesforce",
      "Contact",
      "          deletedRecords: always\n",
    );
    await until(() => arrived(integration).length >= 4);
    const id = arrived(integration)[0]?.id ?? "";
    busbar.sandbox.salesforce.account.archive("Contact", id);
    await until(() => arrived(integration).some((entry) => entry.id === id && entry.deleted));
    busbar.sandbox.salesforce.account.restore("Contact", id);
    await until(
      () => arrived(integration).at(-1)?.id === id && arrived(integration).at(-1)?.deleted === undefined,
    );
    await remove();
  });

  test("nothing is read while the destination is disabled, and the gap is read when it is enabled again", async () => {
    const { integration, remove } = await install("hubspot", "contacts");
    await until(() => arrived(integration).length >= 5);
    sink.answer = (_received, response) => void response.writeHead(410).end();
    busbar.sandbox.hubspot.account.put("contacts", { id: "502", values: { firstname: "Gone" }, stamp: true });
    await until(
      async () => (await busbar.inProject("GET", `/destinations/${integration}`)).body.disabledTime,
    );
    busbar.sandbox.clearRequests();
    busbar.sandbox.hubspot.account.put("contacts", {
      id: "503",
      values: { firstname: "Later" },
      stamp: true,
    });
    sink.answer = (_received, response) => void response.writeHead(200).end();
    const count = arrived(integration).length;
    const enabled = await busbar.inProject("PATCH", `/destinations/${integration}`, {
      updateMask: ["metadata.url"],
      destination: { metadata: { url: `${sink.url}/${integration}` } },
    });
    assert.equal(enabled.status, 200, enabled.text);
    await until(() =>
      arrived(integration)
        .slice(count)
        .some(({ id }) => id === "503"),
    );
    await remove();
  });

  test("messages of an object that is delivered on request wait until they are asked for", async () => {
    const more = "          delivery:\n            mode: onRequest\n            pageSize: 50\n";
    const { integration, operations, remove } = await install("hubspot", "contacts", more);
    await until(async () => (await operations()).some(({ result }) => result === "[person] 5 records read"));
    assert.deepEqual(arrived(integration), []);
    const asked = { groupRef: integration, pages: 1 };
    const path = `/read/v1/projects/default/integrations/${integration}/objects/person:deliverResults`;
    const answer = await busbar.call("POST", path, asked);
    assert.equal(answer.status, 204, answer.text);
    await until(() => arrived(integration).length === 5);
    await remove();
  });
});
