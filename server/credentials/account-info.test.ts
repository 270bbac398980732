/** What a provider tells about an account when it is connected, through a real Busbar. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openTestBusbar, type TestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { nextMidnight } from "../../connectors/kit/midnight.ts";

const MANIFEST = `specVersion: 1.0.0
integrations:
  - name: hs
    provider: hubspot
    proxy: { enabled: true }
    write: { objects: [{ objectName: contacts, inheritMapping: true }] }
`;

describe("what a provider tells about an account", () => {
  let on: TestBusbar;
  after(() => on.stop());
  before(async () => {
    on = await openTestBusbar();
  });
  test("a connection knows its HubSpot account and time zone, and a used-up day ends at midnight there", async () => {
    const content = { write: { objects: { contacts: { objectName: "contacts" } } } };
    const { connectionId, installationId } = await connectCustomer(on, {
      provider: "hubspot",
      manifest: MANIFEST,
      integration: "hs",
      groupRef: "acme",
      content,
    });
    const { body } = await on.inProject("GET", `/connections/${connectionId}`);
    assert.deepEqual(body.providerMetadata["timeZone"], {
      value: "US/Eastern",
      source: "provider",
      displayName: "Time zone",
    });
    assert.equal(body.providerMetadata["portalId"].value, "4100410");

    const before = nextMidnight(new Date(), "US/Eastern");
    on.sandbox.addFault({ preset: "hubspot.rate_limit_daily" });
    const proxied = await fetch(`${on.busbar.urls.proxy}/crm/v3/objects/contacts`, {
      headers: {
        "x-api-key": on.apiKey,
        "x-amp-proxy-version": "1",
        "x-amp-project-id": on.projectId,
        "x-amp-installation-id": installationId,
        "x-amp-rate-limiter-mode": "throttle",
      },
    });
    assert.equal(proxied.status, 429, await proxied.text());
    const told = Date.parse(proxied.headers.get("x-amp-retry-after")?.replace("UTC", "GMT") ?? "");
    const expected = [before, nextMidnight(new Date(), "US/Eastern")].map((date) => date.getTime());
    assert.ok(
      expected.some((time) => Math.abs(time - told) <= 1_000),
      new Date(told).toISOString(),
    );
  });

  test("a provider that tells nothing does not stop a connection", async () => {
    on.sandbox.addFault({ provider: "hubspot", path: "/account-info/v3/details", status: 403, body: {} });
    const made = await on.inProject("POST", "/connections:generate", {
      provider: "hubspot",
      groupRef: "silent",
      consumerRef: "ada",
      oauth2AuthorizationCode: { accessToken: { token: on.sandbox.hubspot.staticToken } },
    });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(made.body.providerMetadata, {});
  });
});
