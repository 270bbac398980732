/** Guards how faults of input are reported: all of them, each with its place, without secrets. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Type, type TSchema } from "typebox";
import { Problem, type Issue } from "../../ground/errors.ts";
import { createValidator } from "./validation.ts";

function listIssues(schema: TSchema, value: unknown, place: Issue["in"] = "body"): Issue[] {
  const problem = catchProblem(schema, value, place);
  return problem.options.issues ?? [];
}

function catchProblem(schema: TSchema, value: unknown, place: Issue["in"] = "body"): Problem {
  try {
    createValidator(schema, place)(value);
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.equal(error.slug, "invalid-request");
    return error;
  }
  return assert.fail("the value was accepted");
}

const strict = { additionalProperties: false };

describe("text parts", () => {
  const Query = Type.Object({
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    all: Type.Optional(Type.Boolean()),
  });

  test("of path and query become numbers and booleans where the schema requires it", () => {
    assert.deepEqual(createValidator(Query, "query")({ pageSize: "10", all: "true" }), {
      pageSize: 10,
      all: true,
    });
  });

  test("that are no numbers are refused with their place", () => {
    const problem = catchProblem(Query, { pageSize: "ten" }, "query");
    assert.equal(problem.message, "query pageSize: must be an integer");
    assert.deepEqual(problem.options.issues, [
      { in: "query", name: "pageSize", detail: "must be an integer", value: "ten" },
    ]);
  });

  test("of a body are never converted", () => {
    assert.deepEqual(
      listIssues(Query, { pageSize: "10" }).map(({ detail }) => detail),
      ["must be an integer"],
    );
  });
});

test("every fault is an issue, named by the path of its member", () => {
  const Batch = Type.Object({
    batch: Type.Array(Type.Object({ record: Type.Object({ id: Type.String() }, strict) }, strict)),
  });
  const problem = catchProblem(Batch, {
    batch: [{ record: { id: "1" } }, { record: {} }, { record: { id: 1, a: 2 } }],
  });
  assert.deepEqual(problem.options.issues?.map(({ name, detail }) => `${name} ${detail}`).toSorted(), [
    "batch[1].record.id is missing",
    "batch[2].record.a is not a member of this request",
    "batch[2].record.id must be a string",
  ]);
  assert.match(problem.message, /^batch\[1\]\.record\.id: is missing; .*; batch\[2\]/);
  const broken = catchProblem(Batch, { batch: [1, 2, 3, 4, 5].map((id) => ({ record: { id } })) });
  assert.match(broken.message, /and 2 more, see `issues`/);
});

test("a name with a slash or a tilde is reported as it was sent", () => {
  const Fields = Type.Object({ fields: Type.Record(Type.String(), Type.String()) });
  assert.deepEqual(
    listIssues(Fields, { fields: { "a/b~c": 1 } }).map(({ name }) => name),
    ["fields.a/b~c"],
  );
});

describe("each kind of fault is a sentence", () => {
  const cases: [string, TSchema, unknown][] = [
    ["must be a string", Type.String(), 1],
    ["must be one of a, b", Type.Enum(["a", "b"]), "c"],
    ['must be "a"', Type.Literal("a"), "b"],
    ["must hold at least 1 item", Type.Array(Type.String(), { minItems: 1 }), []],
    ["must hold at most 2 items", Type.Array(Type.String(), { maxItems: 2 }), ["a", "b", "c"]],
    ["must hold at least 1 member", Type.Object({}, { minProperties: 1 }), {}],
    ["must not be empty", Type.String({ minLength: 1 }), ""],
    ["must be at least 2 characters long", Type.String({ minLength: 2 }), "a"],
    ["must be at most 2 characters long", Type.String({ maxLength: 2 }), "abc"],
    ["must be at least 1", Type.Number({ minimum: 1 }), 0],
    ["must be at most 1", Type.Number({ maximum: 1 }), 2],
    ["must be a mail address", Type.String({ format: "email" }), "a"],
    [
      "must be a time with its zone such as 2026-01-31T12:00:00Z",
      Type.String({ format: "date-time" }),
      "now",
    ],
    [
      "must have at most 9 digits for the fraction of the second",
      Type.String({ format: "date-time" }),
      "2026-01-31T12:00:00.1234567890Z",
    ],
  ];
  for (const [detail, member, value] of cases) {
    test(detail, () => {
      assert.deepEqual(
        listIssues(Type.Object({ member }), { member: value }).map((issue) => [issue.name, issue.detail]),
        [["member", detail]],
      );
    });
  }
});

test("a time may have up to nine digits for the fraction of the second", () => {
  const Time = Type.Object({ time: Type.String({ format: "date-time" }) });
  for (const time of ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.123456789+02:00"])
    assert.deepEqual(createValidator(Time, "body")({ time }), { time });
});

test("a choice between shapes reports what the shapes lack, not the choice", () => {
  const Either = Type.Object({
    which: Type.Union([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
  });
  assert.deepEqual(
    listIssues(Either, { which: {} }).map(({ name }) => name),
    ["which.a", "which.b"],
  );
});

test("a choice between types is one fault, which names all of them", () => {
  const Value = Type.Object({ value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]) });
  assert.deepEqual(
    listIssues(Value, { value: null }).map(({ detail }) => detail),
    ["must be a string or a number or a boolean"],
  );
  const Time = Type.Object({
    value: Type.Union([
      Type.String({ format: "date-time" }),
      Type.Literal("now"),
      Type.String({ pattern: "^P" }),
    ]),
  });
  assert.deepEqual(
    listIssues(Time, { value: 7 }).map(({ detail }) => detail),
    ["must be a string", 'must be "now"'],
  );
});

describe("the faulty value", () => {
  const anything = (name: string) => Type.Object({ [name]: Type.Integer() });

  test("is repeated if it is short", () => {
    assert.deepEqual(
      listIssues(anything("size"), { size: "large" }).map(({ value }) => value),
      ["large"],
    );
  });

  for (const [name, value] of [
    ["clientSecret", "hush"],
    ["apiKey", "hush"],
    ["accessToken", "hush"],
    ["password", "hush"],
    ["size", "x".repeat(101)],
    ["document", { all: "of it" }],
  ] as const) {
    test(`is not repeated if it may be secret or is long: ${name}`, () => {
      assert.deepEqual(
        listIssues(anything(name), { [name]: value }).map((issue) => issue.value),
        [undefined],
      );
    });
  }
});

test("hundreds of thousands of faults are refused like fifty", () => {
  const names = { query: [], body: ["values"], header: [] };
  const schema = Type.Object({ values: Type.Record(Type.String(), Type.Object({ source: Type.String() })) });
  const members = Array.from({ length: 150_000 }, (_, index) => [`v${index}`, { value: "x" }]);
  const check = createValidator(schema, "body", names);
  assert.throws(
    () => check({ values: Object.fromEntries(members), ...Object.fromEntries(members) }),
    (error) => error instanceof Problem && error.options.issues?.length === 50,
  );
});

test("at most 50 faults are listed", () => {
  const value = Array.from({ length: 80 }, () => 1);
  assert.equal(listIssues(Type.Array(Type.String()), value).length, 50);
});
