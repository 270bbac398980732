/** A batch of Salesforce records: results by order, read from the body and not from the status. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../ground/json.ts";
import type { RecordOutcome, RecordWrite } from "../../connector-kit/connector.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { write } from "./write.ts";

const ADA = "003ak00000jvIfpAAE";
const BOB = "003ak00000jvIfqAAE";

const creates = (names: string[], allOrNone = false): RecordWrite => ({
  objectName: "Contact",
  type: "create",
  batch: true,
  records: names.map((LastName) => ({ fields: { LastName } })),
  allOrNone,
  headers: {},
});
const updates = (ids: string[], allOrNone = false): RecordWrite => ({
  ...creates([], allOrNone),
  type: "update",
  records: ids.map((id, index) => ({ id, fields: { id, LastName: `n${index}` } })),
});
const records = (request: ProviderRequest) => (request.body as unknown as { records: JsonObject[] }).records;
const saved = (id: string) => ({ id, success: true, errors: [] });
const failed = (statusCode: string, message = "no") => ({
  success: false,
  errors: [{ statusCode, message, fields: [] }],
});
const reported = (outcomes: RecordOutcome[]) =>
  outcomes.map((outcome) =>
    outcome.success ? outcome.recordId : (outcome.error.code ?? outcome.error.kind),
  );

test("a collection carries type, id and fields of every record, and the caller's headers", () => {
  const headers = { "Sforce-Auto-Assign": "FALSE" };
  assert.deepEqual(write.prepare({ ...updates([ADA]), headers }), [
    {
      method: "PATCH",
      path: "/services/data/v60.0/composite/sobjects",
      headers,
      body: { allOrNone: false, records: [{ attributes: { type: "Contact" }, id: ADA, LastName: "n0" }] },
      repeatable: true,
    },
  ]);
  assert.deepEqual(write.prepare(creates(["Byron"], true)), [
    {
      method: "POST",
      path: "/services/data/v60.0/composite/sobjects",
      headers: {},
      body: { allOrNone: true, records: [{ attributes: { type: "Contact" }, LastName: "Byron" }] },
      repeatable: false,
    },
  ]);
});

test("each record has its own result, whatever the status of the whole", async () => {
  for (const status of [200, 400]) {
    const body = [saved(ADA), failed("REQUIRED_FIELD_MISSING"), saved(BOB)];
    const result = await write.write(creates(["a", "b", "c"]), replay({ status, body }).fetch);
    assert.deepEqual(reported(result.outcomes), [ADA, "REQUIRED_FIELD_MISSING", BOB]);
  }
});

test("with allOrNone the culprit has its reason and the others say that they were rolled back", async () => {
  const body = [failed("ALL_OR_NONE_OPERATION_ROLLED_BACK"), failed("INVALID_FIELD", "No such column 'x'")];
  const result = await write.write(creates(["a", "b"], true), replay({ status: 200, body }).fetch);
  assert.deepEqual(reported(result.outcomes), ["ALL_OR_NONE_OPERATION_ROLLED_BACK", "INVALID_FIELD"]);
});

test("what allOrNone rolled back because of a locked row is worth trying again with it", async () => {
  const kinds = async (...codes: string[]) => {
    const body = codes.map((code) => failed(code));
    const { outcomes } = await write.write(
      creates(
        codes.map(() => "x"),
        true,
      ),
      replay({ status: 200, body }).fetch,
    );
    return outcomes.map((outcome) => (outcome.success ? "" : outcome.error.kind));
  };
  const rolledBack = "ALL_OR_NONE_OPERATION_ROLLED_BACK";
  assert.deepEqual(await kinds(rolledBack, "UNABLE_TO_LOCK_ROW"), ["unavailable", "unavailable"]);
  assert.deepEqual(await kinds("UNABLE_TO_LOCK_ROW", rolledBack, "INVALID_FIELD"), [
    "unavailable",
    "invalid",
    "invalid",
  ]);
});

test("a locked row is worth trying again, for that record alone", async () => {
  const body = [saved(ADA), failed("UNABLE_TO_LOCK_ROW")];
  const [, locked] = (await write.write(creates(["a", "b"]), replay({ status: 200, body }).fetch)).outcomes;
  assert.ok(locked && !locked.success);
  assert.equal(locked.error.kind, "unavailable");
  assert.ok(locked.error.retryAt);
});

/** Declarative-Lookup-Rollup-Summaries issues 847 and 1241: the lock is in the message, the code is that of the trigger. */
test("a trigger or flow that met a locked row is worth trying again", async () => {
  const message =
    "dlrs_SubscriptionTrigger: execution of AfterUpdate\n\ncaused by: System.DmlException: Update failed. First exception on row 0 with id " +
    "a0N0J00000OPSAVUA5; first error: UNABLE_TO_LOCK_ROW, unable to obtain exclusive access to this record: []";
  for (const code of ["CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", "CANNOT_EXECUTE_FLOW_TRIGGER"]) {
    const body = [saved(ADA), failed(code, message)];
    const [, locked] = (await write.write(creates(["a", "b"]), replay({ status: 200, body }).fetch)).outcomes;
    assert.ok(locked && !locked.success);
    assert.equal(locked.error.kind, "unavailable");
    assert.ok(locked.error.retryAt);
  }
});

