/** The facts of every provider are complete, unambiguous and lead nowhere but to that provider. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONNECTORS } from "./connectors.gen.ts";
import { PROVIDER_TABLE } from "./provider-table.ts";
import { listAddresses, checkProvider } from "../connector-kit/provider/check-provider.ts";
import { completeProvider } from "../connector-kit/provider/define-provider.ts";
import { fillBaseUrl, listPlaceholders, fillTokenUrl } from "../connector-kit/provider/template.ts";

const providers = Object.entries(PROVIDER_TABLE).map(([key, facts]) => completeProvider(key, facts));

test("the catalog has every provider of the public one, Mailchimp, Resend and PandaDoc", () => {
  assert.equal(providers.length, 241);
  for (const key of ["hubspot", "salesforce", "gong", "slack", "zendeskSupport", "stripe", "aws"])
    assert.ok(PROVIDER_TABLE[key], key);
});

for (const info of providers) {
  test(`the facts of ${info.name} are sound`, () => {
    assert.deepEqual(checkProvider(info, "provider").faults, []);
    assert.match(info.name, /^[a-z][A-Za-z0-9]*$/);
    assert.ok(info.displayName && info.displayName !== "");

    const known = new Set([
      ...(info.metadata?.input ?? []).map(({ name }) => name),
      ...(info.metadata?.postAuthentication ?? []).map(({ name }) => name),
      ...(info.oauth2Opts?.tokenMetadataFields.otherFields ?? []).map(({ name }) => name),
      ...(info.oauth2Opts?.callbackFields ?? []).map(({ name }) => name),
      ...(info.customOpts?.connectSteps ?? []).flatMap(({ redirect, request }) =>
        Object.keys((redirect ?? request)?.metadata ?? {}),
      ),
    ]);
    for (const { valueTemplate } of info.fixedHeaders ?? [])
      for (const name of listPlaceholders(valueTemplate))
        assert.ok(known.has(name), `a header needs ${name}`);
    for (const [member, address] of listAddresses(info)) {
      assert.match(address, /^(https:\/\/|\{\{)/, member);
      // Paths follow all others; these are called as they are, and a redirect is not followed.
      if (!["oauth2Opts.authURL", "oauth2Opts.tokenURL"].includes(member))
        assert.doesNotMatch(address, /\/$/, `${member} ends in a slash`);
      for (const name of listPlaceholders(address)) assert.ok(known.has(name), `${member} needs ${name}`);
    }
    for (const suffix of info.hostSuffixes ?? []) assert.match(suffix, /^(\*|\.?[a-z0-9-]+(\.[a-z0-9-]+)+)$/);
    for (const input of info.metadata?.input ?? []) {
      assert.ok(input.displayName && input.prompt, `${input.name} is explained to the customer`);
      for (const suffix of input.pastedSuffixes ?? []) assert.match(suffix, /^\.[a-z0-9.-]+$/);
    }
  });

  test(`a connection of ${info.name} knows its values before it needs them`, () => {
    const asked = new Set((info.metadata?.input ?? []).map(({ name }) => name));
    for (const address of [info.oauth2Opts?.authURL, info.oauth2Opts?.tokenURL]) {
      for (const name of listPlaceholders(address ?? "")) assert.ok(asked.has(name), name);
    }
  });
}

// Iterable/api-client 981eeb5, 2026-07-09, tests/unit/client.test.ts, has both hosts.
test("a project of Iterable is in the United States unless the customer says Europe", () => {
  const iterable = providers.find(({ name }) => name === "iterable");
  assert.ok(iterable);
  const host = (values: Record<string, string>) => fillBaseUrl(iterable, { values }).host;
  assert.equal(host({}), "api.iterable.com");
  assert.equal(host({ subdomain: "api.eu" }), "api.eu.iterable.com");
  assert.equal(host({ subdomain: "https://api.eu.iterable.com/" }), "api.eu.iterable.com");
});

/**
 * Insightly's introduction (read 2026-11-28): the API is at `https://api.{pod}.insightly.com/v3.1/`, and "User Settings" shows the address
 * below the key. Without a pod every resource is 404 (tried by others on 2026-09-05; airbytehq/airbyte#86909 of 2026-09-22 on other pods).
 */
test("an account of Insightly is reached at its own pod", () => {
  const insightly = providers.find(({ name }) => name === "insightly");
  assert.ok(insightly);
  const host = (values: Record<string, string>) => fillBaseUrl(insightly, { values }).host;
  assert.equal(host({ subdomain: "api.eu1" }), "api.eu1.insightly.com");
  assert.equal(host({ subdomain: "https://api.au1.insightly.com/v3.1/" }), "api.au1.insightly.com");
  assert.equal(host({}), "api.na1.insightly.com");
});

