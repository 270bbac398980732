/** The BigQuery destination: rows, refused rows, and bearer tokens signed as Google requires. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import {
  buildExchange,
  openSample,
  sampleDataMessage,
  sampleMessage,
  testDestination,
  testNetwork,
} from "../../tests/harness/destinations/destination-suite.ts";
import { openGoogleDouble } from "../../tests/harness/destinations/google-double.ts";
import { bigquery } from "./bigquery.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const EMAIL = "loader@crm-events.iam.gserviceaccount.com";
const credentials = JSON.stringify({
  type: "service_account",
  client_email: EMAIL,
  private_key_id: "key-1",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
});
const config = { projectId: "crm-project", datasetId: "crm", tableId: "messages" };
const TAKEN = '{"kind":"bigquery#tableDataInsertAllResponse"}';

const SAMPLE = {
  config,
  secrets: { credentials },
  faulty: [
    { what: "no key file", secrets: { credentials: "{}" } },
    { what: "a plain endpoint", config: { ...config, endpointUrl: "http://example.com" } },
  ],
  taken: { status: 200, body: TAKEN },
};

testDestination(bigquery, SAMPLE);

test("rows have id and payload, are inserted by one request, and its bearer token is signed by the account's key", async (t) => {
  const path = "/bigquery/v2/projects/crm-project/datasets/crm/tables/messages/insertAll";
  const google = await openGoogleDouble(t, { email: EMAIL, keyId: "key-1", publicKey, path, taken: TAKEN });
  const sample = { ...SAMPLE, config: { ...config, endpointUrl: google.url } };
  const messages = [sampleMessage({ id: "m1" }), sampleDataMessage({ id: "m2" })];
  const outcomes = await openSample(bigquery, sample, google.network).deliverAll?.(messages);
  assert.deepEqual(
    outcomes?.map(({ kind }) => kind),
    ["delivered", "delivered"],
  );
  const [{ rows, skipInvalidRows }] = google.bodies.map((body) => JSON.parse(body));
  assert.equal(skipInvalidRows, true);
  assert.deepEqual(rows, [
    {
      insertId: "m1",
      json: { id: "m1", payload: `{"notificationType":"connection.created","data":${sampleMessage().data}}` },
    },
    { insertId: "m2", json: { id: "m2", payload: sampleDataMessage().data } },
  ]);
});

test("only the rows that BigQuery names have failed, with its reason", async () => {
  const network = testNetwork();
  const errors = [{ reason: "invalid", location: "payload", message: "no such field: payload." }];
  network.answer = () =>
    buildExchange(200, JSON.stringify({ ...JSON.parse(TAKEN), insertErrors: [{ index: 1, errors }] }));
  const messages = ["m0", "m1", "m2"].map((id) => sampleMessage({ id }));
  const outcomes = await openSample(bigquery, SAMPLE, network).deliverAll?.(messages);
  assert.deepEqual(
    outcomes?.map(({ kind }) => kind),
    ["delivered", "failed", "delivered"],
  );
  assert.equal(outcomes?.[1]?.error, "invalid: no such field: payload. (payload)");
  assert.deepEqual(new Set(outcomes?.map(({ answer }) => answer)), new Set([undefined]));
});

test("of an answer that was cut off, nobody knows which rows were inserted, so all are retried", async () => {
  const network = testNetwork();
  network.answer = () => buildExchange(200, `${TAKEN.slice(0, -1)},"insertErrors":[{"index":0,`);
  const outcomes = await openSample(bigquery, SAMPLE, network).deliverAll?.([
    sampleMessage(),
    sampleMessage(),
  ]);
  assert.deepEqual(
    outcomes?.map(({ kind }) => kind),
    ["failed", "failed"],
  );
  assert.match(outcomes?.[0]?.error ?? "", /refused so many rows/);
});

test("an answer in another form is not BigQuery's, and a refusal is quoted", async () => {
  const network = testNetwork();
  for (const body of ["<html>Please sign in</html>", "{}", "[]", ""]) {
    network.answer = () => buildExchange(200, body);
    const outcome = await openSample(bigquery, SAMPLE, network).deliver(sampleMessage());
    assert.deepEqual([outcome.kind, outcome.status], ["failed", 200]);
    assert.match(outcome.error ?? "", /it is not BigQuery/);
  }
  network.answer = () =>
    buildExchange(404, '{"error":{"status":"NOT_FOUND","message":"Not found: Table crm.messages"}}');
  const missing = await openSample(bigquery, SAMPLE, network).deliver(sampleMessage());
  assert.deepEqual([missing.kind, missing.error], ["failed", "NOT_FOUND: Not found: Table crm.messages"]);
});
