/** The transport of agents' endpoints: revisions, headers, who is let in and how others are refused. */
import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { describe, test } from "node:test";
import { openAgent, buildAgentUrl, sendMessage } from "../../tests/harness/agent-client.ts";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { registerJwtKey } from "../../tests/harness/customer-tokens.ts";
import { secondProject } from "../../tests/harness/second-project.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          mapToName: person
          destination: hook
          requiredFields: [{ fieldName: email }]
    write:
      objects: [{ objectName: contacts, inheritMapping: true }]
    proxy: { enabled: true }
`;
const READING = [
  "list_integrations",
  "find_objects",
  "describe_object",
  "search_records",
  "get_record",
  "get_operation",
  "get_approval",
];

const busbar = await shareTestBusbar();

const signer = await registerJwtKey(busbar);
for (const groupRef of ["acme", "globex"]) {
  await connectCustomer(busbar, {
    provider: "hubspot",
    manifest: MANIFEST,
    integration: "crm",
    groupRef,
  });
}

describe("an agent endpoint", () => {
  const keyWith = async (...scopes: string[]): Promise<string> => {
    const made = await busbar.inProject("POST", "/api-keys", { label: scopes.join(), scopes });
    assert.equal(made.status, 201, made.text);
    return made.body.key;
  };
  const bearer = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } });
  const list = (changes: Parameters<typeof sendMessage>[3] = {}) =>
    sendMessage(busbar, "tools/list", {}, changes);
  const callTool = (name: string, changes: Parameters<typeof sendMessage>[3] = {}) =>
    sendMessage(busbar, "tools/call", { name, arguments: {} }, changes);

  for (const revision of ["2026-07-28", "2025-11-25"] as const) {
    test(`the published client of revision ${revision} lists the tools in order and calls one`, async () => {
      const agent = await openAgent(busbar, { revision });
      const names = await agent.tools();
      assert.deepEqual(
        names.filter((name) => READING.includes(name)),
        READING,
      );
      const { isError, content } = await agent.call("list_integrations");
      assert.equal(isError, false, JSON.stringify(content));
      const [crm] = content.integrations;
      assert.deepEqual([content.integrations.length, crm.integration, crm.provider], [1, "crm", "hubspot"]);
      assert.deepEqual([crm.healthStatus, crm.healthReasons], ["healthy", []]);
      await agent.close();
    });
  }

  test("a list says how long it may be kept, and that it is this caller's own", async () => {
    const { status, body, headers } = await list();
    assert.equal(status, 200);
    assert.equal(body.result.resultType, "complete");
    assert.deepEqual([body.result.ttlMs, body.result.cacheScope], [60_000, "private"]);
    assert.equal(headers.get("cache-control"), "no-store");
    for (const { inputSchema, outputSchema, annotations } of body.result.tools) {
      assert.equal(inputSchema.additionalProperties, false);
      assert.ok(outputSchema.properties.problem && annotations.title);
    }
  });

  test("headers that contradict the message are refused", async () => {
    for (const headers of [
      { "mcp-method": "tools/list" },
      { "mcp-name": "find_objects" },
      { "mcp-method": undefined },
    ]) {
      const { status, body } = await callTool("list_integrations", { headers });
      assert.deepEqual([status, body.error.code], [400, -32_020], JSON.stringify(headers));
    }
    const { status } = await list({ headers: { "mcp-protocol-version": "2099-01-01" } });
    assert.equal(status, 400);
  });

  test("without a credential the refusal leads to the metadata, which is the same for every group", async () => {
    const { status, headers } = await list({ headers: { authorization: undefined } });
    assert.equal(status, 401);
    const [, address = ""] = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "") ?? [];
    const metadata = async (url: string) => (await fetch(url)).json();
    const { resource, ...rest } = (await metadata(address)) as { resource: string };
    assert.equal(resource, buildAgentUrl(busbar));
    const { resource: _other, ...unknown } = (await metadata(
      address.replace(/acme$/, "nobody"),
    )) as typeof rest & { resource: string };
    assert.deepEqual(unknown, rest);
    assert.deepEqual(rest, {
      resource_name: "Busbar: a customer's accounts for agents",
      scopes_supported: ["read", "write", "proxy"],
      bearer_methods_supported: ["header"],
      resource_documentation: `${new URL(buildAgentUrl(busbar)).origin}/docs`,
    });
  });

  test("a credential in the address is refused, a valid one in the header notwithstanding", async () => {
    for (const query of [`access_token=${busbar.apiKey}`, `api_key=${busbar.apiKey}`, "x=1"]) {
      assert.equal((await list({ url: `${buildAgentUrl(busbar)}?${query}` })).status, 400);
    }
  });

  test("an API key is taken in either header, two credentials are not, and cookies are none", async () => {
    const withKey = { authorization: undefined, "x-api-key": busbar.apiKey };
    assert.equal((await list({ headers: withKey })).status, 200);
    assert.equal((await list({ headers: { "x-api-key": busbar.apiKey } })).status, 400);
    const signedIn = await busbar.call("POST", "/v1/sessions", { apiKey: busbar.apiKey });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0];
    assert.equal((await list({ headers: { authorization: undefined, cookie } })).status, 401);
    for (const wrong of ["bb_wrong", "nonsense", "a.b.c"]) {
      const { status, headers } = await list(bearer(wrong));
      assert.equal(status, 401);
      assert.match(headers.get("www-authenticate") ?? "", /error="invalid_token"/);
    }
  });

  test("a tool beyond the credential's scope is not listed, and a call of it names the scope", async () => {
    const reading = await keyWith("read");
    const writing = await keyWith("write");
    const names = async (credential: string): Promise<string[]> =>
      (await list(bearer(credential))).body.result.tools.map(({ name }: { name: string }) => name);
    assert.deepEqual(await names(reading), READING);
    assert.ok(!(await names(writing)).includes("search_records"));
    const refused = await callTool("search_records", bearer(writing));
    assert.equal(refused.status, 403);
    assert.match(
      refused.headers.get("www-authenticate") ?? "",
      /error="insufficient_scope", scope="read", resource_metadata="http/,
    );
    const nothing = await list(bearer(await keyWith("frontend")));
    assert.equal(nothing.status, 403);
    assert.match(nothing.headers.get("www-authenticate") ?? "", /insufficient_scope/);
  });

  test("a customer's token is good for its own group alone, also for one that has connected nothing", async () => {
    const token = await signer.sign({ groupRef: "acme" });
    assert.equal((await list(bearer(token))).status, 200);
    const globex = buildAgentUrl(busbar, { groupRef: "globex" });
    assert.equal((await list({ ...bearer(token), url: globex })).status, 403);
    const newcomer = await openAgent(busbar, {
      groupRef: "new/comer:call",
      credential: await signer.sign({ groupRef: "new/comer:call" }),
    });
    const { content } = await newcomer.call("list_integrations");
    assert.deepEqual(content.integrations, []);
    const expired = await signer.sign({ iat: 1, exp: 2 });
    assert.equal((await list(bearer(expired))).status, 401);
  });

  test("a group never seen is 404 for keys, and a credential of another project is refused", async () => {
    assert.equal((await list({ url: buildAgentUrl(busbar, { groupRef: "nobody" }) })).status, 404);
    const other = await secondProject(busbar);
    const { key } = (await other.call("POST", "/v1/projects/second/api-keys", { label: "other" })).body;
    assert.equal((await list(bearer(key))).status, 403);
    const second = buildAgentUrl(busbar, { project: "second" });
    assert.equal((await list({ url: second })).status, 403);
    assert.equal((await list({ ...bearer(await signer.sign()), url: second })).status, 403);
    // The same for a project that does not exist.
    assert.equal((await list({ url: buildAgentUrl(busbar, { project: "missing" }) })).status, 403);
  });

  test("a page of another site cannot call, neither by its origin nor by a name that leads here", async () => {
    const { status } = await list({ headers: { origin: "https://evil.example" } });
    assert.equal(status, 403);
    assert.equal((await list({ headers: { origin: "http://localhost:6274" } })).status, 200);
    const userInfo = { headers: { origin: "http://evil.example@localhost" } };
    assert.equal((await list(userInfo)).status, 403, "no browser sends an origin with a user");
    const callAs = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const url = new URL(buildAgentUrl(busbar));
        const headers = {
          host,
          authorization: `Bearer ${busbar.apiKey}`,
          "content-type": "application/json",
        };
        httpRequest(url, { method: "POST", headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
          .on("error", reject)
          .end("{}");
      });
    // RFC 9110, section 7.2: a host and a port, nothing else.
    for (const host of ["evil.example", "evil.example@127.0.0.1", "127.0.0.1/.evil.example", "localhost?"])
      assert.equal(await callAs(host), 403, host);
    assert.equal(await callAs("localhost:4000"), 400, "only its body is wrong");
  });

  test("bodies are bounded, and must be one message in JSON", async () => {
    const large = await list({ body: JSON.stringify({ text: "x".repeat(1_100_000) }) });
    assert.equal(large.status, 413);
    assert.equal((await list({ body: "{" })).status, 400);
    assert.equal((await list({ body: "[]" })).status, 400);
    assert.equal((await list({ body: Buffer.from([0x22, 0xff, 0x22]) })).status, 400);
    assert.equal((await list({ headers: { "content-type": "text/plain" } })).status, 415);
    const got = await list({ method: "GET" });
    assert.deepEqual([got.status, got.headers.get("allow")], [405, "POST"]);
  });

  test("an unknown tool is a protocol error that names the nearest one", async () => {
    const { body } = await callTool("serch_records");
    assert.equal(body.error.code, -32_602);
    assert.match(body.error.message, /search_records/);
  });
});
