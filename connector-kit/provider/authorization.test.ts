/** Credentials reach the provider in the form its facts say, and in no other. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { PROVIDER_TABLE } from "../../connectors/provider-table.ts";
import { buildAuthorization, CredentialsError, withDefaults } from "./authorization.ts";
import { authorizeRequest } from "./authorize-request.ts";
import { completeProvider } from "./define-provider.ts";
import type { ProviderInfo } from "../provider-info.ts";

function info(key: string, changes: Partial<ProviderInfo> = {}): ProviderInfo {
  const facts = PROVIDER_TABLE[key];
  assert.ok(facts);
  return { ...completeProvider(key, facts), ...changes };
}

const basicText = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

test("an access token goes as bearer unless the facts name another header", () => {
  const token = { type: "oauth2", accessToken: "t0k3n" } as const;
  assert.deepEqual(buildAuthorization(info("hubspot"), token).headers, [["Authorization", "Bearer t0k3n"]]);
  assert.deepEqual(buildAuthorization(info("shopify"), token).headers, [["X-Shopify-Access-Token", "t0k3n"]]);
});

test("an API key goes into its header with its prefix, or into the query", () => {
  const key = { type: "apiKey", key: "k&y" } as const;
  assert.deepEqual(buildAuthorization(info("stripe"), key).headers, [["Authorization", "Bearer k&y"]]);
  assert.deepEqual(buildAuthorization(info("monday"), key).headers, [["Authorization", "k&y"]]);
  assert.deepEqual(buildAuthorization(info("hunter"), key), {
    headers: [],
    query: [["api_key", "k&y"]],
    defaults: [],
  });
});

test("a password goes as basic, and a key as the half of basic that the facts name", () => {
  const mixpanel = buildAuthorization(info("mixpanel"), { type: "basic", username: "ü", password: "p:w" });
  assert.deepEqual(mixpanel.headers, [["Authorization", basicText("ü:p:w")]]);
  const key = { type: "apiKey", key: "$&" } as const;
  assert.deepEqual(buildAuthorization(info("freshdesk"), key).headers, [
    ["Authorization", basicText("$&:X")],
  ]);
  assert.deepEqual(buildAuthorization(info("ashby"), key).headers, [["Authorization", basicText("$&:")]]);
  assert.deepEqual(buildAuthorization(info("mailgun"), key).headers, [
    ["Authorization", basicText("api:$&")],
  ]);
});

test("custom credentials fill the header templates", () => {
  const custom = buildAuthorization(info("devrev"), { type: "custom", values: { token: "abc" } });
  assert.deepEqual(custom.headers, [["Authorization", "Bearer abc"]]);
  assert.throws(
    () => buildAuthorization(info("devrev"), { type: "custom", values: {} }),
    /no value for "token"/,
  );
});

test("a credential that would begin a second header is refused, without showing it", () => {
  for (const accessToken of ["a\r\nX-Evil: 1", "a\nb", "a\u0000", "a€"]) {
    assert.throws(
      () => buildAuthorization(info("hubspot"), { type: "oauth2", accessToken }),
      (error) => error instanceof CredentialsError && !error.message.includes(accessToken),
    );
  }
});

test("credentials of another kind than the provider's are refused", () => {
  assert.throws(() => buildAuthorization(info("hubspot"), { type: "apiKey", key: "k" }), CredentialsError);
  assert.throws(
    () => buildAuthorization(info("stripe"), { type: "oauth2", accessToken: "t" }),
    CredentialsError,
  );
  assert.throws(() => buildAuthorization(info("mixpanel"), { type: "apiKey", key: "k" }), CredentialsError);
  assert.deepEqual(buildAuthorization(info("apollo"), { type: "none" }), {
    headers: [],
    query: [],
    defaults: [],
  });
});

test("fixed headers are added where a request has none of that name, and wait for values that are not known yet", () => {
  const key = { type: "apiKey", key: "k" } as const;
  const copper = buildAuthorization(info("copper"), key, { userEmail: "ada@acme.example" });
  assert.deepEqual(withDefaults(copper, {}), {
    accept: "application/json",
    "x-pw-accesstoken": "k",
    "x-pw-application": "developer_api",
    "x-pw-useremail": "ada@acme.example",
  });
  assert.equal(withDefaults(copper, { "X-PW-Application": "mine" })["x-pw-application"], "mine");
  assert.deepEqual(buildAuthorization(info("copper"), key).defaults, [["X-PW-Application", "developer_api"]]);
  assert.throws(
    () => buildAuthorization(info("copper"), key, { userEmail: "a\r\nX-Evil: 1" }),
    CredentialsError,
  );
});

test("an access key signs for the region of the connection, and is sent nowhere", () => {
  const key = { type: "basic", username: "AKIDEXAMPLE", password: "s/cr+t" } as const;
  const added = buildAuthorization(info("aws"), key, { region: "eu-central-1" });
  assert.deepEqual(added, {
    headers: [],
    query: [],
    defaults: [],
    signer: {
      service: "identitystore",
      region: "eu-central-1",
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "s/cr+t",
    },
  });
});

test("a region that would lead to another service of AWS is refused, and so is half an access key", () => {
  const key = { type: "basic", username: "AKIDEXAMPLE", password: "s" } as const;
  for (const region of [
    "s3",
    "s3-eu-west-1",
    "a.s3",
    "eu-west-1.evil",
    "EU-WEST-1",
    "eu-west-1/x",
    "us-east-1\n",
  ])
    assert.throws(() => buildAuthorization(info("aws"), key, { region }), /is no region of AWS/);
  for (const region of [
    "us-gov-west-1",
    "ap-southeast-2",
    "us-isob-east-1",
    "eusc-de-east-1",
    "mx-central-1",
  ])
    assert.equal(buildAuthorization(info("aws"), key, { region }).signer?.region, region);
  for (const change of [{ username: "" }, { password: "" }, { username: "A/b" }, { password: "s\n" }]) {
    const refused = () => buildAuthorization(info("aws"), { ...key, ...change }, { region: "eu-west-1" });
    assert.throws(refused, CredentialsError);
  }
});

test("a signed request keeps its host, whatever its path is", async () => {
  const key = { type: "basic", username: "AKIDEXAMPLE", password: "s" } as const;
  const added = buildAuthorization(info("aws"), key, { region: "eu-west-1" });
  const url = new URL("https://identitystore.eu-west-1.amazonaws.com//evil.example//x?b=a+b");
  const sent = await authorizeRequest(added, { url, method: "GET", headers: { Authorization: "evil" } });
  assert.equal(sent.url.href, "https://identitystore.eu-west-1.amazonaws.com//evil.example//x?b=a%20b");
  assert.match(sent.headers["authorization"] ?? "", /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/);
});
