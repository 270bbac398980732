/** Guards that no name of a request is dropped without a word, and that open shapes stay open. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type, type TSchema } from "typebox";
import { Problem } from "../../ground/errors.ts";
import { findUnknownNames } from "./unknown-names.ts";
import { createValidator } from "./validation.ts";

const NAMES = { query: ["dryRun"], body: ["groupRef", "record"], header: ["Idempotency-Key"] };

const listPaths = (schema: TSchema, value: unknown): string[] =>
  findUnknownNames(schema)(value).map(({ path }) => path);

function catchDetail(schema: TSchema, value: unknown, place: "body" | "query" = "body"): string {
  try {
    createValidator(schema, place, NAMES)(value);
  } catch (error) {
    assert.ok(error instanceof Problem);
    return error.message;
  }
  return assert.fail("the value was accepted");
}

describe("unknown names", () => {
  const Body = Type.Object({
    groupRef: Type.String(),
    record: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    batch: Type.Optional(Type.Array(Type.Object({ record: Type.Record(Type.String(), Type.Unknown()) }))),
    policy: Type.Optional(
      Type.Union([Type.Object({ days: Type.Integer() }), Type.Object({ all: Type.Boolean() })]),
    ),
    open: Type.Optional(
      Type.Object({ inner: Type.Optional(Type.Object({ a: Type.Any() })) }, { additionalProperties: true }),
    ),
    byName: Type.Optional(Type.Record(Type.String(), Type.Array(Type.Object({ fieldName: Type.String() })))),
  });

  test("are found at every depth, with their path", () => {
    const value = {
      groupRef: "acme",
      extra: 1,
      batch: [{ record: {} }, { record: {}, rekord: {} }],
      policy: { days: 1, all: true, months: 1 },
      open: { any: 1, inner: { b: 2 } },
      byName: { contacts: [{ fieldName: "a", fieldname: "b" }] },
    };
    assert.deepEqual(listPaths(Body, value), [
      "extra",
      "batch[1].rekord",
      "policy.months",
      "open.inner.b",
      "byName.contacts[0].fieldname",
    ]);
  });

  test("that other APIs have for a batch lead to it, not to the nearest name", () => {
    assert.match(
      catchDetail(Body, { groupRef: "acme", records: [{}] }),
      /^records: .*Did you mean "batch"\?/,
    );
    assert.match(catchDetail(Body, { groupRef: "acme", recrd: {} }), /Did you mean "record"\?/);
  });

  test("are possible in records and open shapes, and beside a mask, which names what counts", () => {
    assert.deepEqual(
      listPaths(Body, { groupRef: "a", record: { any: { thing: 1 } }, open: { other: 1 } }),
      [],
    );
    const Masked = Type.Object({
      updateMask: Type.Array(Type.String()),
      project: Type.Object({ name: Type.Optional(Type.String()) }),
    });
    const value = { updateMask: ["name"], project: { name: "a", createTime: "b" } };
    assert.deepEqual(listPaths(Masked, value), []);
    assert.deepEqual(listPaths(Masked, { ...value, mask: [] }), ["mask"]);
  });

  test("are refused together with what is missing, with what was meant", () => {
    assert.equal(
      catchDetail(Body, { groupref: "acme" }),
      'groupref: is not a member of this request. Did you mean "groupRef"? groupRef: is missing',
    );
  });

  test("of another place name that place", () => {
    assert.match(
      catchDetail(Body, { groupRef: "a", dryRun: true }),
      /`dryRun` is a query parameter: send it in the URL\./,
    );
    assert.match(
      catchDetail(Body, { groupRef: "a", idempotencyKey: "k" }),
      /`Idempotency-Key` is a header\./,
    );
    const Query = Type.Object({ dryRun: Type.Optional(Type.Boolean()) });
    assert.match(catchDetail(Query, { groupRef: "a" }, "query"), /`groupRef` is a member of the body\./);
    assert.match(
      catchDetail(Query, { dryrun: "true" }, "query"),
      /^query dryrun: .* Did you mean "dryRun"\?$/,
    );
  });
});
