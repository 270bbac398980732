/** Answers to mutations with errors. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../../ground/json.ts";
import type { RecordWrite, WriteResult } from "../../connector.ts";
import { orderWrite } from "../../testing/order-fixture.ts";
import { replay } from "../../testing/replay.ts";
import { describeConnector } from "../describe-connector.ts";

const writer = (payload: string) =>
  describeConnector("Quill", {
    graphql: { path: "/", id: "ID!", payload, most: 100 },
    defaults: {},
    objects: {
      pens: {
        graphql: {
          list: "pens",
          get: "pen",
          record: "pen",
          fields: ["name", "owner"],
          create: { field: "penCreate", input: "PenInput!" },
          update: { field: "penUpdate", input: "PenInput!" },
          delete: { field: "penDelete" },
        },
      },
    },
    errors: {
      message: ["errors.*.message", "data.*.userErrors.*.message"],
      code: "errors.0.extensions.code",
    },
    sources: { documentation: "https://docs.quill.example", checked: "2026-11-23, made up" },
  }).write;

const CREATE = orderWrite("pens", "create", { fields: { name: "Ink" } });
const UPDATE = orderWrite("pens", "update", { id: "7", fields: { name: "Ink" } });
const DELETE = orderWrite("pens", "delete", { id: "7", fields: {} });

async function result(write: RecordWrite, body: Json, payload = "success"): Promise<WriteResult> {
  const answer = await writer(payload)?.write(write, replay({ status: 200, body }).fetch);
  assert.ok(answer);
  return answer;
}
const kind = ({ outcomes: [outcome] }: WriteResult): string | undefined =>
  outcome?.success === false ? outcome.error.kind : `written ${outcome?.recordId}`;

const ownerFailed = (...path: string[]) => ({ message: "the owner cannot be shown", path });

test("a record that the answer shows as written is written, and the errors beside it are reported", async () => {
  const errors = [ownerFailed("penCreate", "pen", "owner")];
  const pen = { id: "9", name: "Ink", owner: null };
  const created = await result(CREATE, { data: { penCreate: { success: true, pen } }, errors });
  assert.equal(kind(created), "written 9");
  assert.match(created.warnings.join(), /pens was written, .*the owner cannot be shown/);
  const shopLike = { data: { penCreate: { userErrors: [], pen } }, errors };
  assert.equal(kind(await result(CREATE, shopLike, "userErrors{message}")), "written 9");
  for (const write of [UPDATE, DELETE]) {
    const field = write === UPDATE ? "penUpdate" : "penDelete";
    const answer = { data: { [field]: { success: true, pen: null } }, errors: [ownerFailed(field, "pen")] };
    const written = await result(write, answer);
    assert.equal(kind(written), "written 7");
    assert.equal(written.warnings.length, 1);
  }
});

test("a new record whose id the answer could not show is not reported as refused", async () => {
  const errors = [ownerFailed("penCreate", "pen", "id")];
  const created = await result(CREATE, { data: { penCreate: { success: true, pen: null } }, errors });
  assert.equal(kind(created), "unreadable");
  // A null that is not allowed took the place of everything around it.
  for (const data of [null, { penCreate: null }])
    assert.equal(kind(await result(CREATE, { data, errors })), "unreadable");
  assert.equal(
    kind(await result(UPDATE, { data: null, errors: [ownerFailed("penUpdate", "pen")] })),
    "unreadable",
  );
});

test("a mutation that failed itself, or never began, is refused", async () => {
  const refused = { message: "the name is taken", path: ["penCreate"] };
  const bodies: Json[] = [
    { errors: [{ message: "the name is taken" }] },
    { data: null, errors: [refused] },
    { data: { penCreate: null }, errors: [refused] },
    { data: { penCreate: { success: false, pen: null } }, errors: [ownerFailed("penCreate", "pen")] },
  ];
  for (const body of bodies) assert.equal(kind(await result(CREATE, body)), "invalid");
  const userErrors = [{ message: "the name is taken" }];
  const errors = [ownerFailed("penCreate", "pen")];
  assert.equal(
    kind(
      await result(CREATE, { data: { penCreate: { userErrors, pen: null } }, errors }, "userErrors{message}"),
    ),
    "invalid",
  );
});

test("an error that the provider did not expect leaves open whether the record was made, and an update may be repeated", async () => {
  const errors = [{ message: "oh", path: ["penCreate"], extensions: { code: "INTERNAL_SERVER_ERROR" } }];
  assert.equal(kind(await result(CREATE, { data: null, errors })), "unknown_outcome");
  await assert.rejects(result(UPDATE, { data: null, errors }), { kind: "unavailable" });
});

test("of several records, only the one whose answer is unclear is reported so", async () => {
  const good = { data: { penCreate: { success: true, pen: { id: "8" } } } };
  const unclear = { data: null, errors: [ownerFailed("penCreate", "pen", "id")] };
  const { fetch } = replay({ status: 200, body: unclear }, { status: 200, body: good });
  const records = [CREATE, CREATE].flatMap((write) => write.records);
  const both = await writer("success")?.write({ ...CREATE, records, batch: true }, fetch);
  assert.deepEqual(
    both?.outcomes.map((outcome) => (outcome.success ? outcome.recordId : outcome.error.kind)),
    ["unreadable", "8"],
  );
});

// GraphQL specification, 7.1: a response has `errors`, `data`, or both.
test("an answer that has neither the mutation's result nor an error does not tell what became of the record", async () => {
  for (const body of [
    { message: "Please sign in" },
    {},
    { data: null },
    { data: { other: {} } },
    "",
  ] as Json[])
    for (const write of [CREATE, UPDATE, DELETE]) {
      const answer = await result(write, body);
      assert.equal(kind(answer), "unreadable", `${write.type} ${JSON.stringify(body)}`);
    }
});
