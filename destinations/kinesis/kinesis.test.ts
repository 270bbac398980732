/** The Kinesis destination: records, partition keys, and signatures. */
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
import { kinesis } from "./kinesis.ts";

const config = { streamName: "events", region: "eu-west-1" };
const secrets = { awsKeyId: "AKIDEXAMPLE", awsSecretKey: "wJalrXUtnFEMI/K7MDENG" };
const template = (partitionKeyTemplate: string) => ({ ...config, partitionKeyTemplate });
const TAKEN = '{"ShardId":"shardId-0","SequenceNumber":"7"}';

const SAMPLE = {
  config: template("data.consumerName"),
  secrets,
  faulty: [
    { what: "a template that does not parse", config: template("data.[") },
    { what: "an unknown function", config: template("data.a && shout(data.a)") },
    { what: "a function with too few arguments", config: template("join(data)") },
    { what: "a list", config: template("[data.a, data.b]") },
    { what: "a plain endpoint", config: { ...config, endpointUrl: "http://example.com" } },
  ],
  taken: { status: 200, headers: { "content-type": "application/x-amz-json-1.1" }, body: TAKEN },
};

testDestination(kinesis, SAMPLE);
testAws(kinesis, {
  ...SAMPLE,
  service: { name: "kinesis", region: "eu-west-1", secrets },
  takenBody: TAKEN,
});

test("a record is the message in `data`, with the template's partition key, or the id if it gives none", async () => {
  const keys: string[] = [];
  for (const [text, message] of [
    ["data.consumerName", sampleMessage()],
    ["data.nothing", sampleMessage()],
    ["length(data.nothing)", sampleMessage()],
  ] as const) {
    const network = testNetwork();
    network.answer = () => buildExchange(200, TAKEN);
    const outcome = await openSample(kinesis, { ...SAMPLE, config: template(text) }, network).deliver(
      message,
    );
    assert.equal(outcome.kind, "delivered", outcome.error);
    const sent = JSON.parse(Buffer.from(network.requests[0]?.body ?? "").toString());
    assert.equal(sent.StreamName, "events");
    keys.push(sent.PartitionKey);
    assert.deepEqual(JSON.parse(Buffer.from(sent.Data, "base64").toString()), {
      data: { projectId: "p1", consumerName: "Zoë <&>" },
    });
  }
  assert.deepEqual(keys, ["Zoë <&>", sampleMessage().id, sampleMessage().id]);
});

test("a data message is a record `{data: message}`, and templates read its members", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, TAKEN);
  const sample = { ...SAMPLE, config: template("data.objectName") };
  await openSample(kinesis, sample, network).deliver(sampleDataMessage());
  const { PartitionKey, Data } = JSON.parse(Buffer.from(network.requests[0]?.body ?? "").toString());
  assert.equal(PartitionKey, "company");
  assert.equal(Buffer.from(Data, "base64").toString(), `{"data":${sampleDataMessage().data}}`);
});

test("a partition key is cut to the 256 characters that Kinesis allows, between characters", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, TAKEN);
  const data = JSON.stringify({ consumerName: `a${"\u{1F600}".repeat(300)}` });
  await openSample(kinesis, SAMPLE, network).deliver(sampleMessage({ data }));
  const { PartitionKey: key } = JSON.parse(Buffer.from(network.requests[0]?.body ?? "").toString());
  assert.ok(key.isWellFormed());
  assert.ok([...key].length <= 256 && key.startsWith("a\u{1F600}"));
});

test("the default endpoint is Amazon's in the region", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, TAKEN);
  await openSample(kinesis, SAMPLE, network).deliver(sampleMessage());
  assert.equal(network.requests[0]?.url.href, "https://kinesis.eu-west-1.amazonaws.com/");
});

test("too many records per second count as overloaded", async () => {
  const network = testNetwork();
  network.answer = () =>
    buildExchange(400, '{"__type":"ProvisionedThroughputExceededException","message":"slower"}', {
      "x-amzn-errortype": "ProvisionedThroughputExceededException",
    });
  const outcome = await openSample(kinesis, SAMPLE, network).deliver(sampleMessage());
  assert.deepEqual([outcome.status, outcome.overloaded], [400, true]);
  assert.match(outcome.error ?? "", /ThroughputExceeded.*slower/);
});
