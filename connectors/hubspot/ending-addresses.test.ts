/**
 * No request goes to an address that HubSpot has announced to switch off: `/oauth/v1` on 2027-02-16, `/crm/v4/associations` on 2027-03-30,
 * `/integrations/v1/me`, `/account-info/v3` and all of `/crm/v3` from September 2027 (HubSpot's changelog; HubSpot-public-api-spec-collection, 2026-03).
 */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { shareTestBusbar } from "../../tests/harness/busbar.ts";
import { connectCustomer } from "../../tests/harness/connect-customer.ts";
import { until } from "../../tests/harness/until.ts";
import { provider } from "./provider.ts";

const ENDING =
  /\/oauth\/v[13]\/|\/crm\/v[34]\/|\/crm-object-schemas\/v3|\/integrations\/v1\/|\/account-info\/v3\//;

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: sink
          requiredFields: [{fieldName: email}]
          associatedObjects: [companies]
`;

const busbar = await shareTestBusbar();
before(async () => {
  const sink = { name: "sink", type: "log", metadata: {} };
  assert.equal((await busbar.inProject("POST", "/destinations", sink)).status, 201);
});

test("the catalog names none of them", () => {
  const { oauth2Opts, accountInfo, authHealthCheck } = provider;
  for (const url of [oauth2Opts?.tokenURL, accountInfo?.url, authHealthCheck?.url])
    assert.doesNotMatch(url ?? "", ENDING);
});

test("connecting, refreshing and reading with associations call none of them", async () => {
  const app = { provider: "hubspot", clientId: "client", clientSecret: "secret", scopes: ["crm"] };
  assert.equal((await busbar.inProject("POST", "/provider-apps", app)).status, 200);
  const content = { read: { objects: { contacts: { objectName: "contacts" } } } };
  const customer = await connectCustomer(busbar, {
    provider: "hubspot",
    manifest: MANIFEST,
    integration: "crm",
    content,
  });
  const refreshed = await busbar.inProject("GET", `/connections/${customer.connectionId}?refresh=force`);
  assert.equal(refreshed.status, 200, refreshed.text);
  const read = await busbar.call("POST", `/read/v1/projects/default/integrations/crm/objects/contacts`, {
    groupRef: "acme",
    mode: "async",
  });
  assert.ok(read.status < 300, read.text);
  const paths = () => busbar.sandbox.requests({ provider: "hubspot" }).map(({ path }) => path);
  await until(() => paths().some((path) => path.includes("/associations/")));
  assert.deepEqual(
    paths().filter((path) => ENDING.test(path)),
    [],
  );
});
