/** Calls the operation of proxy calls, after a call through the proxy. */
import assert from "node:assert/strict";
import { until } from "../../../tests/harness/until.ts";
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["installations"],
  async run({ call, facts, busbar }) {
    const { installationId } = facts;
    const proxied = await fetch(`${busbar.server.urls.proxy}/crm/v3/objects/contacts?limit=1`, {
      headers: {
        "x-api-key": busbar.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": busbar.projectId,
        "x-amp-installation-id": installationId,
      },
    });
    assert.equal(proxied.status, 200, await proxied.text());
    const listed = () =>
      busbar.inProject("GET", `/integrations/crm/installations/${installationId}/proxy-calls`);
    await until(async () => (await listed()).body.results.length > 0);
    await call("callProvider", {
      path: { integrationId: "crm", installationId },
      body: { method: "GET", path: "/crm/v3/objects/contacts?limit=1" },
    });
    await call("listProjectProxyCalls", { query: { status: "2xx" } });
  },
};
