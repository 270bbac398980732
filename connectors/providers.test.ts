/** The facts of every provider are complete, unambiguous and lead nowhere but to that provider. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONNECTORS } from "./connectors.gen.ts";
import { PROVIDERS } from "./providers.gen.ts";
import { addresses, checkProvider } from "../connector-kit/check-provider.ts";
import { completeProvider } from "../connector-kit/define-provider.ts";
import { baseUrl, placeholders } from "../connector-kit/template.ts";

const providers = Object.entries(PROVIDERS).map(([key, facts]) => completeProvider(key, facts));

test("the providers most asked for are there", () => {
  assert.ok(providers.length >= 65);
  for (const key of ["hubspot", "salesforce", "gong", "slack", "zendeskSupport", "stripe"])
    assert.ok(PROVIDERS[key]);
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
    ]);
    for (const [member, address] of addresses(info)) {
      assert.match(address, /^(https:\/\/|\{\{)/, member);
      assert.doesNotMatch(address, /\/$/, `${member} ends in a slash`);
      for (const name of placeholders(address)) assert.ok(known.has(name), `${member} needs ${name}`);
    }
    for (const suffix of info.hostSuffixes ?? []) assert.match(suffix, /^\.?[a-z0-9-]+(\.[a-z0-9-]+)+$/);
    for (const input of info.metadata?.input ?? []) {
      assert.ok(input.displayName && input.prompt, `${input.name} is explained to the customer`);
      for (const suffix of input.pastedSuffixes ?? []) assert.match(suffix, /^\.[a-z0-9.-]+$/);
    }
  });

  test(`a connection of ${info.name} knows its values before it needs them`, () => {
    const asked = new Set((info.metadata?.input ?? []).map(({ name }) => name));
    for (const address of [info.oauth2Opts?.authURL, info.oauth2Opts?.tokenURL]) {
      for (const name of placeholders(address ?? "")) assert.ok(asked.has(name), name);
    }
  });
}

test("the modules of Zoho have hosts by default, and others only of Zoho's", () => {
  const zoho = providers.find(({ name }) => name === "zoho");
  assert.ok(zoho);
  const host = (moduleKey: string, values: Record<string, string> = {}) =>
    baseUrl(zoho, { values, moduleKey }).host;
  assert.equal(host("desk"), "desk.zoho.com");
  assert.equal(host("desk", { zoho_desk_domain: "desk.zoho.in" }), "desk.zoho.in");
  assert.equal(host("mail"), "mail.zoho.com");
  assert.equal(host("servicedeskplus"), "sdpondemand.manageengine.com");
  assert.throws(() => host("desk", { zoho_desk_domain: "desk.zoho.example" }), /not a host of zoho/);
});

test("display names are unique", () => {
  const names = providers.map(({ displayName }) => displayName);
  assert.equal(new Set(names).size, names.length);
});

test("code is only for providers with facts", () => {
  for (const key of Object.keys(CONNECTORS)) assert.ok(PROVIDERS[key], key);
});
