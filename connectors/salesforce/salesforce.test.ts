/** Salesforce writes of one record: one call for write and read-back, and errors in all their forms. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../ground/json.ts";
import type { RecordOutcome, RecordToWrite, RecordWrite } from "../../connector-kit/connector.ts";
import { testConnector } from "../../connector-kit/testing/connector-suite.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { orderWrite } from "../../connector-kit/testing/order-fixture.ts";
import { replay, type Reply } from "../../connector-kit/testing/replay.ts";
import { classify } from "./classify.ts";
import { findIdFault, toLongId } from "./id.ts";
import { write } from "./write.ts";

const ADA = "003ak00000jvIfpAAE";
const BOB = "003ak00000jvIfqAAE";

testConnector(
  "salesforce",
  { write, classify },
  {
    objectName: "Contact",
    fields: { LastName: "Byron" },
    ids: [ADA, BOB, "003ak00000luKU1AAM"],
    sameIds: [[ADA, ADA.slice(0, 15)]],
    upsertKey: "External_Id__c",
  },
);

const single = (
  type: RecordWrite["type"],
  record: RecordToWrite,
  more: Partial<RecordWrite> = {},
): RecordWrite => ({ ...orderWrite("Contact", type, record), ...more });
const composite = (written: [number, Json], read: [number, Json]): Reply => ({
  status: 200,
  body: {
    compositeResponse: [
      { referenceId: "write", httpStatusCode: written[0], httpHeaders: {}, body: written[1] },
      { referenceId: "read", httpStatusCode: read[0], httpHeaders: {}, body: read[1] },
    ],
  },
});
const attributes = { type: "Contact", url: `/services/data/v60.0/sobjects/Contact/${ADA}` };
const onlyError = (outcomes: RecordOutcome[]): ProviderError => {
  const [outcome] = outcomes;
  assert.ok(outcome && !outcome.success);
  return outcome.error;
};

test("a create is written and read back in one call", async () => {
  const read = { attributes, Id: ADA, LastName: "Byron", Name__c: "by trigger" };
  const provider = replay(composite([201, { id: ADA, success: true, errors: [] }], [200, read]));
  const fields = { Id: "ignored", LastName: "Byron", Name__c: "x", Account: { Ext__c: "7" } };
  const result = await write.write(single("create", { fields }), provider.fetch);
  assert.deepEqual(result, {
    outcomes: [{ success: true, recordId: ADA, data: { Id: ADA, LastName: "Byron", Name__c: "by trigger" } }],
    warnings: [],
  });
  assert.deepEqual(provider.requests, [
    {
      method: "POST",
      path: "/services/data/v60.0/composite",
      body: {
        allOrNone: false,
        collateSubrequests: false,
        compositeRequest: [
          {
            method: "POST",
            url: "/services/data/v60.0/sobjects/Contact",
            referenceId: "write",
            body: { LastName: "Byron", Name__c: "x", Account: { Ext__c: "7" } },
          },
          {
            method: "GET",
            url: "/services/data/v60.0/sobjects/Contact/@{write.id}?fields=Id,LastName,Name__c",
            referenceId: "read",
          },
        ],
      },
      repeatable: false,
    },
  ]);
});

test("an update answers 204 without a body, so the id is the caller's", async () => {
  const provider = replay(composite([204, null], [200, { attributes, Id: ADA, LastName: "Byron" }]));
  const result = await write.write(
    single("update", { id: ADA, fields: { id: ADA, LastName: "Byron" } }),
    provider.fetch,
  );
  assert.deepEqual(result.outcomes, [{ success: true, recordId: ADA, data: { Id: ADA, LastName: "Byron" } }]);
  assert.equal(provider.requests[0]?.repeatable, true);
});

test("a read-back that fails is a warning: the record was written", async () => {
  const noSuchColumn = [
    { errorCode: "INVALID_FIELD", message: "No such column 'Secret__c' on sobject of type Contact" },
  ];
  const provider = replay(composite([201, { id: ADA, success: true, errors: [] }], [400, noSuchColumn]));
  const result = await write.write(single("create", { fields: { Secret__c: 1 } }), provider.fetch);
  assert.deepEqual(result.outcomes, [{ success: true, recordId: ADA }]);
  assert.match(result.warnings.join(), /reading it back failed: No such column/);
});

test("a refused write is reported with its reason, whatever became of the read-back", async () => {
  const missing = [
    {
      errorCode: "REQUIRED_FIELD_MISSING",
      message: "Required fields are missing: [LastName]",
      fields: ["LastName"],
    },
  ];
  const halted = [{ errorCode: "PROCESSING_HALTED", message: "Invalid reference specified." }];
  const result = await write.write(
    single("create", { fields: {} }),
    replay(composite([400, missing], [400, halted])).fetch,
  );
  const error = onlyError(result.outcomes);
  assert.equal(error.kind, "invalid");
  assert.equal(error.code, "REQUIRED_FIELD_MISSING");
  assert.equal(error.message, "Required fields are missing: [LastName]");
  assert.deepEqual(JSON.parse(result.rawResponse ?? ""), missing);
});

test("a success status with success:false inside is a failure", async () => {
  const body = {
    id: ADA,
    success: false,
    errors: [{ statusCode: "MALFORMED_ID", message: "malformed id", fields: [] }],
  };
  const result = await write.write(
    single("create", { fields: {} }),
    replay(composite([200, body], [200, {}])).fetch,
  );
  assert.equal(onlyError(result.outcomes).code, "MALFORMED_ID");
});

test("headers of the caller go with a plain request, followed by the read-back", async () => {
  const headers = { "Sforce-Auto-Assign": "FALSE" };
  const provider = replay(
    { status: 201, body: { id: ADA, success: true, errors: [] } },
    { status: 200, body: { attributes, Id: ADA, LastName: "Byron" } },
  );
  const result = await write.write(
    single("create", { fields: { LastName: "Byron" } }, { headers }),
    provider.fetch,
  );
  assert.deepEqual(result.outcomes, [{ success: true, recordId: ADA, data: { Id: ADA, LastName: "Byron" } }]);
  assert.deepEqual(
    provider.requests.map(({ method, path, headers: sent }) => [method, path, sent]),
    [
      ["POST", "/services/data/v60.0/sobjects/Contact", headers],
      ["GET", `/services/data/v60.0/sobjects/Contact/${ADA}?fields=Id,LastName`, undefined],
    ],
  );
});

test("a read-back that gets no answer does not undo a plain write either", async () => {
  const lost = new ProviderError({ kind: "timeout", message: "no answer" });
  const provider = replay({ status: 201, body: { id: ADA, success: true } }, lost);
  const headers = { "Sforce-Mru": "updateMru=true" };
  const result = await write.write(single("create", { fields: {} }, { headers }), provider.fetch);
  assert.deepEqual(result.outcomes, [{ success: true, recordId: ADA }]);
  assert.match(result.warnings.join(), /no answer/);
});

test("a write that asks for no data is one plain request", async () => {
  const provider = replay({ status: 204 });
  const result = await write.write(
    single("update", { id: ADA, fields: { A: 1 } }, { readBack: false }),
    provider.fetch,
  );
  assert.deepEqual(result.outcomes, [{ success: true, recordId: ADA }]);
  assert.deepEqual(
    provider.requests.map(({ method, path }) => [method, path]),
    [["PATCH", `/services/data/v60.0/sobjects/Contact/${ADA}`]],
  );
});

test("a delete forwards headers and tells when the record is already gone", async () => {
  const headers = { "Sforce-Call-Options": "client=x" };
  const provider = replay({ status: 204 });
  const result = await write.write(single("delete", { id: ADA, fields: {} }, { headers }), provider.fetch);
  assert.deepEqual(result.outcomes, [{ success: true, recordId: ADA }]);
  assert.deepEqual(provider.requests[0]?.headers, headers);
  const gone = replay({
    status: 404,
    body: [{ errorCode: "ENTITY_IS_DELETED", message: "entity is deleted", fields: [] }],
  });
  assert.equal(
    onlyError((await write.write(single("delete", { id: ADA, fields: {} }), gone.fetch)).outcomes).kind,
    "not_found",
  );
});

test("headers that belong to the connection or would begin another are refused unsent", async () => {
  const refused: Record<string, string>[] = [
    { Authorization: "Bearer x" },
    { hOsT: "evil" },
    { "X-A": "1\r\nX-B: 2" },
    { "X A": "1" },
  ];
  for (const headers of refused) {
    const provider = replay({ status: 200 });
    const result = await write.write(single("create", { fields: {} }, { headers }), provider.fetch);
    assert.equal(onlyError(result.outcomes).kind, "invalid");
    assert.equal(provider.requests.length, 0);
  }
});

const classified = (status: number, errorCode: string, message = "x", more: JsonObject = {}) =>
  classify({ status, headers: {}, text: JSON.stringify([{ errorCode, message, ...more }]) });

test("the request limits are told apart by their sentence", () => {
  const waitMs = (message: string) =>
    (classified(403, "REQUEST_LIMIT_EXCEEDED", message)?.retryAt?.getTime() ?? 0) - Date.now();
  const concurrent = waitMs("ConcurrentRequests (Concurrent API Requests) Limit exceeded.");
  const daily = waitMs("TotalRequests Limit exceeded.");
  assert.ok(concurrent > 5000 && concurrent < 30_000);
  assert.ok(daily > 3_500_000 && daily <= 3_600_000);
  assert.equal(classified(403, "REQUEST_LIMIT_EXCEEDED")?.kind, "rate_limited");
});

test("every documented refusal has its kind", () => {
  const kinds = {
    INVALID_SESSION_ID: "unauthorized",
    INVALID_AUTH_HEADER: "unauthorized",
    // Codes of the WSDL in jsforce 3.10 (src/api/soap/wsdl.xml, 2026-06-29) that say that they pass.
    API_CURRENTLY_DISABLED: "unavailable",
    REQUEST_RUNNING_TOO_LONG: "unavailable",
    ORG_IN_MAINTENANCE: "unavailable",
    INSERT_UPDATE_DELETE_NOT_ALLOWED_DURING_MAINTENANCE: "unavailable",
    FUNCTIONALITY_TEMPORARILY_UNAVAILABLE: "unavailable",
    PLATFORM_EVENT_PUBLISHING_UNAVAILABLE: "unavailable",
    TERRITORY_REALIGN_IN_PROGRESS: "unavailable",
    MATCH_SERVICE_TIMED_OUT: "unavailable",
    MATCH_SERVICE_UNAVAILABLE_ERROR: "unavailable",
    FUNCTIONALITY_NOT_ENABLED: "forbidden",
    CANNOT_MODIFY_MANAGED_OBJECT: "forbidden",
    API_DISABLED_FOR_ORG: "forbidden",
    INSUFFICIENT_ACCESS_OR_READONLY: "forbidden",
    INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY: "forbidden",
    STORAGE_LIMIT_EXCEEDED: "forbidden",
    UNABLE_TO_LOCK_ROW: "unavailable",
    TXN_SECURITY_METERING_ERROR: "unavailable",
    QUERY_TIMEOUT: "unavailable",
    SERVER_UNAVAILABLE: "unavailable",
    UNKNOWN_EXCEPTION: "unavailable",
    DUPLICATE_VALUE: "conflict",
    DUPLICATES_DETECTED: "conflict",
    ENTITY_IS_DELETED: "not_found",
    NOT_FOUND: "not_found",
    LOGIN_RATE_EXCEEDED: "locked_out",
    FIELD_CUSTOM_VALIDATION_EXCEPTION: "invalid",
    ANYTHING_NEW: "invalid",
  };
  for (const [code, kind] of Object.entries(kinds)) assert.equal(classified(400, code)?.kind, kind, code);
  assert.equal(classified(403, "API_CURRENTLY_DISABLED", "API is disabled for this User")?.kind, "forbidden");
  // github.com/restforce/restforce, issue 468
  assert.match(classified(400, "QUERY_TOO_COMPLICATED")?.message ?? "", /name the fields to read/);
  for (const text of ["Bad_OAuth_Token", "Missing_OAuth_Token\n"])
    assert.equal(classify({ status: 403, headers: {}, text })?.kind, "unauthorized");
  assert.equal(classified(401, "INVALID_SESSION_ID", "Session expired or invalid")?.kind, "unauthorized");
  const forever = "This session is not valid for use with the REST API";
  assert.equal(classified(401, "INVALID_SESSION_ID", forever)?.kind, "forbidden");
});

/** REST API Developer Guide, Status Codes and Error Responses (read 2026-11-27); 408 and 429 are those of RFC 9110 and RFC 6585. */
test("a refusal whose code is not known is what its status says", (t) => {
  const kinds = {
    302: "unavailable",
    400: "invalid",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    408: "timeout",
    409: "conflict",
    410: "not_found",
    429: "rate_limited",
    500: "unavailable",
    503: "unavailable",
  };
  for (const [status, kind] of Object.entries(kinds))
    assert.equal(classified(Number(status), "A_NEW_CODE")?.kind, kind, status);
  const several = ["/services/data/v60.0/sobjects/Contact/003ak00000jvIfpAAE"];
  const ambiguous = classify({ status: 300, headers: {}, text: JSON.stringify(several) });
  assert.equal(ambiguous?.kind, "conflict");
  assert.match(ambiguous.message, /more than one record/);
  const nowMs = Date.now();
  t.mock.method(Date, "now", () => nowMs);
  const waitMs = (error?: ProviderError) => (error?.retryAt?.getTime() ?? 0) - nowMs;
  assert.ok(Math.abs(waitMs(classify({ status: 429, headers: {}, text: "" })) - 10_000) < 1_000);
  assert.ok(Math.abs(waitMs(classified(400, "UNABLE_TO_LOCK_ROW")) - 3_000) < 1_000);
});

