/** Guards that a JSON body is stored and sent as the caller wrote it, or refused. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Problem } from "../../ground/errors.ts";
import { processorMs } from "../../tests/harness/processor-ms.ts";
import { parseJson } from "./json-body.ts";

const refused = (detail: RegExp) => (error: unknown) =>
  error instanceof Problem && error.slug === "malformed-json" && detail.test(error.message);

test("a valid body is parsed, with or without a byte order mark", () => {
  assert.deepEqual(parseJson('{"a": [1, "b", null, true]}'), { a: [1, "b", null, true] });
  assert.deepEqual(parseJson("\ufeff[1]"), [1]);
  assert.equal(parseJson("null"), null);
});

test("an invalid body is refused with the parser's reason", () => {
  for (const text of ["{", '{"a":1,}', "'a'", "{a: 1}", "NaN", "[1] [2]"]) {
    assert.throws(() => parseJson(text), refused(/not valid JSON: ./), text);
  }
});

describe("a number", () => {
  for (const text of [
    "9007199254740991",
    "-9007199254740991",
    "0.1234567890123456789",
    "1234567890.1234567890",
    "1e300",
    "100000000000000000000e-5",
  ]) {
    test(`that JavaScript keeps is accepted: ${text}`, () => {
      assert.equal(parseJson(`[${text}]`)?.toString(), String(Number(text)));
    });
  }

  for (const text of [
    "9007199254740993",
    "-9007199254740993",
    "12345678901234567890",
    "12345678901234567890.5",
    "1234567890123456789e5",
  ]) {
    test(`that JavaScript would round is refused with its place: ${text}`, () => {
      assert.throws(() => parseJson(`{"a": {"score": ${text}}}`), refused(/at "score".*as a string/));
    });
  }

  test("of many digits in a text is left alone", () => {
    assert.deepEqual(parseJson('{"id": "12345678901234567890"}'), { id: "12345678901234567890" });
  });
});

describe("a member that would change an object's prototype", () => {
  for (const name of [
    "__proto__",
    "\\u005f_proto__",
    "_\\u005fproto__",
    "__pr\\u006Fto__",
    "\\u005F\\u005Fproto\\u005f_",
  ]) {
    test(`is refused: ${name}`, () => {
      assert.throws(() => parseJson(`{"a": [{"${name}": {"isAdmin": true}}]}`), refused(/__proto__/));
    });
  }
});

describe("a text", () => {
  for (const [name, text] of [
    ["a NUL", "a\\u0000b"],
    ["the first half of a surrogate pair", "a\\ud83d"],
    ["the second half of a surrogate pair", "\\uDE00a"],
  ]) {
    test(`with ${name} is refused with its place`, () => {
      assert.throws(() => parseJson(`{"name": "${text}"}`), refused(/at "name"/));
    });
  }

  test("with a whole surrogate pair is accepted, escaped or not", () => {
    assert.deepEqual(parseJson('["\\ud83d\\ude00", "😀"]'), ["😀", "😀"]);
  });
});

test("one long number does not make a large body many times slower to parse", async () => {
  const text = `[1111111111111111${",1".repeat(5_000_000)}]`;
  const fastestMs = async (parse: (text: string) => unknown) => {
    const all: number[] = [];
    for (let times = 0; times < 3; times += 1) all.push(await processorMs(() => parse(text)));
    return Math.min(...all);
  };
  const plainMs = await fastestMs(JSON.parse);
  // Twice on a quiet machine; the margin is for a busy one. A call for every value takes 30 to 70 times as long.
  assert.ok((await fastestMs(parseJson)) < 10 * plainMs);
});

test("a number that is rounded is named by its member or its position", () => {
  const long = "12345678901234567890";
  assert.throws(() => parseJson(`{"a": [], "b\\"c": -${long}}`), refused(/at "b\\"c"/));
  assert.throws(() => parseJson(`{"a": [1, ${long}]}`), refused(/at character 11 /));
  assert.throws(() => parseJson(long), refused(/at character 1 /));
});

test("a member's name that no provider stores is refused", () => {
  assert.throws(() => parseJson('{"a": 1, "b\\u0000": 2}'), refused(/NUL/));
});

test("a quote after a backslash ends a text only if the backslash is escaped", () => {
  for (const text of [
    '{"a\\\\": "\\\\", "b": "\\"12345678901234567890"}',
    '["\\\\\\"", "1111111111111111111"]',
  ]) {
    assert.deepEqual(parseJson(text), JSON.parse(text));
  }
});

test("nesting too deep to check is refused, not a crash", () => {
  const text = `${"[".repeat(100_000)}1234567890123456${"]".repeat(100_000)}`;
  assert.throws(() => parseJson(text), refused(/nested too deeply/));
});
