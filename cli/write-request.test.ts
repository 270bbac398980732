import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { UsageFailure } from "./failures.ts";
import { writeRequest, type RecordOptions } from "./write-request.ts";

const request = (options: Partial<RecordOptions>, stdin = "") =>
  writeRequest(
    { group: "acme", type: "create", ...options },
    { stdin: Readable.from([Buffer.from(stdin)]), cwd: "/" },
  );

test("fields are texts unless they are given as JSON, and go over those of the record", async () => {
  assert.deepEqual(
    await request({ data: '{"a": 0, "b": 2}', set: ["a=1=2", "c="], setJson: ["d=[1,null]"] }),
    {
      groupRef: "acme",
      type: "create",
      record: { a: "1=2", b: 2, c: "", d: [1, null] },
    },
  );
});

test("a list is a batch, of records or of items with associations", async () => {
  const item = { record: { a: 1 }, associations: [] };
  const data = JSON.stringify([{ a: 1 }, item, { record: {}, other: 1 }]);
  assert.deepEqual(await request({ data: "-", async: true, allOrNone: true }, data), {
    groupRef: "acme",
    type: "create",
    batch: [{ record: { a: 1 } }, item, { record: { record: {}, other: 1 } }],
    mode: "asynchronous",
    batchPolicy: { allOrNone: true },
  });
});

test("a delete needs only the id", async () => {
  assert.deepEqual(await request({ type: "delete", id: "7" }), {
    groupRef: "acme",
    type: "delete",
    record: { id: "7" },
  });
});

test("what cannot be put together is a wrong use that names the option", async () => {
  await assert.rejects(request({}), /nothing to write/);
  await assert.rejects(request({ set: ["=x"] }), /--set takes name=value/);
  await assert.rejects(request({ setJson: ["a=x"] }), /--set-json a/);
  await assert.rejects(request({ data: "{" }), /--data .*not JSON/);
  await assert.rejects(request({ data: "5" }), UsageFailure);
  // JavaScript would send 9007199254740992, and 12345678901234567000.
  await assert.rejects(request({ setJson: ["a=9007199254740993"] }), /--set-json a .*9007199254740993/);
  await assert.rejects(request({ data: '{"a": [-12345678901234567890]}' }), /--data .*-12345678901234567890/);
  await assert.rejects(request({ data: "[]", set: ["a=b"] }), UsageFailure);
  await assert.rejects(request({ group: undefined, set: ["a=b"] }), /--group/);
  await assert.rejects(request({ data: "@/nonexistent" }), /nonexistent cannot be read/);
});

test("an update without an id and an upsert without a key are refused with the option that gives it", async () => {
  for (const [options, remedy] of [
    [{ type: "update", set: ["a=b"] }, /--id/],
    [{ type: "upsert", set: ["a=b"] }, /--upsert-key/],
    [{ type: "upsert", data: '[{"a": 1}]' }, /--upsert-key/],
  ] as const) {
    const refused = (error: unknown) => error instanceof UsageFailure && remedy.test(error.remedy ?? "");
    await assert.rejects(request({ ...options, set: [...("set" in options ? options.set : [])] }), refused);
  }
  assert.ok(await request({ type: "update", data: '{"id": "7", "a": 1}' }));
});

test("text that is not JSON is refused with its source and its fault, and without its values", async () => {
  const secret = '{"password": "se"cret"}';
  for (const [data, stdin, says] of [
    ["@people.json", "", /people\.json cannot be read/],
    [secret, "", /^The value of --data is not JSON: .*position/],
    ["-", '{"a": 1,}', /^The value of --data, from stdin, is not JSON: .*position/],
    ["[oops]", "", /not JSON: Unexpected token 'o'\.$/],
  ] as const) {
    await assert.rejects(request({ data }, stdin), (error: Error) => {
      assert.match(error.message, says);
      assert.ok(!error.message.includes("cret"));
      return true;
    });
  }
});
