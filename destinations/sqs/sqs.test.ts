/** The SQS destination: queue messages, FIFO queues, and signatures. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testAws } from "../../tests/harness/destinations/aws-suite.ts";
import {
  buildExchange,
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { sqs } from "./sqs.ts";

const queueUrl = "https://sqs.eu-west-1.amazonaws.com/123456789012/events";
const secrets = { awsKeyId: "AKIDEXAMPLE", awsSecretKey: "wJalrXUtnFEMI/K7MDENG" };
const TAKEN = '{"MessageId":"m-1"}';

const SAMPLE = {
  config: { queueUrl },
  secrets,
  faulty: [
    { what: "no address", config: { queueUrl: "events" } },
    { what: "no region", config: { queueUrl: "https://queues.example.com/1/events" } },
    { what: "a plain endpoint", config: { queueUrl, endpointUrl: "http://example.com" } },
  ],
  taken: { status: 200, headers: { "content-type": "application/x-amz-json-1.0" }, body: TAKEN },
};

testDestination(sqs, SAMPLE);
testAws(sqs, { ...SAMPLE, service: { name: "sqs", region: "eu-west-1", secrets }, takenBody: TAKEN });

test("characters that a queue message must not contain are sent as JSON escapes", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, TAKEN);
  const data = JSON.stringify({ name: "a\uffff\ufffe\u{1F600}\ud7ff\ue000\u0001" });
  await openSample(sqs, SAMPLE, network).deliver(sampleMessage({ data }));
  const { MessageBody: text } = JSON.parse(Buffer.from(network.requests[0]?.body ?? "").toString());
  assert.match(text, /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]+$/u);
  assert.deepEqual(JSON.parse(text), JSON.parse(data));
});

test("a queue at another address is called there, without a warning of the SDK", async (t) => {
  const warned = t.mock.method(console, "warn", () => {});
  const queues = [
    "https://vpce-1.sqs.eu-west-1.vpce.amazonaws.com/1/events",
    "https://sqs.cn-north-1.amazonaws.com.cn/1/events",
    "https://sqs-fips.us-east-1.amazonaws.com/1/events",
    "https://sqs.eu-west-1.api.aws/1/events",
  ];
  for (const other of queues) {
    const config = { queueUrl: other };
    assert.deepEqual(sqs.check({ config, secrets }, testNetwork()), [], other);
    const network = testNetwork();
    network.answer = () => buildExchange(200, TAKEN);
    await openSample(sqs, { ...SAMPLE, config }, network).deliver(sampleMessage());
    const [request] = network.requests;
    assert.equal(request?.url.host, new URL(other).host);
    assert.match(request?.headers["authorization"] ?? "", /\/(eu-west-1|cn-north-1|us-east-1)\/sqs\//);
  }
  assert.equal(warned.mock.callCount(), 0);
});

test("a data message is sent as it is, with its type as topic", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, TAKEN);
  await openSample(sqs, SAMPLE, network).deliver(sampleDataMessage());
  const sent = JSON.parse(Buffer.from(network.requests[0]?.body ?? "").toString());
  assert.equal(sent.MessageBody, sampleDataMessage().data);
  assert.equal(sent.MessageAttributes.topic.StringValue, "read");
});

test("a queue gets the message with topic and id; a FIFO queue also a deduplication id", async () => {
  for (const suffix of ["", ".fifo"]) {
    const network = testNetwork();
    network.answer = () => buildExchange(200, TAKEN);
    const sample = { ...SAMPLE, config: { queueUrl: `${queueUrl}${suffix}` } };
    const outcome = await openSample(sqs, sample, network).deliver(sampleMessage());
    assert.equal(outcome.kind, "delivered", outcome.error);
    const [request] = network.requests;
    assert.equal(request?.url.host, "sqs.eu-west-1.amazonaws.com");
    const sent = JSON.parse(Buffer.from(request.body ?? "").toString());
    assert.equal(sent.QueueUrl, `${queueUrl}${suffix}`);
    assert.equal(sent.MessageBody, sampleMessage().data);
    assert.equal(sent.MessageAttributes.topic.StringValue, "connection.created");
    assert.equal(sent.MessageDeduplicationId, suffix ? sampleMessage().id : undefined);
  }
});
