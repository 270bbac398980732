/** Account metadata that is requested from the provider after connecting, through a real Busbar. */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../../tests/harness/busbar.ts";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { until } from "../../../tests/harness/until.ts";
import { createLog } from "../../../ground/log.ts";
import { openDatabase } from "../../store/database/open-database.ts";
import { findNextQuotaReset } from "../../../connector-kit/calls/daily-quota-reset.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: hs
    provider: hubspot
    proxy: { enabled: true }
    write: { objects: [{ objectName: contacts, inheritMapping: true }] }
`;

describe("account metadata from the provider", () => {
  let busbar: TestBusbar;
  after(() => busbar.stop());
  before(async () => {
    busbar = await openTestBusbar();
  });
  test("a connection has its HubSpot account id and time zone, and a used-up daily quota resets at midnight there", async () => {
    const content = { write: { objects: { contacts: { objectName: "contacts" } } } };
    const { connectionId, installationId } = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "hs",
      groupRef: "acme",
      content,
    });
    const { body } = await busbar.inProject("GET", `/connections/${connectionId}`);
    assert.deepEqual(body.providerMetadata["timeZone"], {
      value: "US/Eastern",
      source: "provider",
      displayName: "Time zone",
    });
    assert.equal(body.providerMetadata["portalId"].value, "4100410");

    const before = findNextQuotaReset(new Date(), "US/Eastern");
    busbar.sandbox.addFault({ preset: "hubspot.rate_limit_daily" });
    const proxied = await fetch(`${busbar.server.urls.proxy}/crm/v3/objects/contacts`, {
      headers: {
        "x-api-key": busbar.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": busbar.projectId,
        "x-amp-installation-id": installationId,
        "x-amp-rate-limiter-mode": "throttle",
      },
    });
    assert.equal(proxied.status, 429, await proxied.text());
    const reported = Date.parse(proxied.headers.get("x-amp-retry-after")?.replace("UTC", "GMT") ?? "");
    const expected = [before, findNextQuotaReset(new Date(), "US/Eastern")].map((date) => date.getTime());
    assert.ok(
      expected.some((time) => Math.abs(time - reported) <= 1_000),
      new Date(reported).toISOString(),
    );
  });

  test("missing metadata of an older connection is requested at the next refresh", async () => {
    const { connectionId } = await connectCustomer(busbar, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "hs",
      groupRef: "older",
      content: { write: { objects: { contacts: { objectName: "contacts" } } } },
    });
    const app = { provider: "hubspot", clientId: "c", clientSecret: "s", scopes: ["oauth"] };
    assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
    const database = await openDatabase({
      connectionString: busbar.connectionString,
      log: createLog("silent"),
    });
    await database.pool.query("update connections set provider_metadata = '{}' where id = $1", [
      connectionId,
    ]);
    await database.close();
    const path = `/connections/${connectionId}`;
    const refreshed = await busbar.inProject("GET", `${path}?refresh=force`);
    assert.equal(refreshed.status, 200, refreshed.text);
    await until(async () => (await busbar.inProject("GET", path)).body.providerMetadata["timeZone"]?.value);
  });

  test("a connection is created even if the provider refuses to give metadata", async () => {
    busbar.sandbox.addFault({
      provider: "hubspot",
      path: "/account-info/2026-03/details",
      status: 403,
      body: {},
    });
    const made = await busbar.inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef: "silent",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: busbar.sandbox.hubspot.staticToken } },
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.providerMetadata, {});
  });
});

describe("metadata that the base URL needs", () => {
  let busbar: TestBusbar;
  let server: Server;
  after(async () => {
    await busbar.stop();
    await new Promise((resolve) => server.close(resolve));
  });
  before(async () => {
    const sites = [
      { id: "site-1", url: "https://acme.atlassian.net" },
      { id: "site-2", url: "https://globex.atlassian.net" },
    ];
    const accounts = [
      { account_id: "a1", is_default: false, base_uri: "https://na1.docusign.net" },
      { account_id: "a2", is_default: true, base_uri: "https://eu.docusign.net" },
    ];
    server = createServer((request, response) => {
      const answer = request.url === "/sites" ? sites : { accounts };
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    busbar = await openTestBusbar({
      providers: {
        atlassian: { accountInfo: { url: `${url}/sites` } },
        docusign: { accountInfo: { url: `${url}/userinfo` } },
      },
    });
  });
  const connect = (provider: string, groupRef: string, providerWorkspaceRef?: string) =>
    busbar.inProject("POST", "/connections:generate", {
      provider,
      groupRef,
      consumerRef: "ada",
      providerWorkspaceRef,
      oauth2AuthorizationCode: { accessToken: { token: "t" } },
    });
  const readValue = (answer: { body: any }, name: string) => answer.body.providerMetadata[name]?.value; // oxlint-disable-line typescript/no-explicit-any

  test("of several accounts the named one is connected, and none if the named one is not among them", async () => {
    const named = await connect("atlassian", "globex", "https://globex.atlassian.net/jira");
    assert.equal(named.status, 201, named.text);
    assert.equal(readValue(named, "cloudId"), "site-2");
    const unknown = await connect("atlassian", "other", "initech");
    assert.equal(unknown.status, 400, unknown.text);
    assert.match(unknown.body.detail, /cloudId/);
  });

  test("metadata that the provider gives need not be entered", async () => {
    const made = await connect("docusign", "acme");
    assert.equal(made.status, 201, made.text);
    assert.equal(readValue(made, "server"), "eu");
    assert.equal(made.body.providerWorkspaceRef, "a2");
  });
});
