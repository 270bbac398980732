// HubSpot batches: when everything fails, and when only one input does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { startSandbox } from "../sandbox.ts";
import { getAt, openCaller, readList, openSandbox, readText } from "../test-client.ts";

const sandbox = await openSandbox({ limits: "off" });
const call = openCaller(sandbox.hubspot.url, sandbox.hubspot.staticToken);

const BATCH = "/crm/objects/2026-03/contacts/batch";

function contact(email: string, traceId?: string, more: Record<string, string> = {}): unknown {
  return {
    properties: { email, ...more },
    ...(traceId === undefined ? {} : { objectWriteTraceId: traceId }),
  };
}

test("without trace ids one bad input refuses the whole create", async () => {
  const inputs = [contact("a@x.example"), contact("b@x.example", undefined, { nope: "1" })];
  const answer = await call("POST", `${BATCH}/create`, { inputs });
  assert.equal(answer.status, 400);
  assert.equal(getAt(answer.json, "errors.0.code"), "PROPERTY_DOESNT_EXIST");
  const conflict = await call("POST", `${BATCH}/create`, {
    inputs: [contact("a@x.example"), contact("ada.king@northwind.example")],
  });
  assert.equal(conflict.status, 409);
  assert.equal(getAt(conflict.json, "message"), "Contact already exists");
  const twins = await call("POST", `${BATCH}/create`, {
    inputs: [contact("t@x.example"), contact("t@x.example")],
  });
  assert.equal(twins.status, 409);
  assert.equal(sandbox.records("hubspot", "contacts").length, 5);
});

test("with trace ids good inputs are created and bad ones are reported by id", async () => {
  const inputs = [
    contact("ada.king@northwind.example", "0"),
    contact("a@x.example", "1"),
    contact("bad", "2"),
    contact("b@x.example", "3", { nope: "1" }),
  ];
  const answer = await call("POST", `${BATCH}/create`, { inputs });
  assert.equal(answer.status, 207);
  assert.equal(getAt(answer.json, "status"), "COMPLETE");
  assert.equal(getAt(answer.json, "numErrors"), 3);
  assert.deepEqual(
    readList(answer.json, "results").map((record) => getAt(record, "properties.email")),
    ["a@x.example"],
  );
  const errors = readList(answer.json, "errors");
  assert.deepEqual(
    errors.map((error) => getAt(error, "context.objectWriteTraceId.0")),
    ["0", "2", "3"],
  );
  assert.deepEqual(getAt(errors[0], "context.existingId"), ["501"]);
  assert.doesNotMatch(JSON.stringify(getAt(answer.json, "results")), /objectWriteTraceId/);
});

test("trace ids on some inputs only are no trace ids", async () => {
  const answer = await call("POST", `${BATCH}/create`, {
    inputs: [contact("a@x.example", "0"), contact("bad")],
  });
  assert.equal(answer.status, 400);
});

test("options make batch create stricter and echo trace ids", async () => {
  const other = await startSandbox({ hubspot: { unknownPropertyFailsBatch: true, echoTraceIds: true } });
  const call = openCaller(other.hubspot.url, other.hubspot.staticToken);
  const strict = await call("POST", `${BATCH}/create`, {
    inputs: [contact("a@x.example", "0", { nope: "1" })],
  });
  assert.equal(strict.status, 400);
  const echoed = await call("POST", `${BATCH}/create`, { inputs: [contact("a@x.example", "7")] });
  assert.equal(echoed.status, 201);
  assert.equal(getAt(echoed.json, "results.0.objectWriteTraceId"), "7");
  await other.close();
});

test("an update names all missing ids in one error and writes the others", async () => {
  const inputs = [
    { id: "501", properties: { city: "Oslo" } },
    { id: "998", properties: { city: "x" } },
    { id: "999", properties: { city: "x" } },
  ];
  const answer = await call("POST", `${BATCH}/update`, { inputs });
  assert.equal(answer.status, 207);
  assert.equal(getAt(answer.json, "results.0.id"), "501");
  assert.equal(getAt(answer.json, "numErrors"), 1);
  assert.deepEqual(getAt(answer.json, "errors.0.context.ids"), ["998", "999"]);
  assert.match(readText(answer.json, "errors.0.message"), /^Could not get some CONTACT objects/);
});

test("an update with a repeated id or an unknown name writes nothing", async () => {
  const repeated = await call("POST", `${BATCH}/update`, {
    inputs: [
      { id: "501", properties: { city: "A" } },
      { id: "501", properties: { city: "B" } },
    ],
  });
  assert.equal(repeated.status, 400);
  assert.deepEqual(getAt(repeated.json, "context.ids"), ["501"]);
  const unknown = await call("POST", `${BATCH}/update`, {
    inputs: [
      { id: "501", objectWriteTraceId: "0", properties: { city: "A" } },
      { id: "502", objectWriteTraceId: "1", properties: { nope: "B" } },
    ],
  });
  assert.equal(unknown.status, 400);
  assert.ok(sandbox.records("hubspot", "contacts").every((record) => record["city"] === undefined));
});

test("a bad value in an update refuses all without trace ids, itself with them", async () => {
  const inputs = (traced: boolean): unknown[] =>
    ["501", "502"].map((id, i) => ({
      id,
      properties: { numberofemployees: i === 0 ? "x" : "2" },
      ...(traced ? { objectWriteTraceId: String(i) } : {}),
    }));
  assert.equal((await call("POST", `${BATCH}/update`, { inputs: inputs(false) })).status, 400);
  const partial = await call("POST", `${BATCH}/update`, { inputs: inputs(true) });
  assert.equal(partial.status, 207);
  assert.deepEqual(getAt(partial.json, "errors.0.context.objectWriteTraceId"), ["0"]);
  assert.equal(getAt(partial.json, "results.0.id"), "502");
});

test("read gives found records by id and lists the missing ones", async () => {
  const body = { properties: ["email"], inputs: [{ id: "503" }, { id: "999" }, { id: "501" }] };
  const answer = await call("POST", `${BATCH}/read`, body);
  assert.equal(answer.status, 207);
  assert.deepEqual(
    readList(answer.json, "results").map((record) => record["id"]),
    ["501", "503"],
  );
  assert.deepEqual(getAt(answer.json, "errors.0.context.ids"), ["999"]);
  const byEmail = await call("POST", `${BATCH}/read`, {
    idProperty: "email",
    inputs: [{ id: "linus.berg@fabrikam.example" }],
  });
  assert.equal(getAt(byEmail.json, "results.0.id"), "503");
});

test("upsert tells new records from updated ones, archive answers 204", async () => {
  const inputs = [
    { idProperty: "email", id: "ada.king@northwind.example", properties: { city: "Oslo" } },
    { idProperty: "email", id: "fresh@x.example", properties: { city: "Bergen" } },
  ];
  const answer = await call("POST", `${BATCH}/upsert`, { inputs });
  assert.equal(answer.status, 200);
  // github.com/HubSpot/hubspot-api-nodejs, issue 190: results are in no order of the inputs.
  assert.deepEqual(
    readList(answer.json, "results").map((record) => record["new"]),
    [true, false],
  );
  assert.equal((await call("POST", `${BATCH}/archive`, { inputs: [{ id: "501" }] })).status, 204);
  assert.equal(sandbox.records("hubspot", "contacts").length, 5);
});

test("more than a hundred inputs are refused", async () => {
  const inputs = Array.from({ length: 101 }, (_, i) => contact(`n${i}@x.example`, String(i)));
  assert.equal((await call("POST", `${BATCH}/create`, { inputs })).status, 400);
});
