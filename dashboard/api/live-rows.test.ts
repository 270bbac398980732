/** A list that is asked for again shows every row once, in order, without gaps. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { countNew, mergeRows } from "./live-rows.ts";

const getId = (row: { id: string }) => row.id;
const rows = (ids: string) => ids.split("").map((id) => ({ id }));
const merged = (newest: string, known: string) =>
  mergeRows(rows(newest), rows(known), getId).map(getId).join("");

test("new rows come above, and older rows that were loaded stay", () => {
  assert.equal(merged("gfed", "fedcba"), "gfedcba");
});

test("a row that was deleted within the newest page goes away", () => {
  assert.equal(merged("fdc", "fedcba"), "fdcba");
});

test("if no row is known any more, the list begins anew instead of having a gap", () => {
  assert.equal(merged("zyxw", "fedcba"), "zyxw");
});

test("new rows are counted down to the first one that is seen", () => {
  assert.equal(countNew(rows("hgfed"), new Set(["f", "e"]), getId), 2);
});
