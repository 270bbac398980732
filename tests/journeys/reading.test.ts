/** Reading: what an installation reads arrives at its destination, once, and then what changes. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: sink
          schedule: "*/10 * * * *"
          requiredFields:
            - fieldName: email
            - fieldName: firstname
              mapToName: givenName
          backfill:
            defaultPeriod:
              fullHistory: true
`;

describe("reading", () => {
  let on: TestBusbar;
  let sink: Sink;
  after(async () => {
    await on.stop();
    await sink.close();
  });
  before(async () => {
    sink = await openSink();
    // Ten minutes are half a second here.
    on = await openTestBusbar({ env: { BUSBAR_MINUTE_MS: "50", BUSBAR_RETRY_BASE_SECONDS: "0.05" } });
    on.sandbox.hubspot.setLimits("off");
    const destination = { name: "sink", type: "webhook", metadata: { url: `${sink.url}/read` } };
    const created = await on.inProject("POST", "/destinations", destination);
    assert.equal(created.status, 201, created.text);
  });

  /** All entries that arrived so far, in order. */
  const arrived = () =>
    sink
      .at("/read")
      .flatMap(
        ({ body }) => JSON.parse(body).result as { id: string; fields: object; mappedFields: object }[],
      );

  test("an installation's records arrive at once, then each change", async () => {
    const { installationId } = await connectCustomer(on, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "crm",
      content: {
        read: {
          objects: {
            contacts: {
              objectName: "contacts",
              destination: "sink",
              selectedFields: {},
              selectedFieldMappings: {},
            },
          },
        },
      },
    });
    await until(() => arrived().length >= 5);
    const [first] = arrived();
    assert.deepEqual(first?.fields, { email: "ada.king@northwind.example" });
    assert.deepEqual(first?.mappedFields, { givenName: "Ada" });
    const operations = await until(async () => {
      const { body } = await on.inProject(
        "GET",
        `/integrations/crm/installations/${installationId}/operations`,
      );
      return (
        body.results.length > 1 &&
        body.results.every((one: { status: string }) => one.status === "success") &&
        body.results
      );
    });
    assert.equal(operations.at(-1).result, "[person] 5 records read");
    assert.match(operations[0].result, /No new data found/);
    assert.equal(arrived().length, 5);
  });
});
