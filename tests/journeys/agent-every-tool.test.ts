/** The published client calls every tool that is listed: on both sandboxes, and on declarative connectors. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { RunningVendor } from "../../simulations/vendor/start-vendor.ts";
import { openAgent, type AgentClient } from "../harness/agent-client.ts";
import { openTestBusbar, type Answer, type TestBusbar } from "../harness/busbar.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { openTestVendor } from "../harness/test-vendor.ts";

interface Case {
  provider: string;
  object: string;
  /** Takes a text. */
  field: string;
  /** Names a record for an upsert. */
  key: string;
  keyValue: string;
  /** Path in the API. */
  path: string;
}

const DECLARATIVE: Case[] = [
  {
    provider: "pipedrive",
    object: "persons",
    field: "name",
    key: "name",
    keyValue: "Keyed",
    path: "/v2/persons",
  },
  {
    provider: "microsoft",
    object: "me/contacts",
    field: "displayName",
    key: "displayName",
    keyValue: "Keyed",
    path: "/v1.0/me/contacts",
  },
];

const SANDBOXES: Case[] = [
  {
    provider: "hubspot",
    object: "contacts",
    field: "lastname",
    key: "email",
    keyValue: "keyed@example.com",
    path: "/crm/v3/objects/contacts",
  },
  {
    provider: "salesforce",
    object: "contact",
    field: "LastName",
    key: "External_Id__c",
    keyValue: "K-1",
    path: "/services/data/v60.0/sobjects",
  },
];

const toIntegration = ({ provider, object, field }: Case): string => `
  - name: ${provider}
    provider: ${provider}
    read:
      objects:
        - { objectName: ${object}, destination: hook, requiredFields: [{ fieldName: ${field} }] }
    write:
      objects: [{ objectName: ${object}, inheritMapping: true }]
    proxy: { enabled: true }`;

const toManifest = (cases: Case[]): string => `
specVersion: 1.0.0
integrations:
${cases.map(toIntegration).join("")}
`;

const withDeletion = (object: string) => ({
  write: { objects: { [object]: { objectName: object, deletionSettings: { enabled: true } } } },
});

