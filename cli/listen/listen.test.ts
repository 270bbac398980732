import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { StandardWebhook } from "../../tests/published/clients.ts";
import { EVENT_TYPES as SERVERS } from "../../server/events/event-types.ts";
import type { Failure } from "../failures.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { startReceiver } from "./receiver.ts";
import { findSignatureFault } from "./verify-signature.ts";

const key = `whsec_${randomBytes(24).toString("base64")}`;
const body = Buffer.from('{"notificationType":"x"}');
const at = new Date("2026-01-01T00:00:00Z");
const sign = (withKey = key, time = at) => ({
  "webhook-id": "m1",
  "webhook-timestamp": String(time.getTime() / 1_000),
  "webhook-signature": new StandardWebhook(withKey).sign("m1", time, body.toString()),
});

test("a message that a Standard Webhooks library signed is trusted, also beside a signature of an older key", () => {
  assert.equal(findSignatureFault(sign(), body, key, at.getTime()), undefined);
  const headers = sign();
  headers["webhook-signature"] = `v1,AAAA ${headers["webhook-signature"]}`;
  assert.equal(findSignatureFault(headers, body, key, at.getTime()), undefined);
});

test("another body, key, id, time or no signature at all is told apart and never trusted", () => {
  const fault = (headers: object, bytes = body, now = at.getTime()) =>
    findSignatureFault({ ...headers }, bytes, key, now);
  assert.match(fault(sign(), Buffer.from("{}")) ?? "", /does not match/);
  assert.match(fault(sign(`whsec_${randomBytes(24).toString("base64")}`)) ?? "", /does not match/);
  assert.match(fault({ ...sign(), "webhook-id": "m2" }) ?? "", /does not match/);
  assert.match(fault(sign(), body, at.getTime() + 301_000) ?? "", /five minutes/);
  assert.match(fault({ ...sign(), "webhook-timestamp": "soon" }) ?? "", /five minutes/);
  assert.match(fault({}) ?? "", /no signature/);
});

test("the receiver takes POSTs of bounded size and answers what its handler says", async () => {
  const bodies: string[] = [];
  const receiver = await startReceiver({ host: "127.0.0.1", port: 0 }, async (message) => {
    bodies.push(message.body.toString());
    return 202;
  });
  const url = `http://127.0.0.1:${receiver.port}/`;
  const post = (content: string) => fetch(url, { method: "POST", body: content });
  assert.equal((await post("{}")).status, 202);
  assert.equal((await fetch(url)).status, 405);
  const tooLong = await post("x".repeat(1024 * 1024 + 1)).then(
    ({ status }) => status,
    () => "cut off",
  );
  assert.ok([413, "cut off"].includes(tooLong), String(tooLong));
  assert.deepEqual(bodies, ["{}"]);
  const second = startReceiver({ host: "127.0.0.1", port: receiver.port }, async () => 204);
  await assert.rejects(second, (error: Failure) => /--port/.test(error.remedy ?? ""));
  await receiver.close();
});

test("the events that can be listened for are those that the server tells", () => {
  assert.deepEqual([...EVENT_TYPES].toSorted(), [...SERVERS].toSorted());
});
