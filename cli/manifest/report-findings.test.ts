import assert from "node:assert/strict";
import { test } from "node:test";
import { createPaint } from "../output/paint.ts";
import { PassThrough } from "node:stream";
import { listFindingLines, summarizeFindings, type Finding } from "./report-findings.ts";

const plain = createPaint(new PassThrough(), {});
const finding = (line: number, column: number, more: Partial<Finding> = {}): Finding => ({
  severity: "error",
  rule: "some-rule",
  message: "This is wrong.",
  remedy: "Mend it.",
  line,
  column,
  ...more,
});
const reported = (source: string, one: Finding) =>
  listFindingLines([one], { shown: "amp.yaml", source }, plain);

test("a mistake is reported with its place, its line, a caret below its word and its remedy", () => {
  assert.deepEqual(reported("specVersion: 1.0.0\nprovider: hubspott # ours", finding(2, 11)), [
    "amp.yaml:2:11: error: This is wrong. [some-rule]",
    " 2 | provider: hubspott # ours",
    "   |           ^^^^^^^^",
    "   = Mend it.",
    "",
  ]);
});

test("the caret stands under the word behind tabs, wide characters and Windows line ends", () => {
  const caretBelow = (source: string, column: number) => {
    const [, line = "", caret = ""] = reported(source, finding(1, column));
    return [line.slice(5), caret.slice(5)];
  };
  assert.deepEqual(caretBelow("\tname: x\r\nmore", 2), [" name: x", " ^^^^"]);
  assert.deepEqual(caretBelow("名前: crm", 5), ["名前: crm", "      ^^^"]);
  assert.deepEqual(caretBelow('a: "x y" # z', 4), ['a: "x y" # z', "   ^^^^^"]);
});

test("a place at the end of a line, behind it, or on an empty line is told without failing", () => {
  assert.equal(reported("a:", finding(1, 3))[2], "   |   ^");
  assert.equal(reported("a:", finding(1, 30))[2], "   |   ^");
  assert.equal(reported("a:", finding(9, 1)).length, 3);
});

test("a long line is cut around the place, and the caret stays under it", () => {
  const line = `${"x".repeat(500)} here ${"y".repeat(500)}`;
  const [, shown = "", caret = ""] = reported(line, finding(1, 502));
  assert.ok(shown.length < 130, shown);
  assert.equal(shown.slice(caret.indexOf("^")).slice(0, 4), "here");
});

test("control characters of a manifest do not reach the terminal", () => {
  const lines = reported("name: \u001B[2Jx", finding(1, 7, { message: "odd \u001B]0;title\u0007" }));
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(lines.join("\n"), /[\u001B\u0007]/);
});

test("the last line counts errors and warnings", () => {
  const warning = finding(1, 1, { severity: "warning" });
  assert.equal(
    summarizeFindings([finding(1, 1), finding(1, 1), warning], "amp.yaml", plain),
    "2 errors, 1 warning in amp.yaml",
  );
  assert.equal(summarizeFindings([], "amp.yaml", plain), "amp.yaml: no errors");
});
