/** Deliveries say what they are about, and are found by it: records that were read for two customers, and their notifications. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import type { Answer } from "../../../tests/harness/client.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { addWebhook, drawRoute } from "../../../tests/harness/deliveries/routes.ts";
import { openSink } from "../../../tests/harness/deliveries/sink.ts";
import { until } from "../../../tests/harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: people
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: copy
          requiredFields: [{ fieldName: email }]
          backfill: { defaultPeriod: { fullHistory: true } }
`;

const sink = await openSink();
const busbar = await shareTestBusbar();
after(() => sink.close());

describe("what deliveries are about", () => {
  let integrationId: string;
  before(async () => {
    busbar.sandbox.hubspot.setLimits("off");
    await addWebhook(busbar, "copy", `${sink.url}/copy`);
    await drawRoute(busbar, `${sink.url}/told`, ["read.backfill.done", "connection.created"]);
    // One ref is a part of the other, and needs escapes.
    for (const groupRef of ['globex "north"', "globex"])
      await connectCustomer(busbar, {
        provider: "hubspot",
        groupRef,
        content: { read: { objects: { contacts: {} } } },
        manifest: MANIFEST,
        integration: "people",
      });
    await until(async () => (await all("kind=notification&type=read.backfill.done")).length === 2);
    await until(async () => (await all("status=delivered")).length === (await all("")).length);
    integrationId = (await busbar.inProject("GET", "/integrations/people")).body.id;
  });

  const all = async (query: string): Promise<Answer["body"][]> => {
    const { status, body, text } = await busbar.inProject("GET", `/deliveries:search?pageSize=200&${query}`);
    assert.equal(status, 200, text);
    return body.results;
  };
  const listTypes = (rows: Answer["body"][]): string[] =>
    [...new Set(rows.map(({ eventType }): string => eventType))].toSorted();

  test("a message names its customer, integration, object and the number of its records", async () => {
    const rows = await all("kind=read&groupRef=globex");
    const sent = sink
      .messagesAt("/copy")
      .map(({ headers, body }) => ({ id: headers["webhook-id"], ...JSON.parse(body) }));
    const own = sent.filter(({ groupRef }) => groupRef === "globex");
    assert.ok(own.length > 0);
    assert.deepEqual(
      rows
        .map(({ id, kind, groupRef, integration, object, records }) => ({
          id,
          kind,
          groupRef,
          integration,
          object,
          records,
        }))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      own
        .map(({ id, result }) => ({
          id,
          kind: "read",
          groupRef: "globex",
          integration: "people",
          object: "contacts",
          records: result.length,
        }))
        .toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    );
    const { body } = await busbar.inProject("GET", `/destinations/copy/deliveries/${rows[0].id}`);
    assert.deepEqual([body.groupRef, body.integration, body.records], ["globex", "people", rows[0].records]);
  });

  test("deliveries are found by customer, integration (name or id), object (either name) and kind", async () => {
    assert.deepEqual(listTypes(await all("groupRef=globex")), [
      "connection.created",
      "read",
      "read.backfill.done",
    ]);
    const north = await all(`groupRef=${encodeURIComponent('globex "north"')}`);
    assert.ok(north.length > 0 && north.every(({ groupRef }) => groupRef === 'globex "north"'));
    assert.deepEqual(listTypes(await all("integration=people")), ["read", "read.backfill.done"]);
    assert.deepEqual(await all(`integration=${integrationId}`), await all("integration=people"));
    assert.deepEqual(await all("integration=other"), []);
    assert.deepEqual(listTypes(await all("object=contacts")), ["read"]);
    assert.deepEqual(listTypes(await all("object=person")), ["read", "read.backfill.done"]);
    assert.deepEqual(await all("object=contact"), []);
    assert.deepEqual(listTypes(await all("kind=read")), ["read"]);
    assert.deepEqual(await all("kind=subscribe"), []);
    const ofOne = await busbar.inProject(
      "GET",
      "/destinations/copy/deliveries?groupRef=globex&kind=read&object=person",
    );
    assert.deepEqual(
      ofOne.body.results.map(({ id }: { id: string }) => id),
      (await all("kind=read&groupRef=globex")).map(({ id }) => id),
    );
    const wrong = await busbar.inProject("GET", "/deliveries:search?kind=reads");
    assert.equal(wrong.status, 400);
  });

  test("the events of a customer contain data messages with their deliveries; the list of all events does not", async () => {
    const events = async (query: string) =>
      (await busbar.inProject("GET", `/events?pageSize=200&${query}`)).body.results;
    const of = await events("groupRef=globex");
    const messages = of.filter(({ type }: { type: string }) => type === "read");
    assert.deepEqual(
      messages.map(({ id }: { id: string }) => id),
      (await all("kind=read&groupRef=globex")).map(({ id }) => id),
    );
    assert.deepEqual(
      messages[0].deliveries.map(({ destinationName, status }: Answer["body"]) => [destinationName, status]),
      [["copy", "delivered"]],
    );
    assert.ok(of.some(({ type }: { type: string }) => type === "connection.created"));
    const { installationId } = messages[0];
    assert.ok(
      (await events(`installationId=${installationId}`)).some(
        ({ type }: { type: string }) => type === "read",
      ),
    );
    assert.ok((await events("")).every(({ type }: { type: string }) => type !== "read"));
    assert.ok((await events("type=read")).length > messages.length);
  });

  test("what is removed with its installation keeps its integration", async () => {
    const [row] = await all("kind=read&groupRef=globex");
    const { body: event } = await busbar.inProject("GET", `/events/${row.id}`);
    const path = `/integrations/people/installations/${event.installationId}`;
    assert.equal((await busbar.inProject("DELETE", path)).status, 204);
    assert.equal((await all("kind=read&groupRef=globex&integration=people"))[0].integration, "people");
  });
});