test("the modules of Zoho have hosts by default, and others only of Zoho's", () => {
  const zoho = providers.find(({ name }) => name === "zoho");
  assert.ok(zoho);
  const host = (moduleKey: string, values: Record<string, string> = {}) =>
    fillBaseUrl(zoho, { values, moduleKey }).host;
  assert.equal(host("desk"), "desk.zoho.com");
  assert.equal(host("desk", { zoho_desk_domain: "desk.zoho.in" }), "desk.zoho.in");
  assert.equal(host("mail"), "mail.zoho.com");
  assert.equal(host("servicedeskplus"), "sdpondemand.manageengine.com");
  assert.throws(() => host("desk", { zoho_desk_domain: "desk.zoho.example" }), /not a host of zoho/);
});

/**
 * okta/okta-management-openapi-spec fdda229 (2026-06-29), `servers`: "a provided subdomain of an official okta domain (okta.com, oktapreview.com,
 * etc)"; the others: Okta's own ConfigurationValidator in okta-commons-java.
 */
test("an Okta organisation in another cell is asked at its own domain, which never becomes a name below okta.com", () => {
  const okta = completeProvider("okta", PROVIDER_TABLE["okta"] ?? assert.fail());
  for (const domain of ["oktapreview.com", "okta-emea.com", "okta-gov.com", "okta.mil"]) {
    const values = { workspace: `acme.${domain}` };
    assert.equal(fillBaseUrl(okta, { values }).host, `acme.${domain}`);
    assert.equal(fillTokenUrl(okta, { values }).href, `https://acme.${domain}/oauth2/v1/token`);
  }
  for (const workspace of ["acme", "acme.okta.com"])
    assert.equal(fillBaseUrl(okta, { values: { workspace } }).host, "acme.okta.com");
});

/**
 * Klaviyo: "Retired: after 2 years", `2024-*` in October 2026 (developers.klaviyo.com/.well-known/skills/klaviyo-migrate-oauth/references/revision-changes.md).
 * LinkedIn: at least a year, then 426; "202507 (Marketing July 2025) has been sunset", current 202607 (learn.microsoft.com/linkedin/marketing/versioning, read on 2026-08-13).
 */
test("versions that their vendors withdraw are asked for as they are for some time yet", () => {
  const sent = (key: string, header: string): string | undefined =>
    PROVIDER_TABLE[key]?.fixedHeaders?.find(({ name }) => name.toLowerCase() === header)?.valueTemplate;
  assert.equal(sent("klaviyo", "revision"), "2026-07-15");
  assert.equal(sent("linkedIn", "linkedin-version"), "202607");
});

/**
 * developer.deel.com/changelog/v1-27 (2023-08-29); Gorgias, Greenhouse: NangoHQ/nango 2f4c0af (2026-08-21), packages/providers/providers.yaml.
 * Close: developer.close.com/api/overview/oauth-authentication, "a POST request … to `https://api.close.com/oauth2/token/`".
 */
test("clients authenticate at token endpoints as their vendors document it, at the address that they document", () => {
  for (const key of ["deel", "deelSandbox", "gorgias", "greenhouse"])
    assert.equal(PROVIDER_TABLE[key]?.oauth2Opts?.tokenAuthStyle, "basic", key);
  assert.equal(PROVIDER_TABLE["close"]?.oauth2Opts?.tokenURL, "https://api.close.com/oauth2/token/");
});

test("display names are unique", () => {
  const names = providers.map(({ displayName }) => displayName);
  assert.equal(new Set(names).size, names.length);
});

test("code is only for providers with facts", () => {
  for (const key of Object.keys(CONNECTORS)) assert.ok(PROVIDER_TABLE[key], key);
});

test("a server of the customer's own gets the customer's secrets only", () => {
  const own = providers.filter(({ hostSuffixes }) => hostSuffixes?.includes("*"));
  assert.ok(own.length > 0);
  for (const { name, oauth2Opts } of own) assert.equal(oauth2Opts?.authURL, undefined, name);
  const forum = own.find(({ name }) => name === "discourse");
  assert.ok(forum);
  assert.equal(
    fillBaseUrl(forum, { values: { workspace: "forum.acme.example" } }).href,
    "https://forum.acme.example/",
  );
  assert.throws(
    () => fillBaseUrl(forum, { values: { workspace: "acme.example:22" } }),
    /not allowed in an address/,
  );
});
