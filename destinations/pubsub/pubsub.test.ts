/** The Pub/Sub destination: messages, and bearer tokens signed as Google requires. */
import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { test, type TestContext } from "node:test";
import { jwtVerify } from "jose";
import {
  buildExchange,
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { openGoogleDouble } from "../../tests/harness/destinations/google-double.ts";
import { pubsub } from "./pubsub.ts";

const newKey = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const { privateKey, publicKey } = newKey();
const EMAIL = "publisher@crm-events.iam.gserviceaccount.com";

const keyFile = (key: KeyObject, changes: object = {}) =>
  JSON.stringify({
    type: "service_account",
    client_email: EMAIL,
    private_key_id: "key-1",
    private_key: key.export({ type: "pkcs8", format: "pem" }),
    ...changes,
  });
const config = { projectId: "crm-project", topicId: "crm-events" };
const secrets = { credentials: keyFile(privateKey) };
const TAKEN = '{"messageIds":["17"]}';

const weak = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
const ed25519 = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
const SAMPLE = {
  config,
  secrets,
  faulty: [
    { what: "no JSON", secrets: { credentials: "-----BEGIN PRIVATE KEY-----" } },
    { what: "no key file", secrets: { credentials: "[]" } },
    { what: "no key", secrets: { credentials: keyFile(privateKey, { private_key: "hush" }) } },
    { what: "another kind of key", secrets: { credentials: keyFile(privateKey, { private_key: ed25519 }) } },
    { what: "a key that Google would not make", secrets: { credentials: keyFile(weak) } },
    { what: "a plain endpoint", config: { ...config, endpointUrl: "http://example.com" } },
  ],
  taken: { status: 200, body: TAKEN },
};

testDestination(pubsub, SAMPLE);

/** A double of the service and a function that opens a channel to it. */
async function openGoogle(t: TestContext) {
  const google = await openGoogleDouble(t, {
    email: EMAIL,
    keyId: "key-1",
    publicKey,
    path: "/v1/projects/crm-project/topics/crm-events:publish",
    taken: TAKEN,
  });
  const open = (credentials = secrets.credentials) =>
    openSample(
      pubsub,
      { ...SAMPLE, config: { ...config, endpointUrl: google.url }, secrets: { credentials } },
      google.network,
    );
  return { google, open };
}

test("a message has its topic and id, and a bearer token that the account's key has signed", async (t) => {
  const { google, open } = await openGoogle(t);
  const channel = open();
  for (const id of ["m1", "m2"]) {
    const outcome = await channel.deliver(sampleMessage({ id }));
    assert.equal(outcome.kind, "delivered", outcome.answer);
  }
  const [message] = JSON.parse(google.bodies[0] ?? "").messages;
  assert.equal(Buffer.from(message.data, "base64").toString(), sampleMessage().data);
  assert.deepEqual(message.attributes, { topic: "connection.created", "event-id": "m1" });
  assert.equal(google.bearers.size, 1);
});

test("a data message is sent as it is, with its type as topic", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, TAKEN);
  await openSample(pubsub, SAMPLE, network).deliver(sampleDataMessage());
  const [message] = JSON.parse(String(network.requests[0]?.body)).messages;
  assert.equal(Buffer.from(message.data, "base64").toString(), sampleDataMessage().data);
  assert.equal(message.attributes.topic, "read");
});

test("a bearer token is replaced before its hour is over", async (t) => {
  const { google, open } = await openGoogle(t);
  const channel = open();
  assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  for (const minutes of [54, 2, 58]) {
    t.mock.timers.tick(minutes * 60_000);
    assert.equal((await channel.deliver(sampleMessage())).kind, "delivered");
  }
  assert.equal(google.bearers.size, 3);
});

test("another key or an expired bearer token is refused, and the attempt quotes Google's reason", async (t) => {
  const { google, open } = await openGoogle(t);
  const forged = await open(keyFile(newKey().privateKey)).deliver(sampleMessage());
  assert.deepEqual([forged.kind, forged.status], ["failed", 401]);
  assert.match(forged.error ?? "", /^UNAUTHENTICATED: Request had invalid/);
  google.aheadMs = 3_700_000;
  assert.equal((await open().deliver(sampleMessage())).status, 401);
});

test("the audience is Google's service name at Google's endpoints, regional ones too, and the endpoint elsewhere", async () => {
  for (const [endpointUrl, audience] of [
    [undefined, "https://pubsub.googleapis.com/"],
    ["https://europe-west1-pubsub.googleapis.com", "https://pubsub.googleapis.com/"],
    ["https://pubsub.europe-west3.rep.googleapis.com", "https://pubsub.googleapis.com/"],
    ["https://evilpubsub.googleapis.com.example.com", "https://evilpubsub.googleapis.com.example.com/"],
  ]) {
    const network = testNetwork();
    await openSample(pubsub, { ...SAMPLE, config: { ...config, endpointUrl } }, network).deliver(
      sampleMessage(),
    );
    const bearer = network.requests[0]?.headers["authorization"]?.slice("Bearer ".length) ?? "";
    await jwtVerify(bearer, publicKey, { audience });
  }
});

test("an answer without a message id is not Pub/Sub's, and the message is retried", async () => {
  for (const body of ["<html>Please sign in</html>", "{}", '{"messageIds":[]}', "[]", ""]) {
    const network = testNetwork();
    network.answer = () => buildExchange(200, body);
    const outcome = await openSample(pubsub, SAMPLE, network).deliver(sampleMessage());
    assert.deepEqual([outcome.kind, outcome.status, outcome.answer], ["failed", 200, body]);
    assert.match(outcome.error ?? "", /without the id of a message/);
  }
});

test("a refusal that is not in Google's form is reported by its status", async () => {
  for (const body of ["", "[]", '{"error": "no"}', '{"error": {"status": {"toString": 1}, "message": []}}']) {
    const network = testNetwork();
    network.answer = () => buildExchange(403, body);
    const outcome = await openSample(pubsub, SAMPLE, network).deliver(sampleMessage());
    assert.deepEqual([outcome.kind, outcome.error], ["failed", "the receiver answered 403"]);
  }
});

test("a message for a missing topic is retried: the topic can be created again", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(410, '{"error":{"status":"NOT_FOUND","message":"no topic"}}');
  const outcome = await openSample(pubsub, SAMPLE, network).deliver(sampleMessage());
  assert.deepEqual([outcome.kind, outcome.error], ["failed", "NOT_FOUND: no topic"]);
});
