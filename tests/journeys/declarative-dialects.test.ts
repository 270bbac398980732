/** Declarative connectors with values of the connection, versions, GraphQL and tables of the account, through a whole Busbar. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DESCRIPTIONS } from "../../connectors/descriptions.gen.ts";
import { buildAccountValues } from "../simulations/simulated-exchange.ts";
import { startSimulation, type Simulation } from "../simulations/start-simulation.ts";
import { openTestBusbar, type TestBusbar } from "../harness/busbar.ts";

const TABLE = "appQuill000000001/tblPens0000000001";
const DATABASE = "d9824bdc84454327be8b5b47500af6ce";
const BOARD = "1234567890";

/** Provider, object, and a field of it. */
const WRITTEN = [
  ["quickbooks", "customer", "DisplayName"],
  ["linear", "issues", "title"],
  ["airtable", TABLE, "Name"],
  ["notion", DATABASE, "Name"],
  ["monday", BOARD, "name"],
  ["netsuite", "customer", "companyName"],
  ["google", "calendars", "summary"],
  ["mailchimp", "lists", "name"],
] as const;

/** Providers that are connected with an API key; the others with a token. */
const KEYED = new Set(["monday"]);

const MANIFEST = `
specVersion: 1.0.0
integrations:${WRITTEN.map(
  ([provider, object]) => `
  - name: to-${provider}
    provider: ${provider}
    write:
      objects:
        - objectName: "${object}"`,
).join("")}
`;

describe("a declarative connector with a dialect of its own", () => {
  let busbar: TestBusbar;
  const simulations: Record<string, Simulation> = {};
  const of = (provider: string): Simulation => {
    const simulation = simulations[provider];
    assert.ok(simulation);
    return simulation;
  };
  /** Returns the requests that a write makes: a check of the connection, which runs by itself, asks other addresses. */
  const sent = (provider: string): string[] =>
    of(provider).requests.filter((request) => /\/pages|\/databases|\/customer/.test(request));
  before(async () => {
    for (const [provider] of WRITTEN) {
      const description = DESCRIPTIONS[provider];
      assert.ok(description);
      simulations[provider] = await startSimulation(description);
    }
    busbar = await openTestBusbar({
      providers: Object.fromEntries(WRITTEN.map(([provider]) => [provider, { baseURL: of(provider).url }])),
    });
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    for (const [provider, object] of WRITTEN) {
      const { values = {} } = buildAccountValues(DESCRIPTIONS[provider] ?? assert.fail());
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
    for (const simulation of Object.values(simulations)) await simulation.close();
  });

  for (const [provider, object, field] of WRITTEN)
    test(`${provider}: records are created and updated in the account`, async () => {
      const write = (type: string, record: object) =>
        busbar.write(`to-${provider}`, object, { groupRef: "acme", type, record });
      const created = await write("create", { [field]: "Quill" });
      assert.equal(created.status, 200, created.text);
      const id = created.body.result.recordId;
      const stored = () =>
        of(provider)
          .account.records(object)
          .find((record) => record.id === id)?.fields;
      assert.deepEqual(stored(), { [field]: "Quill" });
      for (const value of ["Quill Ltd", "Quill & Sons"]) {
        const updated = await write("update", { id, [field]: value });
        assert.equal(updated.status, 200, updated.text);
        assert.deepEqual(stored(), { [field]: value });
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
      ["GET /v3/company/own%20realmId/customer/7", "POST /v3/company/own%20realmId/customer"],
    );
    assert.equal(sent("quickbooks").length, before);
  });
});