/** Guide, Status Codes and Error Responses: an error may have `fields`, the names that it is about. */
test("a refusal names the fields that Salesforce names", () => {
  const message = "Required fields are missing: [LastName]";
  const error = classified(400, "REQUIRED_FIELD_MISSING", message, { fields: ["LastName"] });
  assert.deepEqual(error?.fields, ["LastName"]);
});

test("a hidden field and a duplicate are explained beyond Salesforce's own sentence", () => {
  const column = "No such column 'Score__c' on sobject of type Contact";
  assert.match(classified(400, "INVALID_FIELD", column)?.message ?? "", /may not see the field/);
  const duplicateResult = { matchResults: [{ matchRecords: [{ record: { Id: BOB } }] }] };
  const duplicate = classified(400, "DUPLICATES_DETECTED", "Use one of these records?", { duplicateResult });
  assert.equal(duplicate?.message, `Use one of these records? Existing: ${BOB}`);
});

test("both forms of an id are one id", () => {
  assert.equal(toLongId("003ak00000jvIfp"), ADA);
  assert.equal(toLongId(ADA), ADA);
  assert.equal(toLongId("001RM000003oLru"), "001RM000003oLruYAE");
  for (const id of ["003ak00000jvIf", "003ak00000jvIfpAA", "003ak00000jvIfp'--", "", undefined])
    assert.equal(findIdFault(id)?.code, "MALFORMED_ID");
  // Each of the last three characters stands for five: 31 is `5`.
  assert.equal(toLongId("ABCDE0000z00000"), "ABCDE0000z000005AA");
  assert.equal(toLongId("00000abcdZFGHIJ"), "00000abcdZFGHIJAQ5");
});

