/** Fields that the provider begins to refuse: optional ones are left out, required ones end the read with a reason. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { openSink, type Sink } from "../harness/deliveries/sink.ts";
import { until } from "../harness/until.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: salesforce
    read:
      objects:
        - objectName: contact
          destination: sink
          requiredFields:
            - fieldName: lastname
            - fieldName: $['Owner']['Name']
            - fieldName: email
              mapToName: mail
          optionalFields:
            - fieldName: title
            - fieldName: phone
          backfill:
            defaultPeriod: { fullHistory: true }
`;

describe("a field that is hidden from the connected user", () => {
  let busbar: TestBusbar;
  let sink: Sink;
  after(async () => {
    await busbar.stop();
    await sink.close();
  });
  before(async () => {
    sink = await openSink();
    busbar = await openTestBusbar();
    await addWebhook(busbar, "sink", `${sink.url}/read`);
  });

  const hide = async (field: string, hidden = true) => {
    const body = JSON.stringify({ provider: "salesforce", object: "Contact", field, hidden });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${busbar.sandbox.url}/sandbox/fields`, { method: "POST", headers, body });
    assert.ok(answer.ok, await answer.text());
  };

  /** Installs, and returns the operation of the backfill when it has ended. */
  async function backfill(groupRef: string) {
    const contact = { objectName: "contact", selectedFields: { title: true, phone: true } };
    const { installationId } = await connectCustomer(busbar, {
      provider: "salesforce",
      manifest: MANIFEST,
      integration: "crm",
      groupRef,
      content: { read: { objects: { contact } } },
      skipSampling: true,
    });
    return until(async () => {
      const path = `/integrations/crm/installations/${installationId}/operations`;
      const [operation] = (await busbar.inProject("GET", path)).body.results;
      return operation && operation.status !== "in_progress" && operation;
    });
  }

  test("is left out if it is optional, and the log says so", async () => {
    await hide("Title");
    const operation = await backfill("northwind");
    assert.equal(operation.status, "success", operation.result);
    await until(() => sink.at("/read").length > 0);
    const [message] = sink.at("/read").map(({ body }) => JSON.parse(body));
    const ada = message.result.find(({ mappedFields }: { mappedFields: { mail: string } }) =>
      mappedFields.mail.startsWith("ada.king"),
    );
    assert.deepEqual(Object.keys(ada.fields).toSorted(), ["Owner", "lastname", "phone"]);
    assert.deepEqual(ada.fields.Owner, { Name: "Ada Admin" });
    const { body } = await busbar.inProject("GET", `/operations/${operation.id}/logs`);
    assert.match(JSON.stringify(body), /"WARNING"[^}]*title/i);
    await hide("Title", false);
  });

  test("ends the read if it is required, also where it is mapped, and the result names it", async () => {
    await hide("Email");
    const operation = await backfill("contoso");
    assert.equal(operation.status, "failure");
    assert.match(operation.result, /email/i);
    await hide("Email", false);
  });
});

describe("a field that the account does not have", () => {
  let busbar: TestBusbar;
  after(() => busbar.stop());
  before(async () => {
    busbar = await openTestBusbar();
    busbar.sandbox.hubspot.setLimits("off");
  });

  const refusals = {
    hubspot: { object: "contacts", record: { emial: "x@example.com", lastname: "X" } },
    salesforce: { object: "contact", record: { Emial: "x@example.com", LastName: "X" } },
  } as const;
  for (const [provider, { object, record }] of Object.entries(refusals))
    test(`in a write to ${provider} is refused in its words, with the nearest name, alone, in a batch and in the log`, async () => {
      const customer = await connectCustomer(busbar, {
        provider: provider as "hubspot" | "salesforce",
        objects: [object],
        groupRef: provider,
      });
      const single = await customer.write(object, { type: "create", record });
      assert.equal(single.status, 422, single.text);
      assert.match(single.body.detail, /emial.*Did you mean "email"\?/is);
      const logs = await busbar.inProject("GET", `/operations/${single.body.operationId}/logs`);
      assert.match(JSON.stringify(logs.body), /Did you mean ..email/i);
      const batch = await customer.write(object, {
        type: "create",
        batch: [{ record }, { record: { lastname: "Y" } }],
      });
      assert.match(JSON.stringify(batch.body.errors), /Did you mean ..email/i, batch.text);
    });
});
