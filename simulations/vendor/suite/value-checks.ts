/** Checks of the values of records: each field under its name, with the vendor's meaning, read and written. */
import { isDeepStrictEqual } from "node:util";
import { orderWrite } from "../../../connector-kit/testing/order-fixture.ts";
import { getTextAt, getValueAt } from "../../../connector-kit/calls/get-text-at.ts";
import type { RecordFact } from "../../../connector-kit/facts/facts.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../ground/json.ts";
import type { NewRecord } from "../vendor-records.ts";
import { expect, scanAll, putRecords, type Check, type Bench } from "./bench.ts";
import { findFreeField } from "./write-checks.ts";

export function listValueChecks(bench: Bench): Check[] {
  const { facts, object, objectName } = bench;
  const values = (facts.values ?? []).filter(({ objects }) => objects.includes(objectName));
  const own = object.create ?? object.update;
  const { fields: single = [], costly = false } = object.list?.onlySingle ?? {};
  return [
    ...(costly ? [] : single).map((path) => ({
      name: `what only a single record has: ${path}`,
      source: object.list?.onlySingle?.source ?? object.list?.source,
      run: () => checkWholeValue(bench, path),
    })),
    ...(object.fieldList
      ? [
          {
            name: "fields that records have as a list",
            source: object.fieldList.source ?? object.list?.source,
            run: () => checkListedFields(bench),
          },
        ]
      : []),
    ...values.map((fact, index) => ({
      name: `value ${index + 1}: ${fact.field}`,
      source: fact.source,
      run: () => checkMeantValue(bench, fact),
    })),
    ...values.flatMap((fact, index) =>
      fact.sent !== undefined && bench.modes.includes("update")
        ? [
            {
              name: `write of value ${index + 1}: ${fact.field}`,
              source: fact.source,
              run: () => checkSentValue(bench, fact),
            },
          ]
        : [],
    ),
    // In GraphQL, a request names the fields as the answer does.
    ...(own && !own.absent && !facts.graphql
      ? [{ name: "a field under its name", source: own.source, run: () => checkWrittenName(bench, own) }]
      : []),
  ];
}

type ValueFact = NonNullable<Bench["facts"]["values"]>[number];

/** Checks that a field is read which no entry of the list has. */
async function checkWholeValue(bench: Bench, path: string): Promise<undefined> {
  const [name = ""] = path.split(".");
  const found = await readField(bench, name, { shown: { path, value: "whole" } });
  const text = JSON.stringify(found) ?? "";
  expect(text.includes("whole"), `${path}, which only the answer by id has, is not read`);
}

async function checkListedFields(bench: Bench): Promise<undefined> {
  const { fieldList, example } = bench.object;
  putRecords(bench, 1);
  const [record] = (await scanAll(bench)).records;
  const entries = fieldList && example && getValueAt(example as Json, fieldList.at);
  for (const entry of Array.isArray(entries) ? entries : []) {
    const name = getTextAt(entry, fieldList?.name ?? "") ?? "";
    const values = fieldList?.value.split("|").map((member) => getValueAt(entry, member)) ?? [];
    const wanted = values.find((value) => value !== undefined && value !== null);
    const found = record?.values[name] ?? null;
    if (wanted === undefined) checkEntry(name, found, entry);
    else
      expect(showText(found) === showText(wanted), `${name} is ${showText(found)}, not ${showText(wanted)}`);
  }
}

const showText = (value: Json): string => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** Checks that a field whose entry has no text is read with the other members of the entry. */
function checkEntry(name: string, found: Json, entry: Json): void {
  const { __typename: _, ...wanted } = isJsonObject(entry) ? entry : {};
  const missing = Object.keys(wanted).filter(
    (key) => !isDeepStrictEqual(getValueAt(found, key), wanted[key]),
  );
  expect(missing.length === 0, `${name}, which has no text, is read without its ${missing.join(" and ")}`);
}

async function checkMeantValue(
  bench: Bench,
  { at, field, shown, means, plainBy }: ValueFact,
): Promise<undefined> {
  const path = at === "" ? field : `${at}.${field}`;
  const found = await readField(bench, field, {
    shown: { path, value: shown as Json, ...(plainBy && { plain: { value: means as Json, by: plainBy } }) },
  });
  expect(
    JSON.stringify(found) === JSON.stringify(means),
    `${field} is read as ${JSON.stringify(found)}; the vendor means ${JSON.stringify(means)}`,
  );
}

async function checkSentValue(bench: Bench, { field, means, sent }: ValueFact): Promise<undefined> {
  const [record] = putRecords(bench, 1);
  expect(record && bench.connector.write, "nothing to write");
  const fields = { [field]: means } as JsonObject;
  const order = orderWrite(bench.objectName, "update", { id: record.id, fields });
  const [outcome] = (await bench.connector.write.write(order, bench.fetch)).outcomes;
  if (!outcome?.success) throw outcome?.error ?? new Error("there is no outcome");
  const stored = JSON.stringify(record.fields[field]);
  expect(
    stored === JSON.stringify(sent),
    `${JSON.stringify(means)} is written as ${stored}, not ${JSON.stringify(sent)}`,
  );
}

/** Checks that a written value is read under the same name, however deep an answer has it. */
async function checkWrittenName(bench: Bench, fact: RecordFact): Promise<undefined> {
  const name = findFreeField(bench, fact);
  const found = await readField(bench, name, { fields: { [name]: "ünïcode ✓" } });
  expect(found === "ünïcode ✓", `${name}, which can be written, is read as ${JSON.stringify(found)}`);
}

async function readField(bench: Bench, field: string, record: NewRecord): Promise<Json | undefined> {
  putRecords(bench, 1, record);
  const [read] = (await scanAll(bench, { fields: [field] })).records;
  const values: JsonObject = read?.values ?? {};
  return values[field];
}
