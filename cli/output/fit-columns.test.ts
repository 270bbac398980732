import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import type { JsonObject } from "../http/json.ts";
import { formatRelativeTime, type Columns } from "./column.ts";
import { chooseColumnsThatFit, cut, fitColumns } from "./fit-columns.ts";
import { createOutput, type OutputOptions } from "./output.ts";

const width = (natural: number, isId = false) => ({ natural, isId });

test("columns that fit stay as they are; else the widest give way, and ids only when nothing else can", () => {
  assert.deepEqual(fitColumns([width(5), width(10)], 2, 17), [5, 10]);
  assert.deepEqual(fitColumns([width(30), width(12), width(10, true)], 2, 40), [14, 12, 10]);
  assert.deepEqual(fitColumns([width(30), width(36, true)], 2, 40), [6, 32]);
  assert.deepEqual(fitColumns([width(30), width(36, true)], 2, 10), [6, 9]);
});

test("extra columns are given up, the last first, until the others are readable", () => {
  const columns = [
    width(12),
    { ...width(8), isExtra: true },
    { ...width(60), isExtra: true },
    width(36, true),
  ];
  assert.deepEqual(chooseColumnsThatFit(columns, 2, 122), [0, 1, 2, 3]);
  assert.deepEqual(chooseColumnsThatFit(columns, 2, 78), [0, 1, 2, 3]);
  assert.deepEqual(chooseColumnsThatFit(columns, 2, 77), [0, 1, 3]);
  assert.deepEqual(chooseColumnsThatFit(columns, 2, 20), [0, 3]);
});

test("a text is cut by its width on the screen, not by its characters", () => {
  assert.equal(cut("short", 5), "short");
  assert.equal(cut("longer", 5), "long…");
  assert.equal(cut("顧客管理", 5), "顧客…");
  assert.equal(cut("顧客管理", 4), "顧…");
});

test("a time is reported as people say it, and by its date once that says more", () => {
  const now = Date.parse("2026-06-15T12:00:00Z");
  const reported = ["11:59:58", "11:57:00", "09:30:00"].map((at) =>
    formatRelativeTime(`2026-06-15T${at}.000Z`, now),
  );
  assert.deepEqual(reported, ["2 s ago", "3 min ago", "2 h ago"]);
  assert.equal(formatRelativeTime("2026-06-12T12:00:00Z", now), "3 d ago");
  assert.equal(formatRelativeTime("2026-06-15T12:05:00Z", now), "in 5 min");
  assert.equal(formatRelativeTime("2026-01-02T03:04:05Z", now), "2026-01-02");
  assert.equal(formatRelativeTime("soon", now), "soon");
});

const COLUMNS: Columns = {
  NAME: (row) => String(row["name"]),
  STATUS: { text: (row) => String(row["status"]), kind: "status" },
  MADE: { text: (row) => String(row["made"]), kind: "time" },
  OTHER: { text: () => "other", isExtra: true },
  ID: { text: (row) => String(row["id"]), kind: "id" },
};
const ROW: JsonObject = {
  name: "a name that is quite a bit longer than others",
  status: "failure",
  made: "2001-02-03T04:05:06.789Z",
  id: "01a2015f-4d80-7494-b1da-abc92f19ac22",
};

async function shown(screen: { isTTY?: boolean; columns?: number }, options: OutputOptions = {}) {
  const stdout = Object.assign(new PassThrough(), screen);
  const stderr = new PassThrough();
  const out = createOutput({ stdout, stderr, env: {} }, options);
  out.rows([ROW], COLUMNS, "none");
  out.note("a remark");
  const [text, remarks] = [stdout.read(), stderr.read()].map((chunk) => String(chunk ?? ""));
  return { text: text ?? "", remarks: remarks ?? "" };
}

test("on a terminal a table keeps to its width, with relative times and coloured statuses", async () => {
  const { text } = await shown({ isTTY: true, columns: 80 });
  assert.ok(text.includes("\u001B[31mfailure\u001B[39m"));
  // oxlint-disable-next-line no-control-regex
  const lines = text.replaceAll(/\u001B\[\d+m/g, "").split("\n");
  assert.ok(lines.every((line) => line.length <= 80));
  assert.match(lines[1] ?? "", /^a name.*… +failure +2001-02-03 +01a2015f-4d80-7494-b1da-abc92f19ac22$/);
});

test("--wide cuts nothing and leaves nothing out; a pipe gets absolute times besides", async () => {
  const wide = await shown({ isTTY: true, columns: 80 }, { wide: true });
  assert.match(wide.text, /quite a bit longer than others .* other /);
  const piped = await shown({});
  assert.match(piped.text, /longer than others +failure +2001-02-03T04:05:06Z +other +01a2015f-\S+\n$/);
});

test("--quiet leaves out remarks and no results", async () => {
  assert.equal((await shown({})).remarks, "a remark\n");
  const quiet = await shown({}, { quiet: true });
  assert.deepEqual([quiet.remarks, quiet.text.includes("failure")], ["", true]);
});