/** rudder-transformer pull request 3498: an account's own trigger exceeds its limits with many records at once, and takes each of them alone. */
test("records that together exceed the limits of the account's triggers are written in smaller requests", async () => {
  const message = "AccountTrigger: System.LimitException: Too many SOQL queries: 101";
  const provider = replay((request) => ({
    status: 200,
    body: records(request).map(({ LastName }) => {
      if (LastName === "bad") return failed("REQUIRED_FIELD_MISSING");
      const isTooMuch = records(request).length > 2 || LastName === "never";
      return isTooMuch
        ? failed("CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", message)
        : saved(`${String(LastName)}`);
    }),
  }));
  const result = await write.write(creates(["a", "bad", "c", "never", "e"]), provider.fetch);
  assert.deepEqual(reported(result.outcomes), [
    "a",
    "REQUIRED_FIELD_MISSING",
    "c",
    "CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY",
    "e",
  ]);
  const before = provider.requests.length;
  await write.write(creates(["a", "c", "e"], true), provider.fetch);
  assert.equal(provider.requests.length, before + 1, "all or none goes in one request");
});

test("a trigger that fails for each record alone is not asked about each record of a batch", async () => {
  const message = "LeadTrigger: System.LimitException: Too many SOQL queries: 101";
  const provider = replay((request) => ({
    status: 200,
    body: records(request).map(() => failed("CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", message)),
  }));
  const names = Array.from({ length: 200 }, (_, nth) => `lead ${nth}`);
  const { outcomes } = await write.write(creates(names), provider.fetch);
  assert.equal(outcomes.filter(({ success }) => success).length, 0);
  // 200, 100, 50, 25, 13, 7, 4, 2, 1 and 1; then one more for each half that was left.
  assert.ok(provider.requests.length <= 18, `${provider.requests.length} requests`);
});

test("an id that comes again, in either form, waits for the next request", async () => {
  const provider = replay((request) => ({
    status: 200,
    body: records(request).map(({ id }) => saved(String(id))),
  }));
  const result = await write.write(updates([ADA, BOB, ADA.slice(0, 15)]), provider.fetch);
  assert.deepEqual(
    provider.requests.map((request) => records(request).map(({ id }) => id)),
    [[ADA, BOB], [ADA.slice(0, 15)]],
  );
  assert.deepEqual(reported(result.outcomes), [ADA, BOB, ADA.slice(0, 15)]);
});

test("allOrNone that one request cannot keep is refused before anything is sent", async () => {
  for (const ids of [
    [ADA, ADA],
    [ADA, "nonsense"],
  ]) {
    const provider = replay({ status: 200, body: [] });
    const result = await write.write(updates(ids, true), provider.fetch);
    assert.equal(provider.requests.length, 0);
    assert.ok(result.outcomes.every((outcome) => !outcome.success && outcome.error.kind === "invalid"));
  }
});

test("a bad id fails its record alone", async () => {
  const provider = replay((request) => ({
    status: 200,
    body: records(request).map(({ id }) => saved(String(id))),
  }));
  const result = await write.write(updates([ADA, "a' OR Id != '", BOB]), provider.fetch);
  assert.deepEqual(reported(result.outcomes), [ADA, "MALFORMED_ID", BOB]);
});

test("a value that cannot be parsed refuses the whole request, but fails only its record", async () => {
  const provider = replay((request): Reply => {
    if (records(request).every(({ LastName }) => LastName !== "c")) {
      return { status: 200, body: records(request).map(() => saved(ADA)) };
    }
    return {
      status: 400,
      body: [{ errorCode: "JSON_PARSER_ERROR", message: "Cannot deserialize instance of date" }],
    };
  });
  const result = await write.write(creates(["a", "b", "c", "d"]), provider.fetch);
  assert.deepEqual(reported(result.outcomes), [ADA, ADA, "JSON_PARSER_ERROR", ADA]);
});

test("an unknown object fails every record in one request", async () => {
  const body = [{ errorCode: "INVALID_TYPE", message: "sObject type 'Accout' is not supported." }];
  const provider = replay({ status: 400, body });
  const result = await write.write({ ...creates(["a", "b"]), objectName: "Accout" }, provider.fetch);
  assert.deepEqual(reported(result.outcomes), ["INVALID_TYPE", "INVALID_TYPE"]);
  assert.equal(provider.requests.length, 1);
});

test("more records than one collection holds go in several", async () => {
  const provider = replay((request) => ({ status: 200, body: records(request).map(() => saved(ADA)) }));
  const result = await write.write(creates(Array.from({ length: 250 }, () => "x")), provider.fetch);
  assert.deepEqual(
    provider.requests.map((request) => records(request).length),
    [200, 50],
  );
  assert.equal(result.outcomes.length, 250);
});

/** `SaveResult` of Salesforce's WSDL (jsforce 3.10, src/api/soap/wsdl.xml): the id of a result may be nil, what counts is `success`. */
test("a record that was written counts as written, also where its result has no id", async () => {
  const done = { status: 200, body: [{ success: true, errors: [] }] };
  const updated = await write.write(updates([ADA]), replay(done).fetch);
  assert.deepEqual(reported(updated.outcomes), [ADA]);
  const created = await write.write(creates(["Byron"]), replay(done).fetch);
  assert.deepEqual(reported(created.outcomes), ["unreadable"]);
});
