/** The published client calls every tool on connectors that are only described, against simulations of their providers. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DESCRIPTIONS } from "../../connectors/descriptions.gen.ts";
import { startSimulation, type Simulation } from "../../simulations/start-simulation.ts";
import { openAgent, type AgentClient } from "../harness/agent-client.ts";
import { openTestBusbar, type Answer, type TestBusbar } from "../harness/busbar.ts";

/** Each with an object and a field that takes a text. */
const PROVIDERS = [
  { provider: "pipedrive", object: "persons", field: "name" },
  { provider: "microsoft", object: "me/contacts", field: "displayName" },
];

const MANIFEST = `
specVersion: 1.0.0
integrations:
${PROVIDERS.map(
  ({ provider, object, field }) => `
  - name: ${provider}
    provider: ${provider}
    read:
      objects:
        - { objectName: ${object}, destination: hook, requiredFields: [{ fieldName: ${field} }] }
    write:
      objects: [{ objectName: ${object}, inheritMapping: true }]
    proxy: { enabled: true }`,
).join("")}
`;

describe("an agent at declarative connectors", () => {
  let busbar: TestBusbar;
  let agent: AgentClient;
  const simulations = new Map<string, Simulation>();
  after(async () => {
    await busbar?.stop();
    for (const simulation of simulations.values()) await simulation.close();
  });
  before(async () => {
    const providers: Record<string, { baseURL: string }> = {};
    for (const { provider } of PROVIDERS) {
      const description = DESCRIPTIONS[provider];
      assert.ok(description);
      const simulation = await startSimulation(description);
      simulations.set(provider, simulation);
      providers[provider] = { baseURL: simulation.url };
    }
    busbar = await openTestBusbar({ providers });
    const to = { name: "hook", type: "webhook", metadata: { url: "https://example.com/hook" } };
    await busbar.inProject("POST", "/destinations", to);
    const deployed = await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: MANIFEST });
    assert.equal(deployed.status, 200, deployed.text);
    for (const { provider, object } of PROVIDERS) {
      await busbar.inProject("POST", "/connections:generate", {
        provider,
        groupRef: "acme",
        consumerRef: "ada",
        oauth2AuthorizationCode: { accessToken: { token: "t-1" } },
      });
      const path = `/integrations/${provider}/installations?skipSampling=true`;
      const objects = { [object]: { objectName: object, deletionSettings: { enabled: true } } };
      const config = { content: { provider, write: { objects } } };
      const installed = await busbar.inProject("POST", path, { groupRef: "acme", config });
      assert.equal(installed.status, 201, installed.text);
    }
    const policy = { default: { write: "allow", delete: "allow" } };
    assert.equal((await busbar.inProject("PUT", "/agent-policy", policy)).status, 200);
    agent = await openAgent(busbar);
  });
  const succeed = async (tool: string, args: Record<string, unknown>): Promise<Answer["body"]> => {
    const { isError, content } = await agent.call(tool, args);
    assert.equal(isError, false, `${tool}: ${JSON.stringify(content)}`);
    return content;
  };

  for (const { provider, object, field } of PROVIDERS) {
    test(`${provider}: records are found, read, created, changed, restored and deleted`, async () => {
      const of = { integration: provider, object };
      const all = await succeed("list_integrations", {});
      assert.ok(all.integrations.some((one: Answer["body"]) => one.integration === provider));
      const found = await succeed("find_objects", { integration: provider });
      const { actions } = found.objects.find((one: Answer["body"]) => one.object === object);
      const described = await succeed("describe_object", of);
      assert.ok(described.fields.some(({ name }: Answer["body"]) => name === field));
      const made = await succeed("create_record", { ...of, record: { [field]: "Ada" } });
      const id = made.recordId;
      const read = async () => (await succeed("get_record", { ...of, id })).record.fields[field];
      assert.equal(await read(), "Ada");
      const { operationId } = await succeed("update_record", { ...of, id, record: { [field]: "Grace" } });
      assert.equal(await read(), "Grace");
      assert.equal((await succeed("get_operation", { operationId })).operation.status, "success");
      if (actions.includes("search")) {
        const filters = [{ field, operator: "eq", value: "Grace" }];
        const { isError, content } = await agent.call("search_records", { ...of, filters });
        assert.ok(
          isError ? content.problem.status < 500 : content.records.length <= 1,
          JSON.stringify(content),
        );
      }
      await succeed("undo_operation", { operationId });
      assert.equal(await read(), "Ada");
      await succeed("delete_record", { ...of, id });
      const gone = await agent.call("get_record", { ...of, id });
      assert.match(gone.content.problem.type, /record-not-found$/);
    });
  }
});
