/** Ids of Outlook's items stay the same when an item moves to another folder (microsoftgraph/microsoft-graph-docs-contrib, concepts/outlook-immutable-id.md). */
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildAuthorization, withDefaults } from "../../connector-kit/provider/authorization.ts";
import { completeProvider } from "../../connector-kit/provider/define-provider.ts";
import { orderWrite, planRead } from "../../connector-kit/testing/order-fixture.ts";
import { replay } from "../../connector-kit/testing/replay.ts";
import { isJsonObject } from "../../ground/json.ts";
import { CONNECTORS } from "../connectors.gen.ts";
import { provider } from "./provider.ts";

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
