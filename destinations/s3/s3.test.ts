/** The S3 destination: objects, keys, metadata, and signatures. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { deliverToDouble, testAws } from "../../tests/harness/destinations/aws-suite.ts";
import {
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { s3 } from "./s3.ts";

const config = { bucket: "crm-events", region: "us-east-1" };
const secrets = { awsKeyId: "AKIDEXAMPLE", awsSecretKey: "wJalrXUtnFEMI/K7MDENG" };
const template = (keyTemplate: string) => ({ ...config, keyTemplate });

const SAMPLE = {
  config,
  secrets,
  faulty: [
    { what: "a template that does not parse", config: template("join('/', [") },
    { what: "a list", config: template("[metadata.topic, time.date]") },
    { what: "a document", config: template("data") },
    { what: "an unknown function", config: template("concat(metadata.topic, time.date)") },
    { what: "a plain endpoint", config: { ...config, endpointUrl: "http://example.com" } },
  ],
  taken: { status: 200 },
};

const SERVICE = { service: { name: "s3", region: "us-east-1", secrets }, takenBody: "" };

testDestination(s3, SAMPLE);
testAws(s3, { ...SAMPLE, ...SERVICE });

async function put(settings: object, message = sampleMessage()) {
  const network = testNetwork();
  const outcome = await openSample(s3, { ...SAMPLE, config: { ...config, ...settings } }, network).deliver(
    message,
  );
  assert.equal(outcome.kind, "delivered", outcome.error);
  const [request] = network.requests;
  assert.ok(request);
  return request;
}

test("an object is the message, named by time and id, with metadata and storage class", async () => {
  const data = '{"projectId":"p1","installationId":"i1","objectName":"Kündigung"}';
  const request = await put({ storageClass: "GLACIER_IR" }, sampleMessage({ data }));
  assert.equal(request.method, "PUT");
  assert.equal(request.url.host, "crm-events.s3.us-east-1.amazonaws.com");
  assert.equal(
    decodeURIComponent(request.url.pathname),
    `/2026-01-02T03:04:05.006Z_${sampleMessage().id}.json`,
  );
  assert.equal(Buffer.from(request.body ?? "").toString(), data);
  const { headers } = request;
  assert.equal(headers["x-amz-storage-class"], "GLACIER_IR");
  assert.equal(headers["x-amz-meta-topic"], "connection.created");
  assert.equal(headers["x-amz-meta-event-id"], sampleMessage().id);
  assert.equal(headers["x-amz-meta-installationid"], "i1");
  assert.equal(headers["x-amz-meta-objectname"], "K%C3%BCndigung");
  assert.equal(headers["x-amz-meta-operationid"], undefined);
});

test("a data message is one object, with its type as topic", async () => {
  const { body, headers } = await put(
    { keyTemplate: "join('/', [metadata.topic, data.objectName])" },
    sampleDataMessage(),
  );
  assert.equal(Buffer.from(body ?? "").toString(), sampleDataMessage().data);
  const named = ["topic", "installationid", "operationid", "objectname"].map(
    (name) => headers[`x-amz-meta-${name}`],
  );
  assert.deepEqual(named, ["read", "i1", "o1", "company"]);
});

test("a key with any characters is signed as it is sent", async () => {
  const data = JSON.stringify({ name: "a b/Zoë+(1)'!*~%2F?&=#" });
  const sample = { ...SAMPLE, ...SERVICE, config: template("data.name") };
  const { outcome, arrived } = await deliverToDouble(s3, sample, sampleMessage({ data }));
  assert.equal(outcome.kind, "delivered", outcome.error);
  assert.equal(decodeURIComponent(arrived.path), `/crm-events/${JSON.parse(data).name}?x-id=PutObject`);
});

test("a large object is sent whole, without waiting for 100 Continue", async () => {
  const data = JSON.stringify({ text: "x".repeat(3_000_000) });
  const { outcome, arrived } = await deliverToDouble(s3, { ...SAMPLE, ...SERVICE }, sampleMessage({ data }));
  assert.equal(outcome.kind, "delivered", outcome.error);
  assert.equal(arrived.body.length, data.length);
});

test("a bucket that locks objects gets the digest that it requires", async () => {
  const { headers } = await put({});
  assert.equal(headers["content-md5"], createHash("md5").update(sampleMessage().data).digest("base64"));
});

test("a key that is invalid in S3 or in an address is replaced by the default", async () => {
  for (const name of ["../other-bucket/x", "a/./b", "..", "x".repeat(1_025), "ü".repeat(513), "\ud800"]) {
    const request = await put(
      { keyTemplate: "data.name" },
      sampleMessage({ data: JSON.stringify({ name }) }),
    );
    assert.match(request.url.pathname, /^\/2026.*_01890a5d.*\.json$/, name);
  }
  const longest = await put(
    { keyTemplate: "data.name" },
    sampleMessage({ data: JSON.stringify({ name: "ü".repeat(512) }) }),
  );
  assert.equal(decodeURIComponent(longest.url.pathname), `/${"ü".repeat(512)}`);
});

test("metadata stays within the 2 KB that S3 allows", async () => {
  const names = ["installationId", "connectionId", "operationId", "objectName"];
  const data = JSON.stringify(Object.fromEntries(names.map((name) => [name, "ü".repeat(400)])));
  const { headers } = await put({}, sampleMessage({ data }));
  const all = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  assert.ok(
    all.map(([name, value]) => `${name.slice("x-amz-meta-".length)}${value}`).join("").length <= 2_048,
  );
  assert.match(headers["x-amz-meta-objectname"] ?? "", /^(%C3%BC)+$/);
  const broken = await put({}, sampleMessage({ data: String.raw`{"objectName": "a\ud800"}` }));
  assert.equal(broken.headers["x-amz-meta-objectname"], "a%EF%BF%BD");
});

test("a template makes the key; without text from it the default is used", async () => {
  const template = `join('/', [metadata.topic, time.year, time.month, time.unix, metadata."event-id"])`;
  const request = await put({ keyTemplate: template, endpointUrl: "http://127.0.0.1:9000" });
  assert.equal(
    `${request.url.origin}${request.url.pathname}`,
    `http://127.0.0.1:9000/crm-events/connection.created/2026/01/1767323045/${sampleMessage().id}`,
  );
  const fallen = await put({ keyTemplate: "join('/', [data.nothing, time.date])" });
  assert.match(fallen.url.pathname, /_01890a5d.*\.json$/);
});
