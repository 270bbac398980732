/** Writes that are answered with the status of a success and the provider's words for a refusal. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "../../../ground/json.ts";
import type { RecordWrite } from "../../connector.ts";
import { orderWrite } from "../../testing/order-fixture.ts";
import { replay } from "../../testing/replay.ts";
import { describeConnector } from "../describe-connector.ts";

function buildWriter(message: string[]) {
  const { write } = describeConnector("Quill", {
    defaults: {
      create: { method: "POST", path: "/people" },
      update: { method: "PUT", path: "/people/{id}" },
      delete: { method: "DELETE", path: "/people/{id}" },
      record: "data",
    },
    objects: { people: { modes: ["create", "update", "delete"] } },
    errors: { message, codes: { gone: "not_found" }, code: "code" },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-29, tests" },
  });
  assert.ok(write);
  return write;
}

async function findOutcome(type: RecordWrite["type"], body: Json, message = ["error", "errors.*.text"]) {
  const fields: JsonObject = type === "delete" ? {} : { name: "Ada" };
  const write = orderWrite("people", type, { ...(type !== "create" && { id: "7" }), fields });
  const { outcomes } = await buildWriter(message).write(write, replay({ status: 200, body }).fetch);
  const [outcome] = outcomes;
  assert.ok(outcome);
  return outcome.success ? { id: outcome.recordId } : [outcome.error.kind, outcome.error.message];
}

test("an answer with a refusal and without the record is a refusal, whatever its status", async () => {
  for (const type of ["create", "update", "delete"] as const) {
    assert.deepEqual(await findOutcome(type, { error: "The field name is invalid" }), [
      "invalid",
      "The field name is invalid",
    ]);
    const listed = { data: null, errors: [{ text: "No such owner" }, { text: "No name" }] };
    assert.deepEqual(await findOutcome(type, listed), ["invalid", "No such owner; No name"]);
  }
  assert.deepEqual(await findOutcome("update", { error: "There is none", code: "gone" }), [
    "not_found",
    "There is none",
  ]);
});

test("an answer with the record, or without words of a refusal, is a success", async () => {
  const whole = { data: { id: "7" }, errors: [{ text: "The phone was ignored" }] };
  for (const type of ["create", "update", "delete"] as const)
    assert.deepEqual(await findOutcome(type, whole), { id: "7" });
  const without: Json[] = [{ error: null }, { error: false }, { error: "" }, { errors: [] }, {}];
  for (const body of without)
    assert.deepEqual(await findOutcome("update", body), { id: "7" }, JSON.stringify(body));
  // `message` is where many providers say that it went well.
  assert.deepEqual(await findOutcome("delete", { message: "Deleted" }, ["message"]), { id: "7" });
});

// RFC 9110, 15.4.5: 304 is for conditional GET and HEAD.
test("304 says nothing about a write", async () => {
  const write = (type: "create" | "delete") =>
    orderWrite("people", type, { ...(type === "delete" && { id: "7" }), fields: {} });
  const writer = buildWriter(["error"]);
  await assert.rejects(async () => writer.write(write("create"), replay({ status: 304 }).fetch), {
    kind: "unknown_outcome",
  });
  await assert.rejects(async () => writer.write(write("delete"), replay({ status: 304 }).fetch), {
    kind: "unavailable",
  });
});
