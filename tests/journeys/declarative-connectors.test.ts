/** A connector that is only described writes and reads through a whole Busbar, against a vendor simulated from facts. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildRefusal, type VendorAnswer } from "../../simulations/vendor/vendor-answer.ts";
import type { ArrivedRequest, RunningVendor } from "../../simulations/vendor/start-vendor.ts";
import { readFacts } from "../../simulations/vendor/suite/facts-subject.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openSink } from "../harness/deliveries/sink.ts";
import { openTestVendor } from "../harness/test-vendor.ts";
import { until } from "../harness/until.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: outlook
    provider: microsoft
    read:
      objects:
        - objectName: me/contacts
          destination: people
          schedule: "0 0 1 1 *"
          backfill:
            defaultPeriod:
              fullHistory: true
    write:
      objects:
        - objectName: me/contacts
  - name: sales
    provider: pipedrive
    read:
      objects:
        - objectName: persons
          mapToName: person
          destination: people
          schedule: "*/10 * * * *"
          requiredFields:
            - fieldName: name
              mapToName: fullName
          optionalFieldsAuto: all
          backfill:
            defaultPeriod:
              fullHistory: true
    write:
      objects:
        - objectName: persons
          inheritMapping: true
`;

const facts = readFacts("pipedrive") ?? assert.fail();

/** A field that a company has added, as Pipedrive lists it beside its own. */
const CUSTOM_FIELD = {
  field_name: "Favourite pen",
  field_code: "9dc80c50d78a15643bfc4ca79d76156a73a1ca0e",
  field_type: "varchar",
  is_custom_field: true,
};

// The vendor's material shows a field of its own alone.
const listed = facts.objects["persons"]?.fields?.body as { data: object[] };
listed.data.push(CUSTOM_FIELD);

/** One more than a page has at the most. */
const NAMES = ["Ada", ...Array.from({ length: 500 }, (_, index) => `Grace ${index}`)];

/** Value that Graph refuses in any field. */
const REFUSED = "refused";

interface Inner {
  id: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: object;
}

/** Answers a batch as Graph does, in any order: https://learn.microsoft.com/en-us/graph/json-batching (2026-11-28). */
function answerBatch({ vendor }: RunningVendor, { body }: ArrivedRequest): VendorAnswer {
  const { requests }: { requests: Inner[] } = JSON.parse(body.toString());
  const responses = requests.map(({ id, method, url, headers, body: content }) => {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const { status, body: answered = null } = vendor.answer(
      { method, target: `/v1.0${url}`, headers: Object.fromEntries(lower), body: JSON.stringify(content) },
      true,
    );
    return { id, status, body: answered };
  });
  return { status: 200, headers: {}, body: { responses: responses.toReversed() } };
}

const sink = await openSink();
after(() => sink.close());

describe("a declarative connector", () => {
  let busbar: TestBusbar;
  let sales: RunningVendor;
  let outlook: RunningVendor;
  /** Answer for the next write to Pipedrive. */
  let nextWrite: VendorAnswer | undefined;
  const batches: string[] = [];
  before(async () => {
    sales = await openTestVendor(facts, {
      intercept: ({ method }, carryOut) => {
        if (method === "GET" || !nextWrite) return carryOut();
        const answer = nextWrite;
        nextWrite = undefined;
        return answer;
      },
    });
    outlook = await openTestVendor("microsoft", {
      intercept: (request, carryOut) => {
        if (request.url !== "/v1.0/$batch") return carryOut();
        batches.push(request.method);
        return answerBatch(outlook, request);
      },
    });
    outlook.vendor.refusedValue = REFUSED;
    busbar = await openTestBusbar({
      env: { BUSBAR_MINUTE_MS: "50", BUSBAR_RETRY_BASE_SECONDS: "0.05" },
      providers: { pipedrive: { baseURL: sales.url }, microsoft: { baseURL: outlook.url } },
    });
    for (const name of NAMES)
      sales.vendor.records.put("persons", {
        fields: { name, custom_fields: { [CUSTOM_FIELD.field_code]: `custom ${name}` } },
      });
    await addWebhook(busbar, "people", `${sink.url}/people`);
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    assert.doesNotMatch(deployed.text, /not-built-yet/);
    for (const provider of ["pipedrive", "microsoft"]) {
      const connection = await busbar.inProject("POST", "/connections:generate", {
        provider,
        groupRef: "acme",
        consumerRef: "ada",
        oauth2AuthorizationCode: { accessToken: { token: "t-1" } },
      });
      assert.equal(connection.status, 201, connection.text);
    }
    const installed = await busbar.inProject("POST", "/integrations/sales/installations", {
      groupRef: "acme",
      config: {
        content: {
          provider: "pipedrive",
          read: { objects: { persons: { objectName: "persons", selectedFieldsAuto: "all" } } },
          write: { objects: { persons: { objectName: "persons", deletionSettings: { enabled: true } } } },
        },
      },
    });
    assert.equal(installed.status, 201, installed.text);
    const second = await busbar.inProject("POST", "/integrations/outlook/installations", {
      groupRef: "acme",
      config: {
        content: {
          provider: "microsoft",
          read: {
            objects: {
              "me/contacts": {
                objectName: "me/contacts",
                selectedFieldsAuto: "all",
                deletedRecords: "always",
              },
            },
          },
          write: { objects: { "me/contacts": { objectName: "me/contacts" } } },
        },
      },
    });
    assert.equal(second.status, 201, second.text);
  });
  after(async () => {
    await busbar?.stop();
    await sales?.close();
    await outlook?.close();
  });

  interface Entry {
    id?: string;
    fields: Record<string, unknown>;
    mappedFields: Record<string, unknown>;
  }
  const arrived = (): Entry[] => sink.messagesAt("/people").flatMap(({ body }) => JSON.parse(body).result);

  test("its backfill delivers every record, over several pages", async () => {
    const names = () => new Set(arrived().map(({ mappedFields }) => mappedFields["fullName"]));
    await until(() => names().size >= NAMES.length);
    assert.deepEqual(names(), new Set(NAMES));
  });

  test("the log of a read says which records the provider leaves out of its list", async () => {
    const { id } = await until(
      async () =>
        (await busbar.inProject("GET", "/operations?type=read&integration=outlook")).body.results[0],
    );
    const logs = () => busbar.inProject("GET", `/operations/${id}/logs`);
    await until(async () => (await logs()).text.includes("Ended"));
    // Microsoft: https://learn.microsoft.com/en-us/graph/api/user-list-contacts (2026-11-26): of the default folder.
    assert.match((await logs()).text, /leaves out contacts of other folders than the default one/);
    // Graph tells deletions by delta queries alone, whose tokens are not kept.
    assert.match((await logs()).text, /Deletions are asked for, but none are read from this provider/);
  });

  test("a change at the provider arrives by the schedule", async () => {
    const [ada] = sales.vendor.records.of("persons");
    assert.ok(ada);
    ada.fields["name"] = "Ada Lovelace";
    // Records are an hour old.
    ada.changedMs = Date.now();
    await until(() => arrived().some(({ mappedFields }) => mappedFields["fullName"] === "Ada Lovelace"));
  });

  test("records are created, updated and deleted, and a refusal has the provider's reason", async () => {
    const created = await busbar.write("sales", "persons", {
      groupRef: "acme",
      type: "create",
      record: { fullName: "Donald" },
    });
    assert.equal(created.status, 200, created.text);
    const id = created.body.result.recordId;
    const stored = () => sales.vendor.records.of("persons").find((record) => record.id === id)?.fields;
    assert.deepEqual(stored(), { name: "Donald" });
    const updated = await busbar.write("sales", "persons", {
      groupRef: "acme",
      type: "update",
      record: { id, fullName: "Don" },
    });
    assert.equal(updated.status, 200, updated.text);
    assert.deepEqual(stored(), { name: "Don" });
    nextWrite = buildRefusal(facts, 422, "name is too short");
    const refused = await busbar.write("sales", "persons", {
      groupRef: "acme",
      type: "update",
      record: { id, fullName: "D" },
    });
    assert.equal(refused.status, 422);
    assert.match(refused.body.detail, /name is too short/);
    const removed = await busbar.write("sales", "persons", {
      groupRef: "acme",
      type: "delete",
      record: { id },
    });
    assert.equal(removed.status, 200, removed.text);
    assert.equal(stored(), undefined);
  });

  test("its fields are those that the provider lists, and a read of all fields delivers them", async () => {
    const place = "/providers/pipedrive/objects/persons/metadata?groupRef=acme";
    const { status, body, text } = await busbar.inProject("GET", place);
    assert.equal(status, 200, text);
    assert.equal(body.fields["name"].valueType, "string");
    const custom = body.fields[`$['custom_fields']['${CUSTOM_FIELD.field_code}']`];
    assert.deepEqual([custom.isCustom, custom.displayName], [true, "Favourite pen"]);
    const ada = arrived().find(({ mappedFields }) => mappedFields["fullName"] === "Ada");
    assert.deepEqual(ada?.fields["custom_fields"], { [CUSTOM_FIELD.field_code]: "custom Ada" });
    const notes = await busbar.inProject("GET", "/providers/pipedrive/objects/notes/metadata?groupRef=acme");
    assert.match(notes.body.detail, /does not know the fields of `notes`/);
  });

  test("a batch is one request where the provider takes several records at once", async () => {
    const written = await busbar.write("outlook", "me/contacts", {
      groupRef: "acme",
      type: "create",
      batch: ["Ada", "Grace", REFUSED].map((givenName) => ({ record: { givenName } })),
    });
    assert.equal(written.status, 200, written.text);
    assert.deepEqual(
      written.body.results.map(({ success }: { success: boolean }) => success),
      [true, true, false],
    );
    assert.deepEqual(batches, ["POST"]);
    assert.equal(outlook.vendor.records.of("me/contacts").length, 2);
  });

  test("the provider is shown with what its description can do", async () => {
    const { body } = await busbar.call("GET", "/v1/providers/pipedrive");
    assert.equal(body.support.read, true);
    assert.equal(body.support.write, true);
    assert.equal(body.support.delete, true);
  });
});
