/** The Redshift destination: statements of the Data API, what becomes of them, and signatures. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deliverToDouble } from "../../tests/harness/destinations/aws-suite.ts";
import {
  buildExchange,
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { redshift } from "./redshift.ts";

const config = {
  region: "eu-west-1",
  dbName: "analytics",
  tableName: "messages",
  workgroupName: "crm-events",
};
const secrets = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG" };
const { workgroupName: _, ...neither } = config;
const ANSWER_TYPE = { "content-type": "application/x-amz-json-1.1" };
const TAKEN = '{"Id":"s-1","Status":"FINISHED"}';

const SAMPLE = {
  config,
  secrets,
  faulty: [
    { what: "neither workgroup nor cluster", config: neither },
    { what: "both", config: { ...config, clusterIdentifier: "crm" } },
    { what: "a plain endpoint", config: { ...config, endpointUrl: "http://example.com" } },
    { what: "a key with a blank", secrets: { ...secrets, accessKeyId: "AKID EXAMPLE" } },
  ],
  taken: { status: 200, headers: ANSWER_TYPE, body: TAKEN },
  requestsEach: 2,
};

testDestination(redshift, SAMPLE);

test("the service accepts the signature, and refuses another secret", async () => {
  const awsSecrets = { awsKeyId: secrets.accessKeyId, awsSecretKey: secrets.secretAccessKey };
  const service = { name: "redshift-data", region: "eu-west-1", secrets: awsSecrets };
  const sample = { ...SAMPLE, service, takenBody: TAKEN };
  const { outcome } = await deliverToDouble(redshift, sample);
  assert.equal(outcome.kind, "delivered", outcome.error);
  const other = { ...sample, secrets: { ...secrets, secretAccessKey: "not-the-secret" } };
  const { outcome: refused } = await deliverToDouble(redshift, other);
  assert.deepEqual([refused.kind, refused.status], ["failed", 403]);
  assert.ok(!JSON.stringify(refused).includes("not-the-secret"));
});

test("rows are parameters of one statement, never part of its text", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, TAKEN, ANSWER_TYPE);
  const hostile = JSON.stringify({ name: "'); drop table messages; -- :p0" });
  const cluster = { ...neither, clusterIdentifier: "crm", dbUser: "loader", schemaName: "raw" };
  const channel = openSample(redshift, { ...SAMPLE, config: cluster }, network);
  await channel.deliverAll?.([sampleMessage({ id: "m1" }), sampleDataMessage({ id: "m2", data: hostile })]);
  const [execute, describe] = network.requests;
  assert.equal(execute?.headers["x-amz-target"], "RedshiftData.ExecuteStatement");
  assert.deepEqual(JSON.parse(Buffer.from(execute?.body ?? "").toString()), {
    ClusterIdentifier: "crm",
    Database: "analytics",
    DbUser: "loader",
    ClientToken: JSON.parse(Buffer.from(execute?.body ?? "").toString()).ClientToken,
    Sql: "insert into raw.messages (created_at, payload) values (getdate(), :p0), (getdate(), :p1)",
    Parameters: [
      { name: "p0", value: `{"notificationType":"connection.created","data":${sampleMessage().data}}` },
      { name: "p1", value: hostile },
    ],
  });
  assert.equal(describe?.headers["x-amz-target"], "RedshiftData.DescribeStatement");
  assert.deepEqual(JSON.parse(Buffer.from(describe?.body ?? "").toString()), { Id: "s-1" });
});

/** A service that gives these answers, one after the other, the last one for ever. */
async function deliverWith(bodies: string[], timeoutMs = 120_000) {
  const network = { ...testNetwork(), timeoutMs };
  const left = [...bodies];
  network.answer = () => buildExchange(200, left.length > 1 ? left.shift() : left[0], ANSWER_TYPE);
  network.send = async () => network.answer();
  return openSample(redshift, SAMPLE, network).deliver(sampleMessage());
}

test("a message is delivered when its statement has finished, and not before", async () => {
  const outcome = await deliverWith([
    '{"Id":"s-1"}',
    '{"Status":"SUBMITTED"}',
    '{"Status":"STARTED"}',
    TAKEN,
  ]);
  assert.deepEqual([outcome.kind, outcome.answer], ["delivered", "statement s-1"]);
});

test("a statement that failed, was aborted or does not end in time fails the attempt with its reason", async () => {
  const failed = await deliverWith([
    '{"Id":"s-1"}',
    '{"Status":"FAILED","Error":"ERROR: relation \\"public.messages\\" does not exist"}',
  ]);
  assert.equal(failed.error, 'FAILED: ERROR: relation "public.messages" does not exist');
  assert.match((await deliverWith(['{"Id":"s-1"}', '{"Status":"ABORTED"}'])).error ?? "", /^ABORTED/);
  const slow = await deliverWith(['{"Id":"s-1"}', '{"Status":"STARTED"}'], 300);
  assert.deepEqual([slow.kind, slow.overloaded], ["failed", true]);
  assert.match(slow.error ?? "", /not inserted the rows in time/);
});

test("an answer in another form is not Redshift's", async () => {
  for (const bodies of [['{"ok":true}'], ['{"Id":"s-1"}', '{"ok":true}']]) {
    const outcome = await deliverWith(bodies);
    assert.equal(outcome.kind, "failed");
    assert.match(outcome.error ?? "", /it is not Redshift/);
  }
});

test("a question about a statement that fails is asked again, as the rows may be inserted", async () => {
  const network = { ...testNetwork(), timeoutMs: 120_000 };
  const answers = [
    buildExchange(200, '{"Id":"s-1"}', ANSWER_TYPE),
    buildExchange(503, "busy"),
    buildExchange(200, TAKEN, ANSWER_TYPE),
  ];
  network.send = async () => answers.shift() ?? buildExchange(500);
  const outcome = await openSample(redshift, SAMPLE, network).deliver(sampleMessage());
  assert.deepEqual([outcome.kind, answers.length], ["delivered", 0]);
});
