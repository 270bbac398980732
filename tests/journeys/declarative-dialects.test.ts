/** Declarative connectors with values of the connection, versions, GraphQL and tables of the account, through a whole Busbar. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { RunningVendor } from "../../simulations/vendor/start-vendor.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";
import { openTestVendor } from "../harness/test-vendor.ts";

const TABLE = "appQuill000000001/tblPens0000000001";
const DATABASE = "d9824bdc84454327be8b5b47500af6ce";
const BOARD = "1234567890";

interface Written {
  object: string;
  /** A field, and what the vendor then has for a text in it. */
  field: string;
  stored(text: string): unknown;
  /** What a create needs besides. */
  besides?: object;
  /** Values of the connection. */
  connection?: Record<string, string>;
}

const asItIs = (text: string): string => text;
const WRITTEN: Record<string, Written> = {
  quickbooks: {
    object: "customer",
    field: "DisplayName",
    stored: asItIs,
    connection: { realmId: "934145" },
  },
  linear: { object: "issues", field: "title", stored: asItIs, besides: { teamId: "t-1" } },
  airtable: { object: TABLE, field: "Name", stored: asItIs },
  notion: {
    object: DATABASE,
    field: "Name",
    stored: (content) => ({ title: [{ text: { content } }] }),
  },
  monday: { object: BOARD, field: "name", stored: asItIs },
  netsuite: { object: "customer", field: "companyName", stored: asItIs },
  google: { object: "calendars", field: "summary", stored: asItIs },
  mailchimp: {
    object: "lists",
    field: "name",
    stored: asItIs,
    besides: {
      contact: {},
      permission_reminder: "You signed up",
      campaign_defaults: {},
      email_type_option: true,
    },
  },
};

/** Providers that are connected with an API key; the others with a token. */
const KEYED = new Set(["monday"]);

const MANIFEST = `
specVersion: 1.0.0
integrations:${Object.entries(WRITTEN)
  .map(
    ([provider, { object }]) => `
  - name: to-${provider}
    provider: ${provider}
    write:
      objects:
        - objectName: "${object}"`,
  )
  .join("")}
`;

describe("a declarative connector with a dialect of its own", () => {
  let busbar: TestBusbar;
  const vendors: Record<string, RunningVendor> = {};
  const findVendor = (provider: string): RunningVendor => vendors[provider] ?? assert.fail();
  /** Returns the requests that a write makes: a check of the connection, which runs by itself, asks other addresses. */
  const sent = (provider: string): string[] =>
    findVendor(provider)
      .vendor.seen.map(({ target }) => target)
      .filter((target) => /\/pages|\/databases|\/customer/.test(target));
  before(async () => {
    for (const [provider, { connection = {} }] of Object.entries(WRITTEN))
      vendors[provider] = await openTestVendor(provider, { connection });
    busbar = await openTestBusbar({
      providers: Object.fromEntries(
        Object.entries(vendors).map(([provider, { url }]) => [provider, { baseURL: url }]),
      ),
    });
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    for (const [provider, { object, connection: values = {} }] of Object.entries(WRITTEN)) {
      const providerMetadata = Object.fromEntries(
        Object.entries({ workspace: "quill", ...values }).map(([name, value]) => [
          name,
          { value, source: "input" },
        ]),
      );
      const connection = await busbar.inProject("POST", "/connections:generate", {
        provider,
        groupRef: "acme",
        consumerRef: "ada",
        providerMetadata,
        ...(KEYED.has(provider)
          ? { apiKey: "k-1" }
          : { oauth2AuthorizationCode: { accessToken: { token: "t-1" } } }),
      });
      assert.equal(connection.status, 201, connection.text);
      const installed = await busbar.inProject("POST", `/integrations/to-${provider}/installations`, {
        groupRef: "acme",
        config: {
          content: { provider, write: { objects: { [object]: { objectName: object } } } },
        },
      });
      assert.equal(installed.status, 201, installed.text);
    }
  });
  after(async () => {
    await busbar?.stop();
    for (const vendor of Object.values(vendors)) await vendor.close();
  });

  for (const [provider, { object, field, stored, besides = {} }] of Object.entries(WRITTEN))
    test(`${provider}: records are created and updated in the account`, async () => {
      const write = (type: string, record: object) =>
        busbar.write(`to-${provider}`, object, { groupRef: "acme", type, record });
      const created = await write("create", { ...besides, [field]: "Quill" });
      assert.equal(created.status, 200, created.text);
      const id = created.body.result.recordId;
      const readStored = () =>
        findVendor(provider)
          .vendor.records.of(object)
          .find((record) => record.id === id)?.fields;
      assert.partialDeepStrictEqual(readStored(), { ...besides, [field]: stored("Quill") });
      for (const value of ["Quill Ltd", "Quill & Sons"]) {
        const updated = await write("update", { id, [field]: value });
        assert.equal(updated.status, 200, updated.text);
        assert.partialDeepStrictEqual(readStored(), { ...besides, [field]: stored(value) });
      }
    });

  test("a dry run shows that types are asked first, and sends nothing", async () => {
    const before = sent("notion").length;
    const { body } = await busbar.call(
      "POST",
      `/write/v1/projects/default/integrations/to-notion/objects/${DATABASE}?dryRun=true`,
      { groupRef: "acme", type: "create", record: { Name: "Quill" } },
    );
    assert.deepEqual(
      body.requests.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`),
      [`GET /v1/databases/${DATABASE}`, "POST /v1/pages"],
    );
    assert.equal(sent("notion").length, before);
  });

  test("a dry run shows the account's address and the version that is read first, and sends nothing", async () => {
    const before = sent("quickbooks").length;
    const record = { id: "7", DisplayName: "Pens" };
    const { body } = await busbar.call(
      "POST",
      "/write/v1/projects/default/integrations/to-quickbooks/objects/customer?dryRun=true",
      { groupRef: "acme", type: "update", record },
    );
    assert.deepEqual(
      body.requests.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`),
      ["GET /v3/company/934145/customer/7", "POST /v3/company/934145/customer"],
    );
    assert.equal(sent("quickbooks").length, before);
  });
});
