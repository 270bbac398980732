/** The webhook destination: requests and forbidden settings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SvixWebhook } from "../../tests/published/clients.ts";
import {
  buildExchange,
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { webhook } from "./webhook.ts";

const url = "https://example.com/hooks?a=b";
const SAMPLE = {
  config: { url, headers: { "X-Team": "blue" } },
  faulty: [
    { what: "plain http", config: { url: "http://example.com" } },
    { what: "a private address", config: { url: "https://10.0.0.1/hooks" } },
    { what: "no address", config: { url: "example" } },
    { what: "a password in the address", config: { url: "https://u:p@example.com" } },
    ...[
      "Host",
      "Content-Length",
      "transfer-encoding",
      "svix-id",
      "Webhook-Signature",
      "bad name",
      "x\ny",
    ].map((name) => ({ what: `the header ${name}`, config: { url, headers: { [name]: "v" } } })),
    { what: "a line break in a header", config: { url, headers: { "x-a": "b\r\nc: d" } } },
  ],
  taken: { status: 202 },
};

testDestination(webhook, SAMPLE);

test("plain http is accepted for hosts that the operator allows", () => {
  const faults = webhook.check({ config: { url: "http://127.0.0.1:1/x" }, secrets: {} }, testNetwork());
  assert.deepEqual(faults, []);
});

test("the body is the notification, and exactly its bytes are signed", async () => {
  const network = testNetwork();
  await openSample(webhook, SAMPLE, network).deliver(sampleMessage());
  const [request] = network.requests;
  assert.ok(request);
  assert.equal(request.method, "POST");
  assert.equal(request.url.href, url);
  assert.equal(request.headers["x-team"], "blue");
  assert.equal(
    String(request.body),
    '{"notificationType":"connection.created","data":{"projectId":"p1","consumerName":"Zoë <&>"}}',
  );
  new SvixWebhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").verify(String(request.body), request.headers);
});

test("the body of a data message is the message alone", async () => {
  const network = testNetwork();
  await openSample(webhook, SAMPLE, network).deliver(sampleDataMessage());
  const [request] = network.requests;
  assert.ok(request);
  assert.equal(String(request.body), sampleDataMessage().data);
  new SvixWebhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").verify(String(request.body), request.headers);
});

test("410 means that the receiver is gone", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(410, "bye");
  assert.equal((await openSample(webhook, SAMPLE, network).deliver(sampleMessage())).kind, "gone");
});

test("Retry-After is read as seconds and as a date", async () => {
  const network = testNetwork();
  const channel = openSample(webhook, SAMPLE, network);
  network.answer = () => buildExchange(503, "", { "retry-after": "7" });
  assert.equal((await channel.deliver(sampleMessage())).retryAfterMs, 7_000);
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  network.answer = () => buildExchange(429, "", { "retry-after": inAMinute });
  const { retryAfterMs = 0, overloaded } = await channel.deliver(sampleMessage());
  assert.ok(retryAfterMs > 50_000 && retryAfterMs <= 60_000);
  assert.equal(overloaded, true);
});
