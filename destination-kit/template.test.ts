/** Templates: results for unusual data, refused templates, and that no template blocks the process. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { processorMs } from "../tests/harness/processor-ms.ts";
import { checkTemplate, openTemplate } from "./template.ts";

const SAMPLE = { data: {} };
const DATA = {
  data: { name: "Zoë", count: 0, on: false, list: ["a"], nothing: null, empty: "", own: { id: 7 } },
};

test("text, numbers and booleans become text; any other result counts as none", () => {
  for (const [template, text] of [
    ["data.name", "Zoë"],
    ["data.count", "0"],
    ["data.on", "false"],
    ["join('-', [data.name, to_string(data.own.id)])", "Zoë-7"],
    ["data.list", undefined],
    ["data.own", undefined],
    ["data.nothing", undefined],
    ["data.empty", undefined],
    ["data.missing.deeper", undefined],
    ["length(data.count)", undefined],
    [`join(data.name, [${"'',".repeat(600)}''])`, "Zoë".repeat(600)],
    [`${"join(".repeat(20)}data.name${",['','',''])".repeat(20)}`, undefined],
    ["data.own.id / data.count", undefined],
  ] as const) {
    assert.deepEqual(checkTemplate("t", template, SAMPLE), [], template);
    assert.equal(openTemplate(template)(DATA), text, template);
  }
});

test("a template that can never return text is refused with a reason when it is stored", () => {
  for (const [template, why] of [
    ["data.[", /Syntax error|parse/i],
    ["shout(data.a)", /no function shout/],
    ["join('-')", /argument/i],
    ["[data.a, data.b]", /list or an object/],
    ["{a: data.a}", /list or an object/],
    ["data", /list or an object/],
    ["a".repeat(2_001), /longer than 2000/],
    ["!".repeat(1_900) + "data.a", /stack|deep/i],
    ["pad_left(data.name, `500000000`)", /no function pad_left/],
  ] as const) {
    const [fault] = checkTemplate("metadata.keyTemplate", template, SAMPLE);
    assert.equal(fault?.name, "metadata.keyTemplate", template);
    assert.match(fault.detail, why);
  }
});

/** Each of a hundred, with each of a hundred, …: years. */
const zeros = `\`[${Array.from({ length: 100 }, () => 0).join(",")}]\``;
const ENDLESS = `let $a = ${zeros} in $a[*].[$a[*].[$a[*].[$a[*].[$a[*].[$a[*]]]]]] | length(@)`;

test("a template that takes too long is refused when it is stored", async () => {
  const usedMs = await processorMs(() => {
    for (const template of [ENDLESS, `to_string($${".[@, @]".repeat(40)})`]) {
      const [fault] = checkTemplate("t", template, SAMPLE);
      assert.match(fault?.detail ?? "", /takes too long/, template.slice(-20));
    }
  });
  assert.ok(usedMs < 5_000, `${usedMs} ms`);
});

/** Each level escapes the quotes and backslashes of the one below, which doubles the text. */
const escaped = (levels: number): string => `${"to_string([".repeat(levels)}data.a${"])".repeat(levels)}`;

test("a template that escapes its own text again and again is refused, and a stored one takes no time", async () => {
  const usedMs = await processorMs(() => {
    const [fault] = checkTemplate("t", `join('', [${escaped(25)}])`, SAMPLE);
    assert.match(fault?.detail ?? "", /to_string\(\) within to_string\(\)/);
    assert.deepEqual(checkTemplate("t", "join('', [to_string(data.a), to_string(data.b)])", SAMPLE), []);
    assert.throws(() => openTemplate(escaped(28))({ data: { a: "x" } }), /takes too long/);
  });
  assert.ok(usedMs < 2_000, `${usedMs} ms`);
});

test("a template that takes too long for a message fails the attempt and is not evaluated again", async () => {
  const template = `data.a[*].[$.data.a[*].[$.data.a[*].[$.data.a[*]]]] | length(@)`;
  assert.deepEqual(checkTemplate("t", template, SAMPLE), []);
  const evaluate = openTemplate(template);
  assert.equal(evaluate({ data: { a: [1] } }), "1");
  const data = { data: { a: Array.from({ length: 1_000 }, (_, index) => index) } };
  assert.throws(() => evaluate(data), /takes too long/);
  const usedMs = await processorMs(() => assert.throws(() => evaluate(data), /takes too long/));
  assert.ok(usedMs < 50, `${usedMs} ms`);
});
