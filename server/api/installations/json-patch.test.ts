import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../../../ground/json.ts";
import { applyPatch, PatchError, parsePointer, type PatchOperation } from "./json-patch.ts";

/** `op path value → document` as one line each. */
const GOOD: { title: string; from: Json; operations: PatchOperation[]; to: Json | undefined }[] = [
  {
    title: "add creates a member",
    from: { a: 1 },
    operations: [{ op: "add", path: "/b", value: { c: 2 } }],
    to: { a: 1, b: { c: 2 } },
  },
  {
    title: "add replaces an existing member",
    from: { a: 1 },
    operations: [{ op: "add", path: "/a", value: 2 }],
    to: { a: 2 },
  },
  {
    title: "add inserts before an index and moves the rest",
    from: { a: [1, 3] },
    operations: [{ op: "add", path: "/a/1", value: 2 }],
    to: { a: [1, 2, 3] },
  },
  {
    title: "add at the length of a list appends",
    from: [1],
    operations: [{ op: "add", path: "/1", value: 2 }],
    to: [1, 2],
  },
  {
    title: "add at `-` appends",
    from: { a: [1] },
    operations: [{ op: "add", path: "/a/-", value: [2] }],
    to: { a: [1, [2]] },
  },
  {
    title: "replace changes an item in place",
    from: [1, 2],
    operations: [{ op: "replace", path: "/0", value: 9 }],
    to: [9, 2],
  },
  {
    title: "remove takes a member or an item away",
    from: { a: [1, 2], b: 0 },
    operations: [
      { op: "remove", path: "/b" },
      { op: "remove", path: "/a/0" },
    ],
    to: { a: [2] },
  },
  {
    title: "`~1` is a slash and `~0` a tilde, in that order of reading",
    from: { "a/b": 1, "m~n": 2, "~1": 3 },
    operations: [
      { op: "replace", path: "/a~1b", value: 10 },
      { op: "replace", path: "/m~0n", value: 20 },
      { op: "replace", path: "/~01", value: 30 },
    ],
    to: { "a/b": 10, "m~n": 20, "~1": 30 },
  },
  {
    title: "the empty name is a name",
    from: {},
    operations: [{ op: "add", path: "/", value: 1 }],
    to: { "": 1 },
  },
  {
    title: "digits name a member of an object",
    from: { a: {} },
    operations: [{ op: "add", path: "/a/0", value: 1 }],
    to: { a: { "0": 1 } },
  },
  {
    title: "the empty path replaces the whole document",
    from: { a: 1 },
    operations: [{ op: "replace", path: "", value: { b: 2 } }],
    to: { b: 2 },
  },
  {
    title: "the whole document can be removed and added again",
    from: { a: 1 },
    operations: [
      { op: "remove", path: "" },
      { op: "add", path: "", value: { b: 2 } },
    ],
    to: { b: 2 },
  },
  {
    title: "null is a value",
    from: {},
    operations: [{ op: "add", path: "/a", value: null }],
    to: { a: null },
  },
  {
    title: "later operations see what earlier ones did",
    from: {},
    operations: [
      { op: "add", path: "/a", value: {} },
      { op: "add", path: "/a/b", value: 1 },
      { op: "remove", path: "/a/b" },
    ],
    to: { a: {} },
  },
];

const BAD: { title: string; from: Json; operation: PatchOperation; says: RegExp }[] = [
  {
    title: "a missing parent",
    from: {},
    operation: { op: "add", path: "/a/b", value: 1 },
    says: /no `\/a`\. Add it before/,
  },
  {
    title: "replace of a missing member",
    from: {},
    operation: { op: "replace", path: "/a", value: 1 },
    says: /no `\/a`\./,
  },
  {
    title: "remove of a missing member",
    from: {},
    operation: { op: "remove", path: "/a" },
    says: /no `\/a`\./,
  },
  {
    title: "an index beyond the end",
    from: [1],
    operation: { op: "add", path: "/2", value: 1 },
    says: /the list has 1 items/,
  },
  {
    title: "replace at the end",
    from: [1],
    operation: { op: "replace", path: "/1", value: 1 },
    says: /beyond the end/,
  },
  { title: "remove at `-`", from: [1], operation: { op: "remove", path: "/-" }, says: /beyond the end/ },
  {
    title: "a leading zero",
    from: [1, 2],
    operation: { op: "remove", path: "/01" },
    says: /must end in an index/,
  },
  {
    title: "a negative index",
    from: [1],
    operation: { op: "remove", path: "/-1" },
    says: /must end in an index/,
  },
  {
    title: "a step into a text",
    from: { a: "x" },
    operation: { op: "add", path: "/a/b", value: 1 },
    says: /At `\/a` there is no object/,
  },
  {
    title: "a pointer without its slash",
    from: {},
    operation: { op: "add", path: "a", value: 1 },
    says: /begin with `\/`/,
  },
  {
    title: "a tilde that escapes nothing",
    from: {},
    operation: { op: "add", path: "/a~2", value: 1 },
    says: /followed by 0 or 1/,
  },
  { title: "add without a value", from: {}, operation: { op: "add", path: "/a" }, says: /needs a `value`/ },
  {
    title: "an inherited member",
    from: {},
    operation: { op: "replace", path: "/constructor/prototype", value: 1 },
    says: /no `\/constructor`/,
  },
];

describe("JSON Patch", () => {
  for (const { title, from, operations, to } of GOOD) {
    test(title, () => assert.deepEqual(applyPatch(from, operations), to));
  }

  for (const { title, from, operation, says } of BAD) {
    test(`${title} is refused, naming the operation`, () => {
      const harmless: PatchOperation = Array.isArray(from)
        ? { op: "replace", path: "/0", value: 1 }
        : { op: "add", path: "", value: from };
      assert.throws(
        () => applyPatch(from, [harmless, operation]),
        (error: unknown) => error instanceof PatchError && error.index === 1 && says.test(error.message),
      );
    });
  }

  test("the document that was given stays as it was", () => {
    const from = { a: { b: [1, 2] } };
    applyPatch(from, [
      { op: "remove", path: "/a/b/0" },
      { op: "add", path: "/a/c", value: 1 },
    ]);
    assert.deepEqual(from, { a: { b: [1, 2] } });
  });

  test("`__proto__` is a name like any other and reaches no prototype", () => {
    const patched = applyPatch({}, [
      { op: "add", path: "/__proto__", value: { polluted: true } },
      { op: "add", path: "/__proto__/more", value: 1 },
    ]);
    assert.deepEqual(Object.keys(patched as object), ["__proto__"]);
    assert.equal(Object.getPrototypeOf(patched), Object.prototype);
    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    assert.equal(Object.hasOwn(Object.prototype, "more"), false);
  });

  test("a pointer's steps are unescaped; what is no pointer has none", () => {
    assert.deepEqual(parsePointer("/a~1b//~0"), ["a/b", "", "~"]);
    assert.deepEqual(parsePointer(""), []);
    assert.equal(parsePointer("a"), undefined);
  });
});