test("current values come back under the ids and names that were asked for", async () => {
  const provider = replay((request) => {
    const { ids } = request.body as { ids: string[] };
    const records = ids.map((id) =>
      id === BOB ? null : { attributes, Id: id, MailingCity: null, Phone: "1" },
    );
    return { status: 200, body: records.toReversed() };
  });
  const asked = ["003ak00000jvIfp", ADA, BOB, "nonsense"];
  const found = await write.readFields(
    { objectName: "Contact", ids: asked, fields: ["mailingcity", "Phone"] },
    provider.fetch,
  );
  assert.deepEqual(
    [...found],
    [
      ["003ak00000jvIfp", { mailingcity: null, Phone: "1" }],
      [ADA, { mailingcity: null, Phone: "1" }],
    ],
  );
  assert.deepEqual(
    provider.requests.map(({ path, body }) => [path, body]),
    [
      [
        "/services/data/v60.0/composite/sobjects/Contact",
        { ids: [ADA, BOB], fields: ["Id", "mailingcity", "Phone"] },
      ],
    ],
  );
  assert.ok(write.isEmpty(null) && !write.isEmpty(false) && !write.isEmpty(0));
});

test("several choices go out as one text with semicolons, none as null", async () => {
  const fields = { LastName: "Byron", Interests__c: ["tea", "chess"], Sizes__c: [] };
  const provider = replay({ status: 204 });
  await write.write(single("update", { id: ADA, fields }, { readBack: false }), provider.fetch);
  assert.deepEqual(provider.requests[0]?.body, {
    LastName: "Byron",
    Interests__c: "tea;chess",
    Sizes__c: null,
  });
});

