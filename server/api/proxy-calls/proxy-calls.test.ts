/** Proxied calls can be looked up by whoever owns the installation, and by nobody else. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { until } from "../../../tests/harness/until.ts";
import { newId } from "../../ground/ids.ts";
import { createLog } from "../../ground/log.ts";
import { openDatabase } from "../../store/database.ts";
import { insertProxyUsage } from "../../store/proxy-usage.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: hub
    provider: hubspot
    proxy: {enabled: true}
`;

describe("the list of proxied calls", () => {
  let on: TestBusbar;
  let path: string;
  let installationId: string;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
    const customer = {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "hub",
      groupRef: "acme",
    } as const;
    ({ installationId } = await connectCustomer(on, customer));
    const [{ id: integrationId }] = (await on.inProject("GET", "/integrations")).body;
    path = `/integrations/${integrationId}/installations/${installationId}/proxy-calls`;
  });

  const callThroughProxy = async (target: string, body?: string): Promise<void> => {
    const response = await fetch(`${on.busbar.urls.proxy}${target}`, {
      method: body ? "POST" : "GET",
      body,
      headers: {
        "content-type": "application/json",
        "x-api-key": on.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": on.projectId,
        "x-amp-installation-id": installationId,
      },
    });
    await response.arrayBuffer();
  };

  test("tells what was called and what came of it, without the query", async () => {
    await callThroughProxy("/crm/v3/objects/contacts", '{"properties": {"email": "ada@example.com"}}');
    await callThroughProxy("/crm/v3/objects/contacts/nobody?secret=1");
    const results = await until(async () => {
      const { body } = await on.inProject("GET", path);
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
      const { results, pagination } = (await on.inProject("GET", `${path}?pageSize=1${pageToken}`)).body;
      seen.push(...results.map(({ id }: { id: string }) => id));
      pageToken = pagination.done ? "" : `&pageToken=${pagination.nextPageToken}`;
    } while (pageToken);
    assert.equal(new Set(seen).size, 2);
    assert.equal((await on.inProject("GET", `${path}?pageToken=x`)).status, 400);
  });

  test("does not show the calls of another project's installation", async () => {
    const database = await openDatabase({ connectionString: on.connectionString, log: createLog("silent") });
    const foreign = { projectId: newId(), installationId: newId() };
    const call = { method: "GET", path: "/", status: 200, durationMs: 1, bytesUp: 0, bytesDown: 0 };
    await insertProxyUsage(database.queries, [{ ...foreign, ...call, timeMs: 0 }]);
    await database.close();
    const answer = await on.inProject("GET", path.replace(installationId, foreign.installationId));
    assert.equal(answer.status, 404, answer.text);
  });
});
