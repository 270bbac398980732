/** The endpoint of a project for coding agents: who gets in, what each tool answers, and who decides on deployments. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { manageUrl, openAgent, sendMessage, type AgentClient } from "../../../tests/harness/agent-client.ts";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer, type Customer } from "../../../tests/harness/connect-customer.ts";
import { registerJwtKey } from "../../../tests/harness/customer-tokens.ts";
import { addPerson } from "../../../tests/harness/people.ts";
import { secondProject } from "../../../tests/harness/second-project.ts";
import { until } from "../../../tests/harness/until.ts";

const manifest = (schedule = "*/30 * * * *", name = "crm") => `
specVersion: 1.0.0
integrations:
  - name: ${name}
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
          schedule: "${schedule}"
          requiredFields: [{ fieldName: email }]
    write:
      objects: [{ objectName: contacts, inheritMapping: true }]
`;

/** In the order in which they were specified. */
const TOOLS = [
  "search_docs",
  "list_providers",
  "describe_provider",
  "validate_manifest",
  "deploy_manifest",
  "list_integrations",
  "list_customers",
  "list_operations",
  "get_operation",
  "list_deliveries",
  "explain_failure",
  "check_description",
  "simulate_provider",
];

const QUILL = `
displayName: Quill CRM
authType: apiKey
baseURL: https://api.quill.example
apiKeyOpts:
  attachmentType: header
  header: { name: Authorization, valuePrefix: "Bearer " }
connector:
  defaults: { records: results }
  objects:
    people:
      list: { path: /v3/people, pageSize: { to: query.per_page, most: 200 } }

      paging: { cursor: { from: meta.next, to: query.after } }
      changedPath: updated_at
      since: { to: query.changed_since }
      modes: [read, create]
      create: { method: POST, path: /v3/people }
  errors: { message: [error.text] }
  sources: { documentation: "https://docs.quill.example", checked: "2026-11-27, documentation only" }
