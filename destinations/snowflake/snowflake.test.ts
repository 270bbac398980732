/** The Snowflake destination: statements, and tokens signed with the user's key as Snowflake requires. */
import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { jwtVerify } from "jose";
import { SQL_NAME } from "../../destination-kit/rows.ts";
import {
  buildExchange,
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { snowflake } from "./snowflake.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
const locked = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "hush" });
const config = {
  accountIdentifier: "myorg-my_account",
  userId: "svc_crm",
  dbName: "ANALYTICS",
  schemaName: "PUBLIC",
  tableName: "MESSAGES",
};
const TAKEN = '{"code":"090001","message":"Statement executed successfully.","statementHandle":"s-1"}';

const SAMPLE = {
  config,
  secrets: { privateKey: pem },
  faulty: [
    { what: "no key", secrets: { privateKey: "hush" } },
    { what: "a key with a passphrase", secrets: { privateKey: String(locked) } },
    { what: "a plain endpoint", config: { ...config, endpointUrl: "http://example.com" } },
  ],
  taken: { status: 200, body: TAKEN },
};

testDestination(snowflake, SAMPLE);

const requestFor = async (changes: object = {}, messages = [sampleMessage({ id: "m1" })]) => {
  const network = testNetwork();
  network.timeoutMs = 20_000;
  network.answer = () => buildExchange(200, TAKEN);
  const sample = { ...SAMPLE, config: { ...config, ...changes } };
  const outcomes = await openSample(snowflake, sample, network).deliverAll?.(messages);
  assert.deepEqual(new Set(outcomes?.map(({ kind }) => kind)), new Set(["delivered"]));
  const [request] = network.requests;
  assert.ok(request);
  const bearer = request.headers["authorization"]?.slice("Bearer ".length) ?? "";
  return { request, bearer, body: JSON.parse(String(request.body)) };
};

test("rows are values of one statement, never part of its text", async () => {
  const hostile = JSON.stringify({ name: "'); drop table MESSAGES; -- ?" });
  const messages = [sampleMessage({ id: "m1" }), sampleDataMessage({ id: "m2", data: hostile })];
  const { request, body } = await requestFor({}, messages);
  assert.equal(String(request.url), "https://myorg-my-account.snowflakecomputing.com/api/v2/statements");
  assert.equal(
    body.statement,
    "insert into ANALYTICS.PUBLIC.MESSAGES (id, created_at, payload) " +
      "select column1, current_timestamp(), column2 from values (?, ?), (?, ?)",
  );
  assert.deepEqual(body.bindings, {
    1: { type: "TEXT", value: "m1" },
    2: { type: "TEXT", value: `{"notificationType":"connection.created","data":${sampleMessage().data}}` },
    3: { type: "TEXT", value: "m2" },
    4: { type: "TEXT", value: hostile },
  });
  // Below the timeout of the exchange.
  assert.equal(body.timeout, 18);
});

test("the token names account, user and the fingerprint of the public key, and is signed with its private key", async () => {
  const der = publicKey.export({ type: "spki", format: "der" });
  const fingerprint = createHash("sha256").update(der).digest("base64");
  for (const [accountIdentifier, account] of [
    ["myorg-my_account", "MYORG-MY_ACCOUNT"],
    ["xy12345.us-east-2.aws", "XY12345"],
    ["xy12345-abc.global", "XY12345"],
  ]) {
    const { bearer, request } = await requestFor({ accountIdentifier });
    const subject = `${account}.SVC_CRM`;
    const issuer = `${subject}.SHA256:${fingerprint}`;
    const { payload } = await jwtVerify(bearer, publicKey, { issuer, subject, algorithms: ["RS256"] });
    assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 3_600);
    assert.equal(request.headers["x-snowflake-authorization-token-type"], "KEYPAIR_JWT");
  }
});

test("a private link is called at its own address", async () => {
  const endpointUrl = "https://myorg-my-account.privatelink.snowflakecomputing.com";
  const { request } = await requestFor({ endpointUrl });
  assert.equal(String(request.url), `${endpointUrl}/api/v2/statements`);
});

test("names that could be more than a name are refused by the schema", () => {
  for (const name of ["a b", "a;b", 'a"b', "a.b", "a--", "", "1a"]) {
    assert.doesNotMatch(name, new RegExp(SQL_NAME));
  }
});

test("a failed statement, one that goes on, and an answer in another form are failures with their reason", async () => {
  const network = testNetwork();
  const answer = async (status: number, body: string) => {
    network.answer = () => buildExchange(status, body);
    const { kind, error, overloaded } = await openSample(snowflake, SAMPLE, network).deliver(sampleMessage());
    return { kind, error, overloaded };
  };
  const failed = await answer(422, '{"code":"002003","message":"Object MESSAGES does not exist."}');
  assert.deepEqual([failed.kind, failed.error], ["failed", "002003: Object MESSAGES does not exist."]);
  const running = await answer(202, '{"code":"333334","message":"Asynchronous execution in progress."}');
  assert.deepEqual([running.kind, running.overloaded], ["failed", true]);
  assert.match(running.error ?? "", /not inserted the rows in time/);
  for (const body of ["<html>Please sign in</html>", "{}", "[]", ""]) {
    assert.match((await answer(200, body)).error ?? "", /it is not Snowflake/);
  }
});
