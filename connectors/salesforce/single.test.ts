/** Salesforce writes of one record: when the write and the read-back cannot go in one composite request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordWrite } from "../../connector-kit/connector.ts";
import { orderWrite } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { write } from "./write.ts";

/**
 * REST API Developer Guide, Composite Subrequest (read 2026-11-28): `@{referenceId.FieldName}` in the body of a part is replaced by what another
 * part answered, and refused if there is no such part.
 */
test("a value that looks like a reference of a composite request is written as it is", async () => {
  const fields = { LastName: "@{home}", Description: "ping @{write.id}" };
  const provider = replay(
    { status: 201, body: { id: "003ak00000jvIfpAAE", success: true, errors: [] } },
    { status: 200, body: {} },
  );
  const order = orderWrite("Contact", "create", { fields });
  await write.write(order, provider.fetch);
  const [sent] = provider.requests;
  assert.deepEqual([sent?.path, sent?.body], ["/services/data/v60.0/sobjects/Contact", fields]);
  assert.deepEqual(
    write.prepare(order).map(({ path }) => path.split("?")[0]),
    ["/services/data/v60.0/sobjects/Contact", "/services/data/v60.0/sobjects/Contact/{id}"],
  );
});

const upsert: RecordWrite = {
  objectName: "Contact",
  type: "upsert",
  key: "Erp__c",
  batch: false,
  records: [{ fields: { Erp__c: "7", LastName: "Quill" } }],
  allOrNone: false,
  headers: {},
};

/** REST API Developer Guide, Upsert (read 2026-11-28): 201 with `created: true` for a new record, 200 with `created: false` for one that was there. */
for (const [created, status] of [
  [true, 404],
  [false, 405],
] as const)
  test(`an upsert whose composite request is answered ${status} tells that a record was ${created ? "created" : "updated"}`, async () => {
    const provider = replay(
      { status, body: [{ errorCode: "NOT_FOUND", message: "The requested resource does not exist" }] },
      { status: created ? 201 : 200, body: { id: "003ak00000jvIfpAAE", success: true, errors: [], created } },
      { status: 200, body: { LastName: "Quill" } },
    );
    const { outcomes } = await write.write(upsert, provider.fetch);
    assert.deepEqual(outcomes, [
      { success: true, recordId: "003ak00000jvIfpAAE", data: { LastName: "Quill" }, created },
    ]);
    assert.deepEqual(
      provider.requests.map(({ method }) => method),
      ["POST", "PATCH", "GET"],
    );
  });

const answeredPart = (status: number, errorCode: string) => ({
  status: 200,
  body: {
    compositeResponse: [
      {
        body: [{ errorCode, message: "An unexpected error occurred" }],
        httpHeaders: {},
        httpStatusCode: status,
        referenceId: "write",
      },
      {
        body: [{ errorCode: "PROCESSING_HALTED", message: "Invalid reference specified" }],
        httpHeaders: {},
        httpStatusCode: 400,
        referenceId: "read",
      },
    ],
  },
});

/** A part is a request of its own: Salesforce also answers 500 after it has stored a record (REST API Developer Guide, Status Codes). */
test("a create whose part of a composite request is answered 500 may have been carried out", async () => {
  const create: RecordWrite = { ...upsert, type: "create" };
  await assert.rejects(write.write(create, replay(answeredPart(500, "UNKNOWN_EXCEPTION")).fetch), {
    kind: "unknown_outcome",
    code: "UNKNOWN_EXCEPTION",
  });
  await assert.rejects(write.write(upsert, replay(answeredPart(500, "UNKNOWN_EXCEPTION")).fetch), {
    kind: "unavailable",
  });
  await assert.rejects(write.write(create, replay(answeredPart(403, "REQUEST_LIMIT_EXCEEDED")).fetch), {
    kind: "rate_limited",
  });
});

/** RFC 9110: fields of the connection (7.6.1) and of the body (8), Expect (10.1.1), credentials (11); Cookie is RFC 6265's. */
test("headers of the connection, of the body and of the credentials cannot be set by the caller, in any case", async () => {
  const names =
    "Connection Keep-Alive TE Trailer Transfer-Encoding Upgrade Content-Encoding Content-Length Content-Type Accept-Encoding Expect Host " +
    "Authorization Proxy-Authorization Cookie";
  for (const name of names.split(" "))
    for (const spelt of [name, name.toUpperCase(), name.toLowerCase()]) {
      const { fetch, requests } = replay({ status: 204 });
      const { outcomes } = await write.write({ ...upsert, headers: { [spelt]: "x" } }, fetch);
      const [outcome] = outcomes;
      assert.ok(outcome && !outcome.success, name);
      assert.match(outcome.error.message, /cannot be set by the caller/, name);
      assert.equal(requests.length, 0);
    }
});