`;

interface Step {
  severity: string;
  message: { msg: string; error?: string };
}

const busbar = await shareTestBusbar();

describe("the endpoint of a project for coding agents", () => {
  let customer: Customer;
  let agent: AgentClient;
  let credential: string;
  before(async () => {
    customer = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: manifest(),
      integration: "crm",
    });
    credential = await keyWith({ scopes: ["full"] });
    agent = await openAgent(busbar, { url: manageUrl(busbar), credential });
  });
  const keyWith = async (body: object): Promise<string> => {
    const made = await busbar.inProject("POST", "/api-keys", { label: "agent", ...body });
    assert.equal(made.status, 201, made.text);
    return made.body.key;
  };
  const succeed = async (tool: string, args: Record<string, unknown> = {}, by = agent) => {
    const { isError, content } = await by.call(tool, args);
    assert.equal(isError, false, JSON.stringify(content));
    return content;
  };
  const refused = async (tool: string, args: Record<string, unknown> = {}, by = agent) => {
    const { isError, content } = await by.call(tool, args);
    assert.equal(isError, true, JSON.stringify(content));
    return content;
  };
  const readRevision = async (): Promise<number> =>
    (await succeed("list_integrations")).integrations.find((one: { name: string }) => one.name === "crm")
      .latestRevision.number;

  test("both revisions of the published client list its tools in order", async () => {
    for (const revision of ["2026-07-28", "2025-11-25"] as const) {
      const client = await openAgent(busbar, { url: manageUrl(busbar), credential, revision });
      assert.deepEqual(await client.tools(), TOOLS);
      await client.close();
    }
  });

  test("lets in full keys and people, and nobody else", async () => {
    const list = (headers: Record<string, string | undefined>, project?: string) =>
      sendMessage(busbar, "tools/list", {}, { url: manageUrl(busbar, project), headers });
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    for (const scopes of [["read", "write", "proxy"], ["read-only"], ["frontend"]]) {
      const { status, headers } = await list(bearer(await keyWith({ scopes })));
      assert.equal(status, 403, scopes.join());
      assert.match(headers.get("www-authenticate") ?? "", /error="insufficient_scope", scope="full"/);
    }
    const signer = await registerJwtKey(busbar);
    assert.equal((await list(bearer(await signer.sign()))).status, 403);
    const nobody = await list({ authorization: undefined });
    assert.equal(nobody.status, 401);
    const [, address = ""] =
      /resource_metadata="([^"]+)"/.exec(nobody.headers.get("www-authenticate") ?? "") ?? [];
    const { resource, scopes_supported: scopes } = (await (await fetch(address)).json()) as Record<
      string,
      unknown
    >;
    assert.deepEqual([resource, scopes], [manageUrl(busbar), ["full"]]);
    const viewer = await addPerson(busbar, "viewer");
    assert.equal((await list(viewer.headers)).status, 200);
    const second = await secondProject(busbar);
    const { key } = (await second.call("POST", "/v1/projects/second/api-keys", { label: "other" })).body;
    assert.equal((await list(bearer(key))).status, 403);
    assert.equal((await list(bearer(key), "second")).status, 200);
  });

  test("finds sections of the guide, providers, and what is known of one", async () => {
    const { sections } = await succeed("search_docs", { query: "webhook signature" });
    assert.ok(sections.length > 0);
    assert.equal((await fetch(sections[0].url)).status, 200);
    const { providers } = await succeed("list_providers", { query: "hubspot" });
    assert.deepEqual(
      providers.map(({ provider }: { provider: string }) => provider),
      ["hubspot"],
    );
    assert.ok(providers[0].actions.includes("subscribe"));
    const described = await succeed("describe_provider", { provider: "pipedrive" });
    assert.equal(described.provider.name, "pipedrive");
    assert.ok(described.objects.read.length > 0);
    const unknown = await refused("describe_provider", { provider: "hubspt" });
    assert.match(unknown.problem.detail, /hubspot/);
  });

  test("checks a manifest by line, and says what deploying would change", async () => {
    const faulty = await succeed("validate_manifest", { manifest: manifest("every day") });
    assert.equal(faulty.valid, false);
    assert.ok(faulty.issues[0].line > 0 && faulty.issues[0].remedy, JSON.stringify(faulty.issues));
    const before = await readRevision();
    const valid = await succeed("validate_manifest", { manifest: manifest("0 * * * *") });
    assert.deepEqual([valid.valid, valid.changes[0].change], [true, "changed"]);
    assert.equal(await readRevision(), before);
  });

  test("deploys after somebody else has approved, exactly what was shown", async () => {
    const before = await readRevision();
    const asked = await succeed("deploy_manifest", { manifest: manifest("0 1 * * *") });
    assert.equal(asked.status, "approval_required");
    const { approvalId } = asked.approval;
    const again = await succeed("deploy_manifest", { manifest: manifest("0 1 * * *") });
    assert.equal(again.approval.approvalId, approvalId);
    const approval = (await busbar.inProject("GET", `/approvals/${approvalId}`)).body;
    assert.deepEqual(
      [approval.tool, approval.groupRef, approval.status],
      ["deploy_manifest", undefined, "pending"],
    );
    assert.match(JSON.stringify(approval.after), /0 1 \* \* \*/);
    const decide = (headers = {}) =>
      busbar.call(
        "POST",
        `/v1/projects/default/approvals/${approvalId}:decide`,
        { decision: "approve" },
        headers,
      );
    assert.equal((await decide({ "x-api-key": credential })).status, 403);
    assert.equal(await readRevision(), before);
    assert.equal((await decide()).status, 200);
    const ended = await until(async () => {
      const { body } = await busbar.inProject("GET", `/approvals/${approvalId}`);
      return body.status !== "approved" && body;
    });
    assert.equal(ended.status, "executed", ended.reason);
    assert.equal(await readRevision(), before + 1);
  });

  test("an approved manifest is not deployed over changes that nobody was shown", async () => {
    const asked = await succeed("deploy_manifest", { manifest: manifest("0 2 * * *") });
    const { approvalId } = asked.approval;
    await busbar.inProject("PUT", "/integrations:batch", { sourceYaml: manifest("0 3 * * *") });
    const before = await readRevision();
    await busbar.inProject("POST", `/approvals/${approvalId}:decide`, { decision: "approve" });
    const ended = await until(async () => {
      const { body } = await busbar.inProject("GET", `/approvals/${approvalId}`);
      return body.status !== "approved" && body;
    });
    assert.equal(ended.status, "stale");
    assert.equal(await readRevision(), before);
  });

  test("a key that may deploy needs nobody, a viewer may not, and a pause stops deploying only", async () => {
    const mayDeploy = await openAgent(busbar, {
      url: manageUrl(busbar),
      credential: await keyWith({ agentMayDeploy: true }),
    });
    const deployed = await succeed("deploy_manifest", { manifest: manifest("0 4 * * *") }, mayDeploy);
    assert.deepEqual([deployed.status, deployed.integrations[0].name], ["success", "crm"]);
    const viewer = await addPerson(busbar, "viewer");
    const token = viewer.headers["authorization"]?.replace("Bearer ", "") ?? "";
    const looking = await openAgent(busbar, { url: manageUrl(busbar), credential: token });
    assert.equal((await refused("deploy_manifest", { manifest: manifest() }, looking)).status, "forbidden");
    // As a dry run of the API, which needs the role support.
    const checked = await refused("validate_manifest", { manifest: manifest() }, looking);
    assert.equal(checked.problem.status, 403);
    const supporter = await addPerson(busbar, "support");
    const helping = await openAgent(busbar, {
      url: manageUrl(busbar),
      credential: supporter.headers["authorization"]?.replace("Bearer ", "") ?? "",
    });
    assert.equal((await succeed("validate_manifest", { manifest: manifest() }, helping)).valid, true);
    await busbar.inProject("PUT", "/agent-policy", { paused: true });
    assert.equal((await refused("deploy_manifest", { manifest: manifest() }, mayDeploy)).status, "forbidden");
    await succeed("list_integrations");
    await busbar.inProject("PUT", "/agent-policy", {});
  });

  test("explains why a write failed, with the provider's words", async () => {
    const answer = await customer.write("contacts", { type: "create", record: { email: "no address" } });
    const { operationId } = answer.body;
    const { status, explanation, steps, guide } = await succeed("explain_failure", { operationId });
    assert.equal(status, "failure");
    assert.match(explanation, /email/i);
    assert.match(explanation, /What to do: Read the provider's reasons/);
    assert.match(guide[0].url, /\/docs\/problems\/provider-refused$/);
    const texts = steps.map(
      ({ severity, message }: Step) => `${severity} ${message.msg} ${message.error ?? ""}`,
    );
    assert.match(texts.at(-1) ?? "", /^(ERROR|WARNING) /);
    const { operations } = await succeed("list_operations", { status: "failure" });
    assert.equal(operations[0].id, operationId);
    assert.ok((await succeed("get_operation", { operationId })).log.length > 0);
    const missing = await refused("explain_failure", { operationId: "nothing" });
    assert.equal(missing.problem.status, 404);
    const { customers } = await succeed("list_customers", { query: "acme" });
    assert.equal(customers[0].groupRef, "acme");
    assert.ok(Array.isArray((await succeed("list_deliveries")).deliveries));
  });

  test("explains what an operation that has not ended has met so far", async () => {
    const created = await customer.succeed("contacts", {
      type: "create",
      record: { email: "w@example.com" },
    });
    busbar.sandbox.addFault({ provider: "hubspot", status: 503, body: "gone fishing", count: 20 });
    const { body } = await customer.write("contacts", {
      type: "update",
      record: { id: created.result.recordId, email: "later@example.com" },
      mode: "asynchronous",
      retryPolicy: { deadlineHours: 48 },
    });
    const explained = await until(async () => {
      const content = await succeed("explain_failure", { operationId: body.operationId });
      return content.steps.length > 0 && content;
    });
    busbar.sandbox.clearFaults();
    assert.equal(explained.status, "in_progress");
    assert.match(explained.explanation, /It has not ended\..* The last trouble: Attempt \d+ failed/);
  });

  test("checks the file of a provider, and shows what its connector sends and reads", async () => {
    assert.deepEqual(await succeed("check_description", { description: QUILL }), {
      valid: true,
      faults: [],
      warnings: [],
    });
    const wrong = await succeed("check_description", { description: QUILL.replace("pageSize", "pagesize") });
    assert.equal(wrong.valid, false);
    assert.match(JSON.stringify(wrong.faults), /pagesize/);
    assert.equal((await succeed("check_description", { description: "{" })).valid, false);
    const shown = await succeed("simulate_provider", {
      description: QUILL,
      answer: { results: [{ id: 7, name: "Ada", updated_at: "2026-01-02T03:04:05Z" }], meta: { next: "n2" } },
      record: { name: "Grace" },
    });
    assert.deepEqual(shown.records, [
      {
        id: "7",
        fields: { id: 7, name: "Ada", updated_at: "2026-01-02T03:04:05Z" },
        changeTime: "2026-01-02T03:04:05.000Z",
      },
    ]);
    assert.equal(shown.goesOn, true);
    const sent = shown.requests.map(
      ({ action, method, path }: Record<string, string>) => `${action}: ${method} ${path}`,
    );
    assert.ok(
      sent.some((line: string) => /^read next page: GET \/v3\/people\?.*after=n2/.test(line)),
      sent.join(),
    );
    assert.ok(
      sent.some((line: string) => /^read changes: GET \/v3\/people\?.*changed_since=/.test(line)),
      sent.join(),
    );
    assert.deepEqual(shown.requests.at(-1).body, { name: "Grace" });
    const other = await refused("simulate_provider", { description: QUILL, object: "peple" });
    assert.match(JSON.stringify(other.problem), /people/);
    const html = await succeed("simulate_provider", { description: QUILL, answer: "<html>" });
    assert.ok(html.refusal, JSON.stringify(html));
  });
});
