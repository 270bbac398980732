/** Marketo's requests and answers as its documentation shows them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { RecordWrite } from "../../connector-kit/connector.ts";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import type { JsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write } = CONNECTORS["marketo"] ?? {};
assert.ok(read && write);

const answer = (more: JsonObject) => ({
  status: 200,
  body: { requestId: "b267#19", success: true, ...more },
});
const failure = (code: string, message: string) => ({
  status: 200,
  body: { requestId: "b267#20", success: false, errors: [{ code, message }] },
});
const ada = { id: 550, email: "ada@example.com", firstName: "Ada", updatedAt: "2026-11-20T09:00:00Z" };

test("a create is no update, and the lead is read back by the id of its result", async () => {
  const { fetch, requests } = replay(
    answer({ result: [{ id: 550, status: "created" }] }),
    answer({ result: [ada] }),
  );
  const fields = { email: "ada@example.com", firstName: "Ada" };
  const { outcomes } = await write.write(orderWrite("leads", "create", { fields }), fetch);
  assert.deepEqual(outcomes, [{ success: true, recordId: "550", data: ada }]);
  assert.deepEqual(
    requests.map(({ method, path, body }) => [method, path, body]),
    [
      ["POST", "/rest/v1/leads.json", { input: [fields], action: "createOnly", lookupField: "email" }],
      ["GET", "/rest/v1/lead/550.json?fields=email%2CfirstName%2Cid", undefined],
    ],
  );
});

test("an update names the lead by its id, as a number in the only entry", async () => {
  const { fetch, requests } = replay(
    answer({ result: [{ id: 550, status: "updated" }] }),
    answer({ result: [ada] }),
  );
  const fields = { title: "CTO" };
  const { outcomes } = await write.write(orderWrite("leads", "update", { id: "550", fields }), fetch);
  assert.ok(outcomes[0]?.success && outcomes[0].recordId === "550");
  assert.deepEqual(requests[0]?.body, {
    input: [{ title: "CTO", id: 550 }],
    action: "updateOnly",
    lookupField: "id",
  });
});

test("a skipped record is a refusal, of the kind of its code, though the call was a success", async () => {
  const skipped = (code: string, message: string) =>
    replay(answer({ result: [{ status: "skipped", reasons: [{ code, message }] }] })).fetch;
  const classifyKind = async (order: RecordWrite, fetch: ReturnType<typeof skipped>) => {
    const [outcome] = (await write.write(order, fetch)).outcomes;
    return outcome?.success === false && `${outcome.error.kind}: ${outcome.error.message}`;
  };
  const create = orderWrite("leads", "create", { fields: { email: "ada@example.com" } });
  const update = orderWrite("leads", "update", { id: "550", fields: {} });
  assert.equal(
    await classifyKind(create, skipped("1005", "Lead already exists")),
    "conflict: Lead already exists",
  );
  assert.equal(await classifyKind(update, skipped("1004", "Lead not found")), "not_found: Lead not found");
  assert.equal(
    await classifyKind(update, skipped("1006", "Field 'x' not found")),
    "invalid: Field 'x' not found",
  );
});

test("a deletion sends the id as an entry, and a lead that is gone is a success with a warning", async () => {
  const { fetch, requests } = replay(
    answer({ result: [{ status: "skipped", reasons: [{ code: "1004", message: "Lead not found" }] }] }),
  );
  const order = orderWrite("leads", "delete", { id: "550", fields: {} });
  const { outcomes, warnings } = await write.write(order, fetch);
  assert.ok(outcomes[0]?.success && warnings.length === 1);
  assert.equal(requests[0]?.path, "/rest/v1/leads/delete.json");
  assert.deepEqual(requests[0].body, { input: [{ id: 550 }] });
});

test("of a batch, each record has its own outcome", async () => {
  const { fetch, requests } = replay(
    answer({
      result: [
        { id: 550, status: "updated" },
        { status: "skipped", reasons: [{ code: "1003", message: "Email is invalid" }] },
        { id: 551, status: "created" },
      ],
    }),
  );
  const records = ["ada", "bob", "cleo"].map((name) => ({ fields: { email: `${name}@example.com` } }));
  const order = { ...orderWrite("leads", "upsert", { fields: {} }), key: "email", batch: true, records };
  const { outcomes } = await write.write(order, fetch);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.message)),
    ["550", "Email is invalid", "551"],
  );
  assert.deepEqual(requests[0]?.body, {
    action: "createOrUpdate",
    lookupField: "email",
    input: records.map(({ fields }) => fields),
  });
});

test("an expired token, a used up quota and an outage have the status 200", async () => {
  const kinds = [];
  for (const [code, message] of [
    ["602", "Access token expired"],
    ["606", "Max rate limit '100' exceeded with in '20' secs"],
    ["607", "Daily quota reached"],
    ["615", "Concurrent access limit reached"],
    ["611", "System error"],
  ] as const) {
    const { fetch } = replay(failure(code, message));
    kinds.push(
      await read.readPage(planRead("programs"), undefined, fetch).catch(({ kind }: { kind: string }) => kind),
    );
  }
  assert.deepEqual(kinds, ["unauthorized", "rate_limited", "rate_limited", "rate_limited", "unavailable"]);
});

test("activities begin with a token for the bound, and go on over an empty page as long as there are more", async () => {
  const since = new Date("2026-11-20T00:00:00Z");
  const activity = {
    id: 102988,
    marketoGUID: "102988",
    leadId: 550,
    activityDate: "2026-11-20T09:00:00Z",
    activityTypeId: 12,
    attributes: [],
  };
  const { fetch, requests } = replay(
    answer({ nextPageToken: "GIYDAOBNGEYS2MBWKQYDAORQ" }),
    answer({ nextPageToken: "B====", moreResult: true }),
    answer({ nextPageToken: "C====", moreResult: false, result: [activity] }),
  );
  const asked = planRead("activities", { since });
  assert.equal(
    read.preparePage(asked).path,
    "/rest/v1/activities/pagingtoken.json?sinceDatetime=2026-11-20T00%3A00%3A00Z",
  );
  const first = await read.readPage(asked, undefined, fetch);
  assert.deepEqual(first.records, []);
  assert.equal(first.next?.["place"], "B====");
  const second = await read.readPage(asked, first.next, fetch);
  assert.deepEqual(
    second.records.map(({ id }) => id),
    ["102988"],
  );
  // Those of the other types follow.
  assert.equal(second.next?.["place"], undefined);
  assert.deepEqual(
    requests.map(({ path }) => new URL(path, "https://x.invalid").searchParams.get("nextPageToken")),
    [null, "GIYDAOBNGEYS2MBWKQYDAORQ", "B===="],
  );
});

test("assets without records have no list, and their times name the zone twice", async () => {
  const none = replay(answer({ warnings: ["No assets found for the given search criteria."] }));
  assert.deepEqual((await read.readPage(planRead("emails"), undefined, none.fetch)).records, []);
  const { fetch } = replay(
    answer({ result: [{ id: 7, name: "Pens", updatedAt: "2026-11-20T09:00:00Z+0000" }] }),
  );
  const page = await read.readPage(planRead("programs"), undefined, fetch);
  assert.deepEqual(page.records[0]?.changeTime, new Date("2026-11-20T09:00:00Z"));
});

test("the leads of a static list are an object by the list's id", () => {
  assert.equal(
    read.preparePage(planRead("list/1001", { fields: ["email"], pageSize: 2 })).path,
    "/rest/v1/list/1001/leads.json?batchSize=2&fields=email%2Cid%2CupdatedAt",
  );
});

/** Adobe's page of activities, "Deleted leads", and its OpenAPI file: `sinceDatetime` of the token, "greater than 14 days old may be pruned". */
test("deleted leads are told by the list of deletions, behind a token for the bound", async () => {
  const deletion = (id: number, leadId: number, activityDate: string) => ({
    id,
    marketoGUID: String(id),
    leadId,
    activityDate,
    activityTypeId: 37,
    primaryAttributeValueId: leadId,
    primaryAttributeValue: "Owyliphys Iledil",
    attributes: [],
  });
  const until = new Date();
  const since = new Date(until.getTime() - 3_600_000);
  const at = `${new Date(until.getTime() - 60_000).toISOString().slice(0, 19)}+0000`;
  const { fetch, requests } = replay(
    answer({ nextPageToken: "GIYDAOBNGEYS2MBWKQYDAORQ" }),
    answer({ nextPageToken: "B====", moreResult: true, result: [deletion(2, 6, at)] }),
    answer({ nextPageToken: "C====", moreResult: false, result: [deletion(3, 9, at)] }),
  );
  const period = { objectName: "list/1001", since, until };
  const first = await read.readDeletions(period, undefined, fetch);
  const second = await read.readDeletions(period, first.next, fetch);
  assert.deepEqual(
    [...first.records, ...second.records].map(({ id }) => id),
    ["6", "9"],
  );
  assert.equal(second.next, undefined);
  assert.deepEqual(
    requests.map(({ path }) => path.split("?")[0]),
    [
      "/rest/v1/activities/pagingtoken.json",
      "/rest/v1/activities/deletedleads.json",
      "/rest/v1/activities/deletedleads.json",
    ],
  );
  assert.equal(first.records[0]?.deletedTime?.toISOString(), `${at.slice(0, 19)}.000Z`);
  const bound = new URL(requests[0]?.path ?? "", "https://x.invalid").searchParams.get("sinceDatetime") ?? "";
  assert.ok(new Date(bound).getTime() <= since.getTime(), bound);
  assert.match(bound, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.ok(requests[2]?.path.includes("nextPageToken=B%3D%3D%3D%3D"));
});

/** Adobe's page of activities and its OpenAPI file: the token and the list both need the permission to read activities. */
test("an account that may not read activities has no deletions, and its leads are read all the same", async () => {
  const period = { objectName: "list/1001", since: new Date(Date.now() - 60_000), until: new Date() };
  const refused = failure("603", "Access denied");
  for (const answers of [[refused], [answer({ nextPageToken: "GIYDAOBNGEYS2MBWKQYDAORQ" }), refused]]) {
    const { fetch } = replay(...answers);
    const page = await read.readDeletions(period, undefined, fetch);
    assert.deepEqual(page.records, []);
    assert.equal(page.next, undefined);
  }
});

test("a token that is refused for another reason fails the read of deletions", async () => {
  const period = { objectName: "list/1001", since: new Date(Date.now() - 60_000), until: new Date() };
  const { fetch } = replay(failure("606", "Max rate limit '100' exceeded"));
  await assert.rejects(read.readDeletions(period, undefined, fetch), { kind: "rate_limited" });
});

/** Adobe asks for 9, Unsubscribe Email, 24, Add to List, and 46, Interesting Moment, in requests of its blog (AdobeDocs/marketo-developer.en c631b7c). */
test("activities of more than ten types are asked for by requests of ten at most", async () => {
  const activity = (id: number, activityTypeId: number) => ({
    id,
    marketoGUID: String(id),
    leadId: 550,
    activityDate: "2026-11-20T09:00:00Z",
    activityTypeId,
    attributes: [],
  });
  const token = answer({ nextPageToken: "GIYDAOBNGEYS2MBWKQYDAORQ" });
  const last = (id: number, type: number) =>
    answer({ nextPageToken: "C====", moreResult: false, result: [activity(id, type)] });
  const { fetch, requests } = replay(token, last(1, 12), token, last(2, 9));
  const asked = planRead("activities", { since: new Date("2026-11-20T00:00:00Z") });
  const first = await read.readPage(asked, undefined, fetch);
  const second = await read.readPage(asked, first.next, fetch);
  assert.deepEqual(
    [...first.records, ...second.records].map(({ id }) => id),
    ["1", "2"],
  );
  assert.equal(second.next, undefined);
  const types = requests.map(({ path }) =>
    (new URL(path, "https://x.invalid").searchParams.get("activityTypeIds") ?? "").split(","),
  );
  assert.ok(types.every((ids) => ids.length <= 10));
  for (const id of ["1", "9", "24", "46"])
    assert.equal(types.flat().filter((other) => other === id).length, 1, id);
});
