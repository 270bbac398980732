import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { id, prose, text } from "../resources/resource.ts";
import { createOutput } from "./output.ts";
import { createPaint } from "./paint.ts";
import { escapeUnsafe, toPrintableLines, measureWidth } from "./printable.ts";
import { formatTable } from "./table.ts";

const screen = (isTTY: boolean) => Object.assign(new PassThrough(), { isTTY });
const plain = createPaint(screen(false), {});

test("columns line up whatever the width of the characters, and nothing is cut off", () => {
  assert.deepEqual(
    formatTable(
      ["NAME", "ID"],
      [
        ["crm", "1"],
        ["顧客管理", "2"],
        ["a-very-long-name", "3"],
      ],
      plain,
    ),
    ["NAME              ID", "crm               1", "顧客管理          2", "a-very-long-name  3"],
  );
});

test("a column of sentences stands last, so that in a pipe it widens no line but its own", () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: false });
  const out = createOutput({ stdout, stderr: screen(false), env: {} }, {});
  const sentence = "The app needs the scope developer.webhooks_journal.read. ".repeat(10).trim();
  const rows = [
    { name: "contacts", reason: sentence, id: "1" },
    { name: "deals", reason: "", id: "2" },
  ];
  out.rows(rows, { NAME: text("name"), REASON: prose("reason"), ID: id("id") }, "There are none.");
  assert.deepEqual(String(stdout.read()).split("\n"), [
    "NAME      ID  REASON",
    `contacts  1   ${sentence}`,
    "deals     2",
    "",
  ]);
});

test("text of others cannot move the cursor, hide words or break a row", () => {
  assert.equal(escapeUnsafe("a\u001B[2Jb\nc\u202Ed\u0000"), "a\\u001b[2Jb c\\u202ed\\u0000");
  assert.equal(toPrintableLines("a\n\tb\u0007"), "a\n  b\\u0007");
  assert.equal(measureWidth("e\u0301"), 1);
});

test("colours are for terminals, and NO_COLOR and TERM=dumb refuse them", () => {
  assert.equal(createPaint(screen(true), {}).red("x"), "\u001B[31mx\u001B[39m");
  assert.equal(createPaint(screen(false), {}).red("x"), "x");
  assert.equal(createPaint(screen(true), { NO_COLOR: "1" }).red("x"), "x");
  assert.equal(createPaint(screen(true), { TERM: "dumb" }).red("x"), "x");
});
