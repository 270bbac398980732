/** JSON of providers keeps its digits and texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { itemTexts, parseExactly } from "./exact-json.ts";

test("an integer beyond 2^53 keeps all digits", () => {
  assert.deepEqual(parseExactly('{"id":9007199254740993,"n":[-9007199254740993],"small":12,"half":0.5}'), {
    id: "9007199254740993",
    n: ["-9007199254740993"],
    small: 12,
    half: 0.5,
  });
});

test("integers that JavaScript keeps stay numbers, the largest of them included", () => {
  const exact = { id: 999_999_999_999_999, largest: Number.MAX_SAFE_INTEGER, text: "1".repeat(20) };
  assert.deepEqual(parseExactly(JSON.stringify(exact)), exact);
});

test("items of an array come as they were written, brackets and quotes in texts included", () => {
  const items = ['{"a":"],[\\"{", "b": [1, {"c":2}]}', "9007199254740993", '"x\\\\"', "[[],[ ]]", "1.50"];
  assert.deepEqual(itemTexts(` [ ${items.join(" ,\n")} ] `), items);
  assert.deepEqual(itemTexts("[]"), []);
  assert.deepEqual(itemTexts(" [ ] "), []);
});

test("a value that is no array has no items, and what is not JSON is refused", () => {
  assert.equal(itemTexts('{"a":[1]}'), undefined);
  assert.throws(() => itemTexts("[1,]"), SyntaxError);
  assert.throws(() => itemTexts("[1"), SyntaxError);
});
