/** Iterable's requests and answers as they were recorded and published. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { CONNECTORS } from "../connectors.gen.ts";

const { read, write, fields } = CONNECTORS["iterable"] ?? {};
assert.ok(read && write && fields);

const SUCCESS = { status: 200, body: { msg: "", code: "Success", params: null } };

test("a user is written by the address, beside its data, and the address is its id", async () => {
  const { fetch, requests } = replay(SUCCESS);
  const order = {
    ...orderWrite("users", "upsert", { fields: { Email: "ada@example.com", name: "Ada", LTV: 7.5 } }),
    key: "email",
  };
  const { outcomes } = await write.write(order, fetch);
  assert.deepEqual(outcomes, [{ success: true, recordId: "ada@example.com" }]);
  assert.deepEqual(requests, [
    {
      method: "POST",
      path: "/api/users/update",
      // "Merge top-level objects instead of overwriting them" (Iterable/api-client 981eeb5): a part of an object leaves the rest of it.
      body: {
        email: "ada@example.com",
        mergeNestedObjects: true,
        dataFields: { name: "Ada", LTV: 7.5 },
      },
      repeatable: true,
    },
  ]);
});

test("of a bulk update, users that are not named as refused were written, and have their address as id", async () => {
  const { fetch, requests } = replay({
    status: 200,
    body: {
      successCount: 1,
      failCount: 2,
      invalidEmails: ["bob"],
      failedUpdates: { invalidEmails: ["bob"], forgottenEmails: ["cleo@example.com"] },
    },
  });
  const records = ["ada@example.com", "bob", "Cleo@example.com"].map((address) => ({
    fields: { Email: address, name: "x" },
  }));
  const order = { ...orderWrite("users", "upsert", { fields: {} }), key: "email", batch: true, records };
  const { outcomes } = await write.write(order, fetch);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.message)),
    ["ada@example.com", "the address or id is not valid", "the user was forgotten"],
  );
  assert.equal(requests[0]?.path, "/api/users/bulkUpdate");
  assert.deepEqual(requests[0].body, {
    users: ["ada@example.com", "bob", "Cleo@example.com"].map((email) => ({
      dataFields: { name: "x" },
      email,
      mergeNestedObjects: true,
    })),
  });
});

test("a user without an address is written by the project's own id", () => {
  const order = {
    ...orderWrite("usersByUserId", "upsert", { fields: { userId: "u/1", name: "Ada" } }),
    key: "userId",
  };
  assert.deepEqual(write.prepare(order)[0]?.body, {
    userId: "u/1",
    mergeNestedObjects: true,
    dataFields: { name: "Ada" },
  });
});

test("an address as id is encoded, and one that would change the path is not sent", async () => {
  const { fetch, requests } = replay(SUCCESS);
  const remove = (id: string) => write.write(orderWrite("users", "delete", { id, fields: {} }), fetch);
  assert.ok((await remove("ada+pens@example.com")).outcomes[0]?.success);
  assert.deepEqual(requests[0]?.path, "/api/users/ada%2Bpens%40example.com");
  for (const id of ["../lists/7", "a/b@example.com", "a?b@example.com", "."])
    assert.equal((await remove(id)).outcomes[0]?.success, false);
  assert.equal(requests.length, 1);
});

test("an update has no rules: Iterable would create a user that does not exist", () => {
  assert.throws(() => write.prepare(orderWrite("users", "update", { id: "ada@example.com", fields: {} })), {
    kind: "invalid",
  });
});

test("a new list has the id that the answer names", async () => {
  const { fetch } = replay({ status: 200, body: { listId: 1056557 } });
  const { outcomes } = await write.write(
    orderWrite("lists", "create", { fields: { name: "5 people" } }),
    fetch,
  );
  assert.deepEqual(outcomes, [{ success: true, recordId: "1056557" }]);
});

test("lists are read with their ids", async () => {
  const { fetch } = replay({
    status: 200,
    body: { lists: [{ id: 1056557, name: "5 people", createdAt: 1624575876355, listType: "Standard" }] },
  });
  const page = await read.readPage(planRead("lists"), undefined, fetch);
  assert.deepEqual(
    page.records.map(({ id }) => id),
    ["1056557"],
  );
  assert.equal(page.next, undefined);
});

test("the address of a next page of catalogs says that there is one", async () => {
  const catalogs = (names: string[], nextPageUrl?: string) => ({
    status: 200,
    body: {
      msg: "",
      code: "Success",
      params: {
        catalogNames: names.map((name) => ({ name })),
        ...(nextPageUrl !== undefined && { nextPageUrl }),
      },
    },
  });
  const names = Array.from({ length: 120 }, (_, index) => `pens${index}`);
  const { fetch, requests } = replay(
    catalogs(names.slice(0, 100), "/api/catalogs?page=2&pageSize=100"),
    catalogs(names.slice(97)),
  );
  const first = await read.readPage(planRead("catalogs"), undefined, fetch);
  const second = await read.readPage(planRead("catalogs"), first.next, fetch);
  assert.deepEqual(
    [...first.records, ...second.records].map(({ id }) => id),
    names,
  );
  assert.equal(second.next, undefined);
  assert.deepEqual(
    requests.map(({ path }) => path),
    ["/api/catalogs?pageSize=100&page=1", "/api/catalogs?pageSize=97&page=2"],
  );
});

// src/types/campaigns.ts of Iterable/api-client 981eeb5, 2026-07-09.
test("campaigns are read to their last page, then archived ones, and fewer than Iterable counts are a failure", async () => {
  const ids = Array.from({ length: 1_001 }, (_, index) => index + 1);
  const campaigns = (some: number[], more: object) => ({
    status: 200,
    body: { campaigns: some.map((id) => ({ id, name: "Pens" })), totalCampaignsCount: ids.length, ...more },
  });
  const { fetch, requests } = replay(
    campaigns(ids.slice(0, 1_000), { nextPageUrl: "/api/campaigns?page=2&pageSize=1000" }),
    campaigns(ids.slice(997), {}),
    { status: 200, body: { campaigns: [{ id: 2_000, name: "Ink" }], totalCampaignsCount: 1 } },
  );
  const first = await read.readPage(planRead("campaigns"), undefined, fetch);
  const second = await read.readPage(planRead("campaigns"), first.next, fetch);
  const archived = await read.readPage(planRead("campaigns"), second.next, fetch);
  assert.deepEqual(
    requests.map(({ path }) => path),
    [
      "/api/campaigns?pageSize=1000&page=1",
      "/api/campaigns?pageSize=997&page=2",
      "/api/campaigns?campaignState=Archived&pageSize=1000&page=1",
    ],
  );
  assert.deepEqual(
    [...first.records, ...second.records, ...archived.records].map(({ id }) => Number(id)),
    [...ids, 2_000],
  );
  assert.equal(archived.next, undefined);
  const short = replay(campaigns([1], {}));
  await assert.rejects(read.readPage(planRead("campaigns"), undefined, short.fetch), /1 records.*1001/);
});

test("fields of users are members of an object, nested ones with dots", async () => {
  const { fetch } = replay({
    status: 200,
    body: {
      fields: { email: "string", LTV: "double", "defaultAddress.number": "long", defaultAddress: "object" },
    },
  });
  const described = await fields.describe("users", fetch);
  assert.deepEqual(
    Object.values(described.fields).map(({ fieldName, valueType }) => [fieldName, valueType]),
    [
      ["email", "string"],
      ["LTV", "float"],
      ["$['defaultAddress']['number']", "int"],
      ["defaultAddress", "other"],
    ],
  );
});

test("a refusal has Iterable's reason and code", async () => {
  const { fetch } = replay({
    status: 400,
    body: { msg: "Invalid email: x", code: "InvalidEmailAddressError", params: null },
  });
  const order = { ...orderWrite("users", "upsert", { fields: { email: "x" } }), key: "email" };
  const [outcome] = (await write.write(order, fetch)).outcomes;
  assert.ok(outcome && !outcome.success);
  assert.equal(outcome.error.message, "Invalid email: x");
  assert.equal(outcome.error.code, "InvalidEmailAddressError");
});