describe("an agent at every kind of provider", () => {
  let busbar: TestBusbar;
  let agent: AgentClient;
  const vendors: RunningVendor[] = [];
  after(async () => {
    await busbar?.stop();
    for (const vendor of vendors) await vendor.close();
  });
  before(async () => {
    const providers: Record<string, { baseURL: string }> = {};
    for (const { provider } of DECLARATIVE) {
      const vendor = await openTestVendor(provider);
      vendors.push(vendor);
      providers[provider] = { baseURL: vendor.url };
    }
    busbar = await openTestBusbar({ providers });
    await addWebhook(busbar, "hook", "https://example.com/hook");
    const deployed = await busbar.inProject("PUT", "/integrations:batch", {
      sourceYaml: toManifest(DECLARATIVE),
    });
    assert.equal(deployed.status, 200, deployed.text);
    for (const { provider, object } of DECLARATIVE) {
      await busbar.inProject("POST", "/connections:generate", {
        provider,
        groupRef: "acme",
        consumerRef: "ada",
        oauth2AuthorizationCode: { accessToken: { token: "t-1" } },
      });
      const path = `/integrations/${provider}/installations?skipSampling=true`;
      const config = { content: { provider, ...withDeletion(object) } };
      const installed = await busbar.inProject("POST", path, { groupRef: "acme", config });
      assert.equal(installed.status, 201, installed.text);
    }
    busbar.sandbox.hubspot.setLimits("off");
    for (const one of SANDBOXES) {
      const provider = one.provider === "hubspot" ? "hubspot" : "salesforce";
      const manifest = toManifest([one]);
      const content = withDeletion(one.object);
      await connectCustomer(busbar, { provider, manifest, integration: provider, content });
    }
    agent = await openAgent(busbar);
  });
  const setPolicy = async (policy: object): Promise<void> => {
    const answer = await busbar.inProject("PUT", "/agent-policy", policy);
    assert.equal(answer.status, 200, answer.text);
  };
  const called = new Set<string>();
  const call = (tool: string, args: Record<string, unknown>) => {
    called.add(tool);
    return agent.call(tool, args);
  };
  const succeed = async (tool: string, args: Record<string, unknown>): Promise<Answer["body"]> => {
    const { isError, content } = await call(tool, args);
    assert.equal(isError, false, `${tool}: ${JSON.stringify(content)}`);
    return content;
  };

  for (const { provider, object, field, key, keyValue, path } of [...SANDBOXES, ...DECLARATIVE]) {
    test(`${provider}: every tool that is listed works, or says why not`, async () => {
      called.clear();
      await setPolicy({ default: { write: "allow", delete: "allow" } });
      const of = { integration: provider, object };
      const all = await succeed("list_integrations", {});
      assert.ok(all.integrations.some((one: Answer["body"]) => one.integration === provider));
      const found = await succeed("find_objects", { integration: provider });
      const { actions } = found.objects.find((one: Answer["body"]) => one.object === object);
      const described = await succeed("describe_object", of);
      const [taken] = described.fields.filter(({ name }: Answer["body"]) => name === field);
      assert.equal(taken?.writable, true, JSON.stringify(described));
      const made = await succeed("create_record", { ...of, record: { [field]: "Ada" } });
      const id = made.recordId;
      const read = async () => (await succeed("get_record", { ...of, id })).record.fields[field];
      assert.equal(await read(), "Ada");
      const { operationId } = await succeed("update_record", { ...of, id, record: { [field]: "Grace" } });
      assert.equal(await read(), "Grace");
      assert.equal((await succeed("get_operation", { operationId })).operation.status, "success");
      if (actions.includes("search")) {
        const filters = [{ field, operator: "eq", value: "Grace" }];
        const { isError, content } = await call("search_records", { ...of, filters });
        assert.ok(
          isError ? content.problem.status < 500 : content.records.length <= 1,
          JSON.stringify(content),
        );
      }
      await succeed("undo_operation", { operationId });
      assert.equal(await read(), "Ada");
      await succeed("delete_record", { ...of, id });
      const gone = await call("get_record", { ...of, id });
      assert.match(gone.content.problem.type, /record-not-found$/);
      const keyed = await call("upsert_record", {
        ...of,
        key,
        record: { [key]: keyValue, [field]: "Keyed" },
      });
      assert.equal(actions.includes("upsert"), !keyed.isError, `${actions}`);
      // Few of the declarative providers can.
      if (keyed.isError) assert.match(keyed.content.problem.detail, /upsert/i, JSON.stringify(keyed));
      else assert.equal(keyed.content.status, "success");
      assert.equal(
        keyed.isError,
        DECLARATIVE.some((one) => one.provider === provider),
      );
      const answered = await succeed("call_api", { integration: provider, method: "GET", path });
      assert.ok(answered.status < 500 && typeof answered.body === "string", JSON.stringify(answered));
      const app = { provider, clientId: "app", clientSecret: "secret", scopes: ["read"] };
      const stored = await busbar.inProject("POST", "/provider-apps", app);
      assert.equal(stored.status, 200, stored.text);
      const { connectUrl } = await succeed("connect_account", { integration: provider });
      assert.match(connectUrl, /^http:\/\//);
      await setPolicy({});
      const asked = await succeed("create_record", { ...of, record: { [field]: "Asked" } });
      const { approvalId } = asked.approval;
      assert.equal((await succeed("get_approval", { approvalId })).status, "pending");
      assert.deepEqual([...called].toSorted(), (await agent.tools()).toSorted());
    });
  }

  test("a field that nothing describes may be written, as the API takes it, unless only named fields are sent", async () => {
    const requests = { create: { method: "POST", path: "/notes" }, list: { path: "/notes" }, records: "" };
    const document = {
      displayName: "Plain",
      authType: "none",
      baseURL: busbar.sandbox.url,
      connector: {
        defaults: { ...requests, paging: { none: true }, modes: ["read", "create"] },
        objects: { notes: {} },
        errors: { message: ["error"] },
        sources: { documentation: "https://plain.example", checked: "2026-11-28, made up" },
      },
    };
    const stored = await busbar.inProject("PUT", "/providers/x-plain", document);
    assert.ok(stored.status < 300, stored.text);
    const one = { provider: "x-plain", object: "notes", field: "text", key: "text", keyValue: "", path: "/" };
    await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: toManifest([one]) });
    const of = { provider: "x-plain", groupRef: "acme", consumerRef: "ada" };
    const connected = await busbar.inProject("POST", "/connections:generate", of);
    assert.equal(connected.status, 201, connected.text);
    const config = {
      content: { provider: "x-plain", write: { objects: { notes: { objectName: "notes" } } } },
    };
    const body = { groupRef: "acme", config };
    const installed = await busbar.inProject(
      "POST",
      "/integrations/x-plain/installations?skipSampling=true",
      body,
    );
    assert.equal(installed.status, 201, installed.text);
    const isWritable = async () => {
      const { fields } = await succeed("describe_object", { integration: "x-plain", object: "notes" });
      return fields.map(({ name, writable }: Answer["body"]) => [name, writable]);
    };
    assert.deepEqual(await isWritable(), [["text", true]]);
    const only = { updateMask: ["dropUnmappedFields"], project: { dropUnmappedFields: true } };
    assert.equal((await busbar.inProject("PATCH", "", only)).status, 200);
    assert.deepEqual(await isWritable(), [["text", false]]);
  });
});
