/** Who may read and search, and at which addresses, through a real Busbar. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { describe, test } from "node:test";
import { connectCustomer } from "../../../tests/harness/connect-customer.ts";
import { shareTestBusbar, type Answer } from "../../../tests/harness/busbar.ts";

const MANIFEST = `
specVersion: 1.0.0
integrations:
  - name: crm
    provider: hubspot
    read:
      objects:
        - objectName: contacts
          destination: hook
`;

const busbar = await shareTestBusbar({ env: { BUSBAR_READ_HOST: "read.example.com" } });

await busbar.inProject("POST", "/destinations", { name: "hook", type: "log", metadata: {} });
const customer = {
  provider: "hubspot",
  manifest: MANIFEST,
  integration: "crm",
  groupRef: "acme",
} as const;
const { installationId } = await connectCustomer(busbar, customer);

describe("reading and searching", () => {
  type Send = (more?: {
    integration?: string;
    groupRef?: string;
    headers?: Record<string, string>;
  }) => Promise<Answer>;
  const at = (surface: string, integration = "crm") =>
    `/${surface}/v1/projects/default/integrations/${integration}`;
  const read: Send = ({ integration, groupRef = "acme", headers } = {}) =>
    busbar.call("POST", `${at("read", integration)}/objects/contacts`, { groupRef, mode: "async" }, headers);
  const search: Send = ({ integration, groupRef = "acme", headers } = {}) => {
    const body = { objectName: "contacts", fieldFilters: [] };
    return busbar.call("POST", `${at("search", integration)}?groupRef=${groupRef}`, body, headers);
  };
  const pause: Send = ({ integration, headers } = {}) =>
    busbar.call(
      "POST",
      `${at("read", integration)}/installations/${installationId}:pause`,
      undefined,
      headers,
    );

  test("need a credential, an integration, a customer of it and a body", async () => {
    for (const send of [read, search, pause]) {
      assert.equal((await send({ headers: { "x-api-key": "wrong" } })).status, 401);
      assert.equal((await send({ integration: "other" })).status, 404);
    }
    for (const send of [read, search]) assert.equal((await send({ groupRef: "stranger" })).status, 404);
    const nobody = `${at("read")}/installations/01a1fecd-d759-75de-a63c-a80eaf0833b4:unpause`;
    assert.equal((await busbar.call("POST", nobody)).status, 404);
    const wrongMode = { groupRef: "acme", mode: "sync" };
    assert.equal((await busbar.call("POST", `${at("read")}/objects/contacts`, wrongMode)).status, 400);
    const key = (await busbar.inProject("POST", "/api-keys", { label: "web", scopes: ["frontend"] })).body
      .key;
    assert.equal((await read({ headers: { "x-api-key": key } })).status, 403);
  });

  test("are refused to another project's key", async () => {
    const orgId = busbar.server.bootstrap?.orgId;
    await busbar.call("POST", "/v1/projects", { orgId, name: "other", appName: "Other" });
    const { key } = (await busbar.call("POST", "/v1/projects/other/api-keys", { label: "key" })).body;
    for (const send of [read, search, pause]) {
      assert.equal((await send({ headers: { "x-api-key": key } })).status, 403);
    }
  });

  test("answer at /v1 with the header, or at the host", async () => {
    const path = "/v1/projects/default/integrations/crm/objects/contacts";
    const body = { groupRef: "acme", mode: "async" };
    const byHeader = await busbar.call("POST", path, body, { "x-amp-request-type": "read" });
    assert.equal(byHeader.status, 201, byHeader.text);
    const searched = await busbar.call(
      "POST",
      "/v1/projects/default/integrations/crm?groupRef=acme",
      { objectName: "contacts", fieldFilters: [] },
      { "x-amp-request-type": "search" },
    );
    assert.equal(searched.body.results.length, 5, searched.text);
    assert.equal((await busbar.call("POST", path, body)).status, 404);
    assert.equal(await statusAtHost(`${new URL(busbar.server.urls.base).origin}${path}`, body), 201);
  });

  /** `fetch` lets nobody choose the host. */
  function statusAtHost(url: string, body: object): Promise<number | undefined> {
    const headers = {
      host: "read.example.com:443",
      "x-api-key": busbar.apiKey,
      "content-type": "application/json",
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", headers }, (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode));
      });
      sent.once("error", reject).end(JSON.stringify(body));
    });
  }
});