/** Guide, Call Options Header, and Composite: `httpHeaders` of a part. */
test("an operation is named as the client of the call, unless the caller names one", async () => {
  const operationId = "01930f5e-0000-7000-8000-000000000001";
  const provider = replay(composite([201, { id: ADA, success: true, errors: [] }], [200, { Id: ADA }]), {
    status: 201,
    body: { id: ADA, success: true, errors: [] },
  });
  await write.write(single("create", { fields: { LastName: "x" } }, { operationId }), provider.fetch);
  assert.match(JSON.stringify(provider.requests[0]?.body), /"httpHeaders":\{"Sforce-Call-Options":"client=/);
  const headers = { "Sforce-call-options": "client=own" };
  const own = { operationId, headers, readBack: false };
  await write.write(single("create", { fields: { LastName: "x" } }, own), provider.fetch);
  assert.deepEqual(provider.requests[1]?.headers, headers);
});

test("more fields than an address holds are read back with the whole record", async () => {
  const names = Array.from({ length: 300 }, (_, index) => `A_Field_With_A_Long_Name_${100 + index}__c`);
  const provider = replay(composite([201, { id: ADA, success: true, errors: [] }], [200, { Id: ADA }]));
  const fields = Object.fromEntries(names.map((name) => [name, "x"]));
  await write.write(single("create", { fields }), provider.fetch);
  assert.match(
    JSON.stringify(provider.requests[0]?.body),
    /"url":"\/services\/data\/v60\.0\/sobjects\/Contact\/@\{write\.id\}"/,
  );
});
