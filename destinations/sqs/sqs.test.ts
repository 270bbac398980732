/** The SQS destination: queue messages, FIFO queues, and signatures. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { testAws } from "../kit/aws-suite.ts";
import { answered, openSample, sampleMessage, testDestination, testWorld } from "../kit/destination-suite.ts";
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

test("a queue gets the message itself with its topic and id; a FIFO queue also what keeps it from repeating", async () => {
  for (const suffix of ["", ".fifo"]) {
    const world = testWorld();
    world.answer = () => answered(200, TAKEN);
    const sample = { ...SAMPLE, config: { queueUrl: `${queueUrl}${suffix}` } };
    const outcome = await openSample(sqs, sample, world).deliver(sampleMessage());
    assert.equal(outcome.kind, "delivered", outcome.error);
    const [request] = world.requests;
    assert.equal(request?.url.host, "sqs.eu-west-1.amazonaws.com");
    const sent = JSON.parse(Buffer.from(request.body ?? "").toString());
    assert.equal(sent.QueueUrl, `${queueUrl}${suffix}`);
    assert.equal(sent.MessageBody, sampleMessage().data);
    assert.equal(sent.MessageAttributes.topic.StringValue, "connection.created");
    assert.equal(sent.MessageDeduplicationId, suffix ? sampleMessage().id : undefined);
  }
});
