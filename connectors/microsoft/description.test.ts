/** Ids of Outlook's items stay the same when an item moves to another folder (microsoftgraph/microsoft-graph-docs-contrib, concepts/outlook-immutable-id.md). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildAuthorization, withDefaults } from "../../connector-kit/provider/authorization.ts";
import { completeProvider } from "../../connector-kit/provider/define-provider.ts";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { isJsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";
import { provider } from "./description.ts";

const { read, write } = CONNECTORS["microsoft"] ?? {};
assert.ok(read && write);

/** "If you want to always use immutable IDs, you must include this header with every API request." */
const IMMUTABLE = 'IdType="ImmutableId"';

const added = buildAuthorization(completeProvider("microsoft", provider), {
  type: "oauth2",
  accessToken: "t",
});

test("every request asks for ids that a move does not change", async () => {
  const { fetch, requests } = replay({ status: 200, body: { id: "AAkALg1", value: [] } });
  await read.readPage(planRead("me/messages"), undefined, fetch);
  const fields = { subject: "Pens" };
  await write.write(orderWrite("me/messages", "create", { fields }), fetch);
  await write.write(orderWrite("me/messages", "update", { id: "AAkALg1", fields }), fetch);
  await write.write(orderWrite("me/messages", "delete", { id: "AAkALg1", fields: {} }), fetch);
  assert.ok(requests.length >= 4);
  for (const { method, headers = {} } of requests)
    assert.equal(withDefaults(added, headers)["prefer"], IMMUTABLE, method);
});

test("so does every request within a batch, which has headers of its own", async () => {
  const { fetch, requests } = replay({ status: 200, body: { responses: [] } });
  const records = ["AAkALg1", "AAkALg2"].map((id) => ({ id, fields: { subject: "Pens" } }));
  for (const type of ["create", "update"] as const) {
    const order = { ...orderWrite("me/messages", type, { fields: {} }), records, batch: true };
    await write.write(order, fetch);
  }
  const within = requests.flatMap(({ body }) =>
    isJsonObject(body) && Array.isArray(body["requests"]) ? body["requests"] : [],
  );
  assert.equal(within.length, 4);
  for (const request of within) {
    const headers = isJsonObject(request) && isJsonObject(request["headers"]) ? request["headers"] : {};
    const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === "prefer") ?? [];
    assert.equal(value, IMMUTABLE, JSON.stringify(request));
  }
});

test("a scan that goes on from an address of the list before it was read by time begins anew", async () => {
  const answer = (request: { path: string }) => ({
    status: 200,
    body: {
      value: [
        { id: "c1", lastModifiedDateTime: "2024-01-01T00:00:00Z" },
        { id: "c2", lastModifiedDateTime: "2026-01-01T00:00:00Z" },
      ],
      "@odata.nextLink": `https://graph.microsoft.com${request.path}&$skip=1000`,
    },
  });
  const { fetch, requests } = replay(answer);
  const checkpoint = { place: "/v1.0/me/contacts?$top=500&$skip=500", pages: 1, read: 500 };
  const { restarted } = await read.readPage(planRead("me/contacts"), checkpoint, fetch);
  assert.equal(restarted, true);
  // The old address has another order: its times would end the list, or move it past what was not read.
  const [first] = requests;
  assert.ok(first);
  const { searchParams } = new URL(first.path, "https://graph.microsoft.com");
  assert.deepEqual(
    [searchParams.get("$skip"), searchParams.get("$filter"), searchParams.get("$orderby")],
    [null, "lastModifiedDateTime ge 1970-01-01T00:00:00.000Z", "lastModifiedDateTime"],
  );
});
