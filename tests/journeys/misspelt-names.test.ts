/** A name that is nearly right is answered with the one that was meant, wherever a name is taken: by the API, the proxy and the command line. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { shareTestBusbar } from "../harness/busbar.ts";
import { runCli } from "../harness/command-line.ts";
import { connectCustomer } from "../harness/connect-customer.ts";
import { addWebhook } from "../harness/deliveries/routes.ts";
import { registerJwtKey } from "../harness/customer-tokens.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: crm-hubspot
    provider: hubspot
    read:
      objects:
        - { objectName: contacts, mapToName: person, destination: receiver, requiredFields: [{ fieldName: email }] }
    write: { objects: [{ objectName: contacts, inheritMapping: true }] }
    proxy: { enabled: true }
`;

const busbar = await shareTestBusbar();

describe("a misspelt name", () => {
  let installationId = "";
  before(async () => {
    await addWebhook(busbar, "receiver", "https://example.com/");
    await busbar.inProject("POST", "/topics", { name: "changes" });
    ({ installationId } = await connectCustomer(busbar, {
      provider: "hubspot",
      groupRef: "globex",
      integration: "crm-hubspot",
      manifest: MANIFEST,
      content: {
        read: { objects: { contacts: {} } },
        write: { objects: { contacts: {} } },
        proxy: { enabled: true },
      },
    }));
  });

  const READ = "/read/v1/projects/default/integrations";
  const create = { groupRef: "globex", type: "create", record: { email: "a@b.example" } };
  const cases: [meant: string, method: string, path: string, body?: object][] = [
    ["default", "GET", "/v1/projects/defualt"],
    ["/v1/projects", "GET", "/v1/project"],
    ["/v1/projects/default/integrations", "GET", "/v1/projects/default/integration"],
    ["crm-hubspot", "GET", "/v1/projects/default/integrations/crm-hubspt"],
    ["crm-hubspot", "POST", "/write/v1/projects/default/integrations/crm-hubspt/objects/person", create],
    ["crm-hubspot", "POST", `${READ}/crm-hubspt/objects/person`, { groupRef: "globex", mode: "async" }],
    [
      "crm-hubspot",
      "POST",
      "/search/v1/projects/default/integrations/crm-hubspt?groupRef=globex",
      { objectName: "person", fieldFilters: [] },
    ],
    ["globex", "GET", "/v1/projects/default/groups/globx"],
    [
      "globex",
      "POST",
      "/write/v1/projects/default/integrations/crm-hubspot/objects/person",
      { ...create, groupRef: "globx" },
    ],
    ["globex", "POST", `${READ}/crm-hubspot/objects/person`, { groupRef: "globx", mode: "async" }],
    [
      "globex",
      "POST",
      "/v1/projects/default/integrations/crm-hubspot/installations",
      { groupRef: "globx", config: { content: { provider: "hubspot" } } },
    ],
    ["person", "POST", "/write/v1/projects/default/integrations/crm-hubspot/objects/persn", create],
    ["person", "POST", `${READ}/crm-hubspot/objects/persn`, { groupRef: "globex", mode: "async" }],
    [
      "contacts",
      "GET",
      "/v1/projects/default/integrations/crm-hubspot/installations/INSTALLATION/records/contatcs/501",
    ],
    ["receiver", "GET", "/v1/projects/default/destinations/reciever"],
    ["receiver", "POST", "/v1/projects/default/destinations/reciever:test", {}],
    ["hubspot", "GET", "/v1/providers/hubspt"],
    [
      "hubspot",
      "POST",
      "/v1/projects/default/provider-apps",
      { provider: "hubspt", clientId: "a", clientSecret: "b" },
    ],
    [
      "hubspot",
      "POST",
      "/v1/oauth-connect",
      { projectIdOrName: "default", provider: "hubspt", groupRef: "a", consumerRef: "b" },
    ],
    [
      "hubspot",
      "POST",
      "/v1/projects/default/connections:generate",
      { provider: "hubspt", groupRef: "a", consumerRef: "b", apiKey: "c" },
    ],
    ["failure", "GET", "/v1/projects/default/operations?status=failur"],
    ["read.backfill.done", "GET", "/v1/projects/default/events?type=read.backfil.done"],
    [
      "read.backfill.done",
      "POST",
      "/v1/projects/default/topics",
      { name: "new", eventTypes: ["read.backfil.done"] },
    ],
    ["webhook", "POST", "/v1/projects/default/destinations", { name: "new", type: "webhok", metadata: {} }],
    [
      "update",
      "POST",
      "/write/v1/projects/default/integrations/crm-hubspot/objects/person",
      { ...create, type: "updat" },
    ],
  ];
  for (const [meant, method, path, body] of cases) {
    test(`${meant} is meant by ${method} ${path} ${body ? JSON.stringify(body) : ""}`, async () => {
      const answer = await busbar.call(method, path.replace("INSTALLATION", installationId), body);
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
      const { detail, issues = [] } = answer.body;
      const words = [detail, ...issues.map((issue: { remedy?: string }) => issue.remedy)].join("\n");
      assert.match(words, new RegExp(`Did you mean ["\`]?${meant}["\`]?\\?`));
    });
  }

  test("of an integration or a customer is also suggested by the proxy", async () => {
    const detail = async (integration: string, groupRef: string) =>
      (await busbar.proxied({ integration, groupRef }, "/crm/v3/objects/contacts")).body.detail;
    assert.match(await detail("crm-hubspt", "globex"), /Did you mean "crm-hubspot"\?/);
    assert.match(await detail("crm-hubspot", "globx"), /Did you mean "globex"\?/);
  });

  test("of a customer is never answered with another customer to a customer's token", async () => {
    const { sign } = await registerJwtKey(busbar);
    const authorization = `Bearer ${await sign({ groupRef: "globx" })}`;
    for (const [method, path, body] of [
      ["GET", "/v1/projects/default/groups/globx", undefined],
      [
        "POST",
        "/v1/projects/default/integrations/crm-hubspot/installations",
        { groupRef: "globx", config: { content: { provider: "hubspot" } } },
      ],
    ] as const) {
      const answer = await busbar.call(method, path, body, { "x-api-key": "", authorization });
      assert.ok(answer.status >= 400, answer.text);
      assert.doesNotMatch(answer.text, /globex/);
    }
  });

  const lines: [meant: string, line: string][] = [
    ["integrations", "list integartions"],
    ["destination", "get destinaton receiver"],
    ["receiver", "get destination reciever"],
    ["receiver", "test destination reciever"],
    ["changes", "get topic chnages"],
    ["changes", "create destination-route chnages receiver"],
    ["globex", "list operations --group globx"],
    ["crm-hubspot", "list operations --integration crm-hubspt"],
    ["receiver", "list deliveries --destination reciever"],
    ["crm-hubspot", "operations --integration crm-hubspt"],
    ["globex", "install crm-hubspot --group globx"],
    ["globex", "uninstall crm-hubspot --group globx --yes"],
    ["globex", "trace person 501 --group globx"],
    ["person", "trace persn 501 --group globex"],
    ["contacts", "trace contcts 501 --group globex"],
    ["crm-hubspot", "proxy GET /crm/v3/objects/contacts --integration crm-hubspt --group globex"],
    ["--integration", "operations --integraton crm-hubspot"],
  ];
  for (const [meant, line] of lines) {
    test(`${meant} is meant by busbar ${line}`, async () => {
      const env = {
        BUSBAR_URL: new URL(busbar.server.urls.base).origin,
        BUSBAR_API_KEY: busbar.apiKey,
        BUSBAR_PROXY_URL: busbar.server.urls.proxy,
        BUSBAR_PROJECT: busbar.projectId,
      };
      const { stdout, stderr } = await runCli(line.split(" "), { env });
      assert.match(stdout + stderr, new RegExp(`Did you mean (one of )?["\`]?${meant}["\`]?[?,]`));
    });
  }
});
