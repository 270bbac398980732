/** Credentials reach the provider in the form its facts say, and in no other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PROVIDER_TABLE } from "../connectors/provider-table.ts";
import { authorization, CredentialsError, withDefaults } from "./authorization.ts";
import { completeProvider } from "./define-provider.ts";
import type { ProviderInfo } from "./provider-info.ts";

function info(key: string, changes: Partial<ProviderInfo> = {}): ProviderInfo {
  const facts = PROVIDER_TABLE[key];
  assert.ok(facts);
  return { ...completeProvider(key, facts), ...changes };
}

const basicText = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test("an access token goes as bearer unless the facts name another header", () => {
  const token = { type: "oauth2", accessToken: "t0k3n" } as const;
  assert.deepEqual(authorization(info("hubspot"), token).headers, [["Authorization", "Bearer t0k3n"]]);
  assert.deepEqual(authorization(info("shopify"), token).headers, [["X-Shopify-Access-Token", "t0k3n"]]);
});

test("an API key goes into its header with its prefix, or into the query", () => {
  const key = { type: "apiKey", key: "k&y" } as const;
  assert.deepEqual(authorization(info("stripe"), key).headers, [["Authorization", "Bearer k&y"]]);
  assert.deepEqual(authorization(info("monday"), key).headers, [["Authorization", "k&y"]]);
  assert.deepEqual(authorization(info("hunter"), key), {
    headers: [],
    query: [["api_key", "k&y"]],
    defaults: [],
  });
});

test("a password goes as basic, and a key as the half of basic that the facts name", () => {
  const mixpanel = authorization(info("mixpanel"), { type: "basic", username: "ü", password: "p:w" });
  assert.deepEqual(mixpanel.headers, [["Authorization", basicText("ü:p:w")]]);
  const key = { type: "apiKey", key: "$&" } as const;
  assert.deepEqual(authorization(info("freshdesk"), key).headers, [["Authorization", basicText("$&:X")]]);
  assert.deepEqual(authorization(info("ashby"), key).headers, [["Authorization", basicText("$&:")]]);
  assert.deepEqual(authorization(info("mailgun"), key).headers, [["Authorization", basicText("api:$&")]]);
});

test("custom credentials fill the header templates", () => {
  const custom = authorization(info("devrev"), { type: "custom", values: { token: "abc" } });
  assert.deepEqual(custom.headers, [["Authorization", "Bearer abc"]]);
  assert.throws(() => authorization(info("devrev"), { type: "custom", values: {} }), /no value for "token"/);
});

test("a credential that would begin a second header is refused, without showing it", () => {
  for (const accessToken of ["a\r\nX-Evil: 1", "a\nb", "a\u0000", "a€"]) {
    assert.throws(
      () => authorization(info("hubspot"), { type: "oauth2", accessToken }),
      (error) => error instanceof CredentialsError && !error.message.includes(accessToken),
    );
  }
});

test("credentials of another kind than the provider's are refused", () => {
  assert.throws(() => authorization(info("hubspot"), { type: "apiKey", key: "k" }), CredentialsError);
  assert.throws(() => authorization(info("stripe"), { type: "oauth2", accessToken: "t" }), CredentialsError);
  assert.throws(() => authorization(info("mixpanel"), { type: "apiKey", key: "k" }), CredentialsError);
  assert.deepEqual(authorization(info("stripe"), { type: "none" }), { headers: [], query: [], defaults: [] });
});

test("fixed headers are added where a request has none of that name, and wait for values that are not known yet", () => {
  const key = { type: "apiKey", key: "k" } as const;
  const copper = authorization(info("copper"), key, { userEmail: "ada@acme.example" });
  assert.deepEqual(withDefaults(copper, {}), {
    accept: "application/json",
    "x-pw-accesstoken": "k",
    "x-pw-application": "developer_api",
    "x-pw-useremail": "ada@acme.example",
  });
  assert.equal(withDefaults(copper, { "X-PW-Application": "mine" })["x-pw-application"], "mine");
  assert.deepEqual(authorization(info("copper"), key).defaults, [["X-PW-Application", "developer_api"]]);
  assert.throws(() => authorization(info("copper"), key, { userEmail: "a\r\nX-Evil: 1" }), CredentialsError);
});
