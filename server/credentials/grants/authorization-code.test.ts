/** URLs of consent pages built from the catalog, and metadata read from token responses. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildCatalog } from "../../../connectors/catalog.ts";
import type { ProviderInfo } from "../../../connector-kit/provider-info.ts";
import { buildConsentUrl, buildCodeGrant, takesPkce } from "./authorization-code.ts";
import { readAccountFacts, normalizeMetadata } from "../stored/provider-metadata.ts";

const catalog = buildCatalog();

function provider(key: string, change: Partial<NonNullable<ProviderInfo["oauth2Opts"]>> = {}): ProviderInfo {
  const info = catalog.find(key);
  if (!info?.oauth2Opts) throw new Error(`no OAuth provider ${key}`);
  return { ...info, oauth2Opts: { ...info.oauth2Opts, ...change } };
}

const url = (info: ProviderInfo, entered: Record<string, string> = {}, scopes: string[] = []) =>
  buildConsentUrl({
    provider: info,
    providerMetadata: normalizeMetadata(
      info,
      Object.fromEntries(Object.entries(entered).map(([name, value]) => [name, { value, source: "input" }])),
    ),
    allowPlainHttp: () => false,
    clientId: "client",
    scopes,
    redirectUri: "https://busbar.example/callbacks/v1/oauth",
    state: "state",
    codeVerifier: takesPkce(info) ? "verifier" : undefined,
  });

describe("the URL of the consent page", () => {
  test("a pasted Salesforce address becomes the workspace; without one the common sign-in page is used", () => {
    const salesforce = provider("salesforce");
    assert.equal(
      url(salesforce, { workspace: "https://acme.lightning.force.com/" }).host,
      "acme.my.salesforce.com",
    );
    assert.equal(url(salesforce).host, "login.salesforce.com");
    assert.equal(url(salesforce).searchParams.get("prompt"), "login");
  });

  test("a workspace can never lead to another host", () => {
    for (const workspace of ["evil.com/", "evil.com#", "a@evil.com", "evil.com?x=", "evil.com\\"]) {
      assert.notEqual(safeHost(workspace), "evil.com", workspace);
    }
  });

  test("PKCE is used exactly where the catalog says so", () => {
    assert.ok(url(provider("hubspot")).searchParams.has("code_challenge"));
    assert.ok(url(provider("salesforce")).searchParams.has("code_challenge"));
    assert.equal(url(provider("linkedIn")).searchParams.has("code_challenge"), false);
  });

  /** Shopify's own library has `SCOPE_DELIMITER = ","` (@shopify/shopify-api 12.2.0); Linear, Slack and Instagram: NangoHQ/nango 2f4c0af, providers.yaml. */
  test("scopes are separated as the provider wants it", () => {
    const scopes = (key: string, entered = {}) =>
      url(provider(key), entered, ["read_orders", "write_orders"]).searchParams.get("scope");
    assert.equal(scopes("shopify", { workspace: "acme" }), "read_orders,write_orders");
    for (const key of ["linear", "slack", "instagram"]) assert.equal(scopes(key), "read_orders,write_orders");
    assert.equal(scopes("hubspot"), "read_orders write_orders");
  });

  /** dropbox.tech/developers/using-oauth-2-0-with-offline-access; developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps; @auth/core 0.34.3, providers/notion. */
  test("parameters without which a provider gives no refresh token, or no consent, are sent", () => {
    const sent = (key: string, name: string, entered = {}) =>
      url(provider(key), entered).searchParams.get(name);
    assert.equal(sent("dropbox", "token_access_type"), "offline");
    assert.equal(sent("atlassian", "audience", { workspace: "acme" }), "api.atlassian.com");
    assert.equal(sent("atlassian", "prompt", { workspace: "acme" }), "consent");
    assert.equal(sent("notion", "owner"), "user");
  });

  test("short scope names are mapped, others stay as they are; the audience is sent", () => {
    const info = provider("lever", { scopeMappings: { read: "https://api.example/{{.workspace}}/read" } });
    const made = url(info, { workspace: "acme" }, ["read", "offline_access"]);
    assert.equal(made.searchParams.get("scope"), "https://api.example/acme/read offline_access");
    assert.equal(made.searchParams.get("audience"), "https://api.lever.co/v1/");
  });
});

describe("metadata from a token response", () => {
  test("Salesforce: the workspace is read from instance_url, even if the customer entered another", () => {
    const known = { workspace: { value: "old", source: "input" as const } };
    const answer = {
      instance_url: "https://acme--uat.sandbox.my.salesforce.com",
      id: "https://login/id/1/2",
    };
    const facts = readAccountFacts(provider("salesforce"), answer, known);
    assert.deepEqual(facts.providerMetadata["workspace"], { value: "acme--uat.sandbox", source: "token" });
    assert.equal(facts.providerWorkspaceRef, "acme--uat.sandbox");
    assert.equal(facts.providerConsumerRef, "https://login/id/1/2");
  });

  test("named fields are found at their paths and cut by their patterns", () => {
    const info = provider("hubspot", {
      tokenMetadataFields: {
        workspaceRefField: "data.org.id",
        otherFields: [
          { name: "host", path: "api", capture: "^https://(?<result>[^/]+)", displayName: "Host" },
        ],
      },
    });
    const facts = readAccountFacts(info, { data: { org: { id: 42 } }, api: "https://eu.example/v1" }, {});
    assert.equal(facts.providerWorkspaceRef, "42");
    assert.deepEqual(facts.providerMetadata, {
      host: { value: "eu.example", source: "token", displayName: "Host" },
    });
  });
});

function safeHost(workspace: string): string {
  try {
    return url(provider("salesforce"), { workspace }).hostname;
  } catch {
    return "refused";
  }
}

/** shopify.dev/docs/apps/build/security/credentials-and-data/use-expiring-offline-access-tokens, of 2026-11-28: public apps must from 2027-01-01. */
test("the token request has the parameters without which a provider gives a token that it soon refuses", () => {
  assert.equal(buildCodeGrant(provider("shopify"), "code", "https://a.example", undefined)["expiring"], "1");
  assert.deepEqual(buildCodeGrant(provider("asana"), "code", "https://a.example", "v"), {
    grant_type: "authorization_code",
    code: "code",
    redirect_uri: "https://a.example",
    code_verifier: "v",
  });
});
