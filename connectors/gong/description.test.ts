/** Gong's requests and answers as its documentation and reports of other clients show them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { getValueAt } from "../../connector-kit/calls/get-text-at.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { isJsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write } = CONNECTORS["gong"] ?? {};
assert.ok(read && write);

const CALL = "7782342274025937895";
const call = {
  metaData: {
    id: CALL,
    url: `https://app.gong.io/call?id=${CALL}`,
    started: "2026-11-20T09:00:00Z",
    duration: 61,
  },
  parties: [{ id: "6", name: "Ada" }],
};
const page = (cursor?: string) => ({
  status: 200,
  body: {
    requestId: "4al018gzaztcr8nbukw",
    records: {
      totalRecords: 2,
      currentPageSize: 1,
      currentPageNumber: 0,
      ...(cursor !== undefined && { cursor }),
    },
    calls: [call],
  },
});

test("the cursor of a list by POST goes into the body, beside the bound and what to select", async () => {
  const { fetch, requests } = replay(page("eyJ.a"), page());
  const asked = planRead("calls", { since: new Date("2026-11-19T00:00:00Z") });
  const first = await read.readPage(asked, undefined, fetch);
  const last = await read.readPage(asked, first.next, fetch);
  const sent = requests.map(({ method, path, body }) => {
    assert.ok(body !== undefined && isJsonObject(body));
    return [method, path, body["cursor"], body["filter"], getValueAt(body, "contentSelector.context")];
  });
  assert.deepEqual(
    sent,
    [undefined, "eyJ.a"].map((cursor) => [
      "POST",
      "/v2/calls/extensive",
      cursor,
      { fromDateTime: "2026-11-19T00:00:00Z" },
      "Basic",
    ]),
  );
  assert.equal(last.next, undefined);
  const [record] = first.records;
  assert.equal(record?.id, CALL);
  assert.equal(record.values["duration"], 61);
  assert.deepEqual(record.values["parties"], call.parties);
});

test("the cursor of a list by GET goes into the query", () => {
  assert.equal(read.preparePage(planRead("users"), { place: "eyJ.a" }).path, "/v2/users?cursor=eyJ.a");
});

test("no calls are an empty list, and another missing address is a refusal", async () => {
  const refusal = (reason: string) =>
    replay({ status: 404, body: { requestId: "4al", errors: [reason] } }).fetch;
  const empty = refusal("No calls found corresponding to the provided filters");
  assert.deepEqual((await read.readPage(planRead("calls"), undefined, empty)).records, []);
  await assert.rejects(read.readPage(planRead("calls"), undefined, refusal("Not Found")), {
    kind: "not_found",
  });
});

test("scheduled reads go back a day: a call is listed by its start, after it was processed", () => {
  assert.equal(read.abilities.overlapMs, 24 * 3_600_000);
});

test("a created call has the id of the answer, whose members are not the call's", async () => {
  const { fetch, requests } = replay({
    status: 201,
    body: { requestId: "4al018gzaztcr8nbukw", callId: CALL, url: "https://app.gong.io/call" },
  });
  const fields = { clientUniqueId: "c-77", direction: "Outbound" };
  const { outcomes } = await write.write(orderWrite("calls", "create", { fields }), fetch);
  assert.deepEqual(outcomes, [{ success: true, recordId: CALL }]);
  assert.equal(requests.length, 1);
  assert.deepEqual(requests[0]?.body, fields);
});

test("flows are listed for the address of each user", async () => {
  const { fetch, requests } = replay(
    { status: 200, body: { users: [{ id: "1", emailAddress: "ada+x@example.com" }], records: {} } },
    { status: 200, body: { flows: [{ id: "7", name: "Pens" }], records: {} } },
  );
  const { records } = await read.readPage(planRead("flows"), undefined, fetch);
  assert.deepEqual(
    records.map(({ id }) => id),
    ["7"],
  );
  assert.equal(requests[1]?.path, "/v2/flows?flowOwnerEmail=ada%2Bx%40example.com");
});

test("reasons of a refusal are joined", async () => {
  const { fetch } = replay({
    status: 400,
    body: { requestId: "4al", errors: ["direction: must not be null", "parties: must not be empty"] },
  });
  const [outcome] = (await write.write(orderWrite("calls", "create", { fields: {} }), fetch)).outcomes;
  assert.ok(outcome && !outcome.success);
  assert.equal(outcome.error.message, "direction: must not be null; parties: must not be empty");
});

test("an update of a meeting keeps its id, whatever the answer says", async () => {
  const { fetch } = replay({ status: 200, body: { requestId: "4al", meetingId: "9", id: "other" } });
  // The four members that Gong's file demands of each update.
  const fields = {
    title: "Pens",
    startTime: "2026-11-21T10:00:00Z",
    endTime: "2026-11-21T11:00:00Z",
    organizerEmail: "ada@example.com",
    invitees: [{ email: "bo@example.com" }],
  };
  const { outcomes } = await write.write(orderWrite("meetings", "update", { id: "600", fields }), fetch);
  assert.deepEqual(outcomes, [{ success: true, recordId: "600" }]);
});
