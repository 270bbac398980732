/** Answers to described batches that no simulation gives: in part, refused as a whole, or incomplete. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../ground/json.ts";
import type { RecordWrite, WriteResult } from "../../connector.ts";
import { ProviderError } from "../../calls/provider-error.ts";
import { replay, type Reply } from "../../testing/replay.ts";
import type { BatchRules } from "../rules/batch-rules.ts";
import { describeConnector } from "../describe-connector.ts";

const buildWriter = (batch: BatchRules) =>
  describeConnector("Quill", {
    defaults: {
      create: { method: "POST", path: "/{path}" },
      update: { method: "PATCH", path: "/{path}/{id}" },
      modes: ["create", "update"],
      batch,
    },
    objects: { people: {} },
    errors: { message: ["error"] },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-22, documentation only" },
  }).write;

const PACKED: BatchRules = {
  requests: { path: "/batch", most: 20, to: "requests", answers: "done", status: "status", unserved: "left" },
};
const list = { method: "POST" as const, path: "/{path}/many", most: 10, to: "data" };
const LIST: BatchRules = {
  create: { ...list, answers: "data", id: "details.id", okWhen: "status=success", message: ["message"] },
  update: { ...list, idTo: "id", together: true },
};

const write = (type: "create" | "update", records: RecordWrite["records"]): RecordWrite => ({
  objectName: "people",
  type,
  batch: true,
  allOrNone: false,
  headers: {},
  records,
});
const ADA_AND_BOB = ["Ada", "Bob"].map((name) => ({ fields: { name } }));

async function results(batch: BatchRules, request: RecordWrite, ...replies: Reply[]): Promise<WriteResult> {
  const writer = buildWriter(batch);
  assert.ok(writer);
  return writer.write(request, replay(...replies).fetch);
}

const kinds = ({ outcomes }: WriteResult): string[] =>
  outcomes.map((outcome) => (outcome.success ? (outcome.recordId ?? "") : outcome.error.kind));

test("a part of a packed batch that the provider left out may be repeated; one without an answer has an unknown outcome", async () => {
  const body = { done: [{ id: "2", status: 201, body: { id: 7 } }], left: ["1"] };
  const three = [...ADA_AND_BOB, { fields: { name: "Cleo" } }];
  const result = await results(PACKED, write("create", three), { status: 200, body });
  assert.deepEqual(kinds(result), ["unavailable", "7", "unknown_outcome"]);
});

test("a packed batch whose parts all met the rate limit failed as a whole, so that nothing more is sent", async () => {
  const limited = { status: 429, headers: { "Retry-After": "7" }, body: { error: "slow down" } };
  const body = { done: ["1", "2"].map((id) => ({ id, ...limited })) };
  await assert.rejects(
    results(PACKED, write("create", ADA_AND_BOB), { status: 200, body }),
    (error) => error instanceof ProviderError && error.kind === "rate_limited" && error.retryAt !== undefined,
  );
});

test("results of a list count one by one, also where the whole was answered as a refusal", async () => {
  const data: Json[] = [
    { status: "success", details: { id: "5" } },
    { status: "error", message: "no name" },
  ];
  for (const status of [207, 400]) {
    const result = await results(LIST, write("create", ADA_AND_BOB), { status, body: { data } });
    assert.deepEqual(kinds(result), ["5", "invalid"]);
    const [, second] = result.outcomes;
    assert.match(second?.success === false ? second.error.message : "", /no name/);
  }
});

test("a list with fewer results than records leaves the outcome of all of them open", async () => {
  const data = [{ status: "success", details: { id: "5" } }];
  const result = await results(LIST, write("create", ADA_AND_BOB), { status: 200, body: { data } });
  assert.deepEqual(kinds(result), ["unknown_outcome", "unknown_outcome"]);
});

test("a result of another record is not taken for that of the updated one", async () => {
  const batch: BatchRules = { update: { ...list, idTo: "id", answers: "data" } };
  const records = ["1", "2"].map((id) => ({ id, fields: { n: "x" } }));
  const body = { data: [{ id: 1 }, { id: 3 }] };
  assert.deepEqual(kinds(await results(batch, write("update", records), { status: 200, body })), [
    "1",
    "unreadable",
  ]);
});

test("a field with the name of the id does not lead to another record", () => {
  const [request] =
    buildWriter(LIST)?.prepare(write("update", [{ id: "1", fields: { id: "2", n: "x" } }])) ?? [];
  assert.deepEqual(request?.body, { data: [{ id: "1", n: "x" }] });
});

test("with allOrNone, the records of a refused batch are not written one by one", async () => {
  const records = ["1", "2"].map((id) => ({ id, fields: { n: "x" } }));
  const request = { ...write("update", records), allOrNone: true };
  const result = await results(LIST, request, { status: 422, body: { error: "no" } });
  assert.deepEqual(kinds(result), ["invalid", "invalid"]);
});

test("results with references find their records in any order; a record that they do not mention has an unknown outcome", async () => {
  const referring: BatchRules = {
    create: {
      ...list,
      answers: "done",
      ref: { to: "ref", from: "ref" },
      okWhen: "ok=true",
      message: ["why"],
    },
  };
  const done: Json[] = [
    { ref: "3", ok: false, why: "no" },
    { ref: "1", ok: true, id: 7 },
    { ref: "9", ok: true, id: 8 },
  ];
  const three = [...ADA_AND_BOB, { fields: { name: "Cleo" } }];
  const result = await results(referring, write("create", three), { status: 200, body: { done } });
  assert.deepEqual(kinds(result), ["7", "unknown_outcome", "invalid"]);
  const twice = { status: 200, body: { done: [...done, { ref: "1", ok: true, id: 9 }] } };
  assert.equal(kinds(await results(referring, write("create", three), twice))[0], "unknown_outcome");
});
