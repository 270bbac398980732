/** JSON of providers keeps its digits and texts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { toExactInteger, readItemTexts, parseExactly } from "./exact-json.ts";

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

test("a number with more digits than a double holds keeps them, and what programs write of a double stays a number", () => {
  assert.deepEqual(
    parseExactly(
      '{"price": 1234567890123456.78, "far":1e400,"near": [ 37.774929500000001,0.30000000000000004, 1.10 ],"zero":0.0000000000000000}',
    ),
    {
      price: "1234567890123456.78",
      far: "1e400",
      near: [37.7749295, 0.30000000000000004, 1.1],
      zero: 0,
    },
  );
});

test("digits in texts are no numbers, also after a comma, and a byte order mark is left out", () => {
  const texts = {
    "a,12345678901234567": "b, 98765432109876543, :12345678901234567 ",
    id: "12345678901234567",
  };
  assert.deepEqual(parseExactly(`\uFEFF${JSON.stringify(texts)}`), texts);
  assert.equal(parseExactly("12345678901234567"), "12345678901234567");
});

test("a number is sent with the digits of its text, and what is no integer is none", () => {
  const sent = ["9007199254740993", "-9007199254740993", "0009007199254740993", "42"].map(toExactInteger);
  assert.equal(JSON.stringify(sent), "[9007199254740993,-9007199254740993,9007199254740993,42]");
  assert.equal(toExactInteger("12a"), undefined);
  assert.equal(toExactInteger(""), undefined);
});

test("items of an array come as they were written, brackets and quotes in texts included", () => {
  const items = ['{"a":"],[\\"{", "b": [1, {"c":2}]}', "9007199254740993", '"x\\\\"', "[[],[ ]]", "1.50"];
  assert.deepEqual(readItemTexts(` [ ${items.join(" ,\n")} ] `), items);
  assert.deepEqual(readItemTexts("[]"), []);
  assert.deepEqual(readItemTexts(" [ ] "), []);
});

test("a value that is no array has no items, and what is not JSON is refused", () => {
  assert.equal(readItemTexts('{"a":[1]}'), undefined);
  assert.throws(() => readItemTexts("[1,]"), SyntaxError);
  assert.throws(() => readItemTexts("[1"), SyntaxError);
});
