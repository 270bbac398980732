// Record table: generated, changed and stored records are one sequence, whatever is selected.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RecordTable, type Row, type Selection } from "./record-table.ts";

type Record = Row & { colour: string };

const COLOURS = ["red", "green", "blue"];

function build(): { table: RecordTable<Record>; model: Map<number, Record> } {
  const table = new RecordTable<Record>();
  const model = new Map<number, Record>();
  const keep = (record: Record): void => {
    table.keep(record);
    model.set(record.key, record);
  };
  const generate = (firstKey: number, count: number, fromMs: number, toMs: number): void => {
    const make = (index: number, key: number, updatedAt: number): Record => ({
      key,
      updatedAt,
      colour: COLOURS[index % 3] ?? "",
    });
    table.addBlock({ firstKey, count, fromMs, toMs, unitMs: 10 }, make);
    for (let key = firstKey; key < firstKey + count; key++) {
      const record = table.get(key);
      if (record !== undefined) model.set(key, record);
    }
  };
  for (let key = 1; key <= 20; key++) keep({ key, updatedAt: (key * 37) % 900, colour: "red" });
  generate(100, 300, 0, 1_000);
  keep({ key: 500, updatedAt: 455, colour: "green" });
  generate(600, 200, 300, 300);
  for (let key = 105; key < 400; key += 13) keep({ key, updatedAt: (key * 7) % 1_000, colour: "blue" });
  for (const key of [110, 131, 601, 7]) {
    const record = table.get(key);
    if (record !== undefined) table.drop(record);
    model.delete(key);
  }
  return { table, model };
}

const { table, model } = build();

function expected({
  afterKey,
  throughKey,
  changedFrom,
  changedTo,
  afterPair,
  test: wanted,
}: Selection<Record>): Record[] {
  return [...model.values()]
    .filter(
      (row) =>
        (afterKey === undefined || row.key > afterKey) &&
        (throughKey === undefined || row.key <= throughKey) &&
        (changedFrom === undefined || row.updatedAt >= changedFrom) &&
        (changedTo === undefined || row.updatedAt <= changedTo) &&
        (afterPair === undefined ||
          row.updatedAt > afterPair.changedAt ||
          (row.updatedAt === afterPair.changedAt && row.key > afterPair.key)) &&
        (wanted === undefined || wanted.passes(row)),
    )
    .toSorted((a, b) => a.key - b.key);
}

const blue = { name: "blue", passes: (row: Record) => row.colour === "blue" };
const unnamed = { passes: (row: Record) => row.colour !== "red" };

const SELECTIONS: Selection<Record>[] = [
  {},
  { afterKey: 3 },
  { afterKey: 130 },
  { afterKey: 10_000 },
  { afterKey: 104, throughKey: 125 },
  { throughKey: 99, test: blue },
  { throughKey: 390, changedFrom: 100, test: unnamed },
  { changedFrom: 300, changedTo: 300 },
  { changedFrom: 250, changedTo: 500, afterKey: 117 },
  { afterPair: { changedAt: 300, key: 650 } },
  { afterPair: { changedAt: 455, key: 499 }, changedTo: 800 },
  { test: blue },
  { test: blue, changedFrom: 100, changedTo: 700, afterKey: 104 },
  { test: unnamed, changedFrom: 100, changedTo: 700 },
];

for (const selection of SELECTIONS) {
  const { test: wanted, ...bounds } = selection;
  test(`scan, count and both orders agree: ${JSON.stringify(bounds)} ${wanted?.name ?? ""}`, () => {
    const rows = expected(selection);
    const keys = rows.map((row) => row.key);
    assert.deepEqual(
      [...table.select(selection)].map((row) => row.key),
      keys,
    );
    assert.equal(table.count(selection), rows.length);
    assert.deepEqual([...table.keys(selection, "key")], keys);
    const byChange = rows.toSorted((a, b) => a.updatedAt - b.updatedAt || a.key - b.key);
    assert.deepEqual(
      [...table.keys(selection, "change")],
      byChange.map((row) => row.key),
    );
  });
}

test("a removed record stays away until it is stored again", () => {
  assert.equal(table.get(110), undefined);
  table.keep({ key: 110, updatedAt: 1, colour: "red" });
  assert.equal(table.get(110)?.updatedAt, 1);
});
