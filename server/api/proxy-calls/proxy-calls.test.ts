/** Proxied calls can be looked up by whoever owns the installation, and by nobody else. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { shareTestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { until } from "../../../tests/harness/until.ts";
import { newId } from "../../../ground/ids.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "../../store/database/open-database.ts";
import { insertProxyUsage } from "../../store/operations/proxy-usage.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hub
    provider: hubspot
    proxy: {enabled: true}
`;

const busbar = await shareTestBusbar();

const customer = {
  provider: "hubspot",
  manifest: MANIFEST,
  integration: "hub",
  groupRef: "acme",
} as const;
const { installationId } = await connectCustomer(busbar, customer);
const [{ id: integrationId }] = (await busbar.inProject("GET", "/integrations")).body;
const path: string = `/integrations/${integrationId}/installations/${installationId}/proxy-calls`;

describe("the list of proxied calls", () => {
  const callThroughProxy = async (target: string, body?: string): Promise<void> => {
    const response = await fetch(`${busbar.server.urls.proxy}${target}`, {
      method: body ? "POST" : "GET",
      body,
      headers: {
        "content-type": "application/json",
        "x-api-key": busbar.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": busbar.projectId,
        "x-amp-installation-id": installationId,
      },
    });
    await response.arrayBuffer();
  };

  test("tells what was called and what came of it, without the query", async () => {
    await callThroughProxy("/crm/v3/objects/contacts", '{"properties": {"email": "ada@example.com"}}');
    await callThroughProxy("/crm/v3/objects/contacts/nobody?secret=1");
    const results = await until(async () => {
      const { body } = await busbar.inProject("GET", path);
      return body.results.length === 2 ? body.results : undefined;
    });
    const [last, first] = results;
    assert.equal(first.method, "POST");
    assert.equal(first.status, 201);
    assert.equal(first.bytesUp, 44);
    assert.ok(first.bytesDown > 0);
    assert.equal(last.path, "/crm/v3/objects/contacts/nobody");
    assert.equal(last.status, 404);
    assert.ok(!JSON.stringify(results).includes("secret"));
  });

  test("comes in pages that show every call once", async () => {
    const seen: string[] = [];
    let pageToken = "";
    do {
      const { results, pagination } = (await busbar.inProject("GET", `${path}?pageSize=1${pageToken}`)).body;
      seen.push(...results.map(({ id }: { id: string }) => id));
      pageToken = pagination.done ? "" : `&pageToken=${pagination.nextPageToken}`;
    } while (pageToken);
    assert.equal(new Set(seen).size, 2);
    assert.equal((await busbar.inProject("GET", `${path}?pageToken=x`)).status, 400);
  });

  const listed = async (query: string) =>
    (await busbar.inProject("GET", `/proxy-calls?${query}`)).body.results;
  const callProvider = (body: object) =>
    busbar.inProject("POST", path.replace("/proxy-calls", ":call"), body);

  test("the API calls the provider as the proxy does, and the call is listed with its request id and key", async () => {
    const answer = await callProvider({
      method: "POST",
      path: "/crm/v3/objects/contacts",
      body: { properties: { email: "grace@example.com" } },
    });
    assert.deepEqual(
      [answer.status, answer.body.status, answer.body.truncated],
      [200, 201, false],
      answer.text,
    );
    assert.equal(JSON.parse(answer.body.body).properties.email, "grace@example.com");
    const missing = await callProvider({ method: "GET", path: "/crm/v3/objects/contacts/nobody" });
    assert.deepEqual([missing.status, missing.body.status], [200, 404], missing.text);
    assert.equal(missing.body.requestId, missing.headers.get("x-request-id"));
    const [row] = await until(async () => {
      const rows = await listed("path=nobody&status=4xx&refusedBy=provider&groupRef=acme");
      return rows.some((one: { requestId: string }) => one.requestId === missing.body.requestId) && rows;
    });
    assert.deepEqual([row.integrationName, row.groupRef, row.status], ["hub", "acme", 404]);
    assert.match(row.apiKeyId, /^[0-9a-f-]{36}$/);
  });

  test("a call that the proxy refuses is refused by the API, and listed as refused by Busbar", async () => {
    const climbing = await callProvider({ method: "GET", path: "/../x?a=%20" });
    assert.ok([200, 400].includes(climbing.status), climbing.text);
    const own = await callProvider({ method: "GET", path: "/x", headers: { Authorization: "Bearer x" } });
    assert.deepEqual([own.status, own.body.issues[0].name], [400, "headers.Authorization"], own.text);
    const off = { config: { content: { provider: "hubspot", proxy: { enabled: false } } } };
    const updateMask = ["config.content.proxy.enabled"];
    const patched = await busbar.inProject("PATCH", path.replace("/proxy-calls", ""), {
      updateMask,
      installation: off,
    });
    assert.equal(patched.status, 200, patched.text);
    const refused = await callProvider({ method: "GET", path: "/crm/v3/objects/contacts" });
    assert.equal(refused.status, 403, refused.text);
    const [row] = await until(async () => {
      const rows = await listed("refusedBy=busbar&status=403");
      return rows.length > 0 && rows;
    });
    assert.deepEqual([row.requestId, row.refusedBy], [refused.headers.get("x-request-id"), "busbar"]);
  });

  test("the list of the project has pages, windows and ids of the answers", async () => {
    const all = await listed("pageSize=200");
    const seen: string[] = [];
    let token = "";
    do {
      const page = (await busbar.inProject("GET", `/proxy-calls?pageSize=2${token}`)).body;
      seen.push(...page.results.map(({ id }: { id: string }) => id));
      token = page.pagination.done ? "" : `&pageToken=${page.pagination.nextPageToken}`;
    } while (token);
    assert.deepEqual(
      seen,
      all.map(({ id }: { id: string }) => id),
    );
    const times = all.map(({ time }: { time: string }) => time);
    assert.deepEqual(times, times.toSorted().toReversed());
    assert.deepEqual(await listed(`since=${times[0]}`), all.slice(0, 1));
    assert.deepEqual(await listed(`until=${times.at(-1)}`), []);
    assert.deepEqual(await listed(`after=${all[1].id}`), all.slice(0, 1));
    assert.ok(all.every(({ requestId }: { requestId?: string }) => requestId));
    assert.equal((await busbar.inProject("GET", "/proxy-calls?status=4x")).status, 400);
  });

  test("does not show the calls of another project's installation", async () => {
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      dataUrl: busbar.dataUrl,
      log: createLog("silent"),
    });
    const orgId = busbar.server.bootstrap?.orgId;
    const second = await busbar.call("POST", "/v1/projects", { name: "second", appName: "Second", orgId });
    const foreign = { projectId: second.body.id, installationId: newId() };
    await database.pool.query(
      `insert into removed_installations (id, project_id, integration_id, integration_name, group_id)
        select $1, $2, integration_id, 'hub', group_id from installations`,
      [foreign.installationId, foreign.projectId],
    );
    const call = { method: "GET", path: "/", status: 200, durationMs: 1, bytesUp: 0, bytesDown: 0 };
    await insertProxyUsage(database.data, [{ ...foreign, ...call, timeMs: 0 }]);
    await database.close();
    const answer = await busbar.inProject("GET", path.replace(installationId, foreign.installationId));
    assert.equal(answer.status, 404, answer.text);
  });
});
