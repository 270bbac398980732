/** Change events of Salesforce: bitmaps, exact numbers, times, gaps. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAvroSchema, type AvroRecordType } from "../../connector-kit/avro/avro-schema.ts";
import { decodeAvro } from "../../connector-kit/avro/decode-avro.ts";
import { decodeChangedFields } from "./changed-bits.ts";
import { isListed, readChangeEvent, readEvent } from "./change-event.ts";

const listFields = (count: number): AvroRecordType => ({
  kind: "record",
  name: "Event",
  fields: Array.from({ length: count }, (_, index) => ({
    name: `f${index}`,
    type: { kind: "union" as const, branches: [{ kind: "null" as const }, { kind: "string" as const }] },
    doc: "",
  })),
});

const compound = (parts: string[]): AvroRecordType => ({
  kind: "record",
  name: "Parts",
  fields: parts.map((name) => ({ name, type: { kind: "string" as const }, doc: "" })),
});

describe("bitmaps of changed fields", () => {
  test("a bit counts from the lowest one, over the fields of the schema", () => {
    assert.deepEqual(decodeChangedFields(listFields(40), ["0x104"]), ["f2", "f8"]);
    const named = [5, 6, 7, 10, 24, 26, 29, 30].map((index) => `f${index}`);
    assert.deepEqual(decodeChangedFields(listFields(40), ["0x650004E0"]), named);
    assert.deepEqual(decodeChangedFields(listFields(40), ["0x650004e0"]), named);
  });

  test("parts of a compound field have their own bitmap, and stand for the compound", () => {
    const event = listFields(6);
    const [, name] = event.fields;
    assert.ok(name);
    name.name = "Name";
    name.type = { kind: "union", branches: [{ kind: "null" }, compound(["Salutation", "First", "Last"])] };
    assert.deepEqual(decodeChangedFields(event, ["1-0x06"]), ["Name.First", "Name.Last"]);
    assert.deepEqual(decodeChangedFields(event, ["0x0A", "1-0x04"]), ["Name.Last", "f3"]);
    assert.deepEqual(decodeChangedFields(event, ["0x02"]), ["Name"]);
  });

  test("bits beyond the schema and texts that are no bitmaps are ignored", () => {
    assert.deepEqual(
      decodeChangedFields(listFields(3), ["0xFFFF", "9-0x01", "7", "0x", `0x${"F".repeat(9_000)}`]),
      ["f0", "f1", "f2"],
    );
  });
});

const HEADER = {
  type: "record",
  name: "ChangeEventHeader",
  fields: [
    { name: "entityName", type: "string" },
    { name: "recordIds", type: { type: "array", items: "string" } },
    {
      name: "changeType",
      type: { type: "enum", name: "ChangeType", symbols: ["CREATE", "UPDATE", "GAP_OVERFLOW"] },
    },
    { name: "commitTimestamp", type: "long" },
    { name: "commitNumber", type: "long" },
    { name: "changedFields", type: { type: "array", items: "string" } },
  ],
};
const SCHEMA = parseAvroSchema(
  JSON.stringify({
    type: "record",
    name: "LeadChangeEvent",
    namespace: "com.sforce.eventbus",
    fields: [
      { name: "ChangeEventHeader", type: HEADER },
      {
        name: "Name",
        type: [
          "null",
          "string",
          { type: "record", name: "Person_Name", fields: [{ name: "LastName", type: ["null", "string"] }] },
        ],
      },
      { name: "Due__c", type: ["null", "long"], doc: "Data:Date:00N1" },
      { name: "LastModifiedDate", type: ["null", "long"], doc: "LastModifiedDate:DateTime" },
      { name: "Amount", type: ["null", "double"] },
    ],
  }),
);

/** Avro by hand: zigzag numbers, texts with their length. */
const long = (value: bigint): number[] => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
};
const text = (value: string): number[] => [...long(BigInt(Buffer.byteLength(value))), ...Buffer.from(value)];
const list = (items: string[]): number[] =>
  items.length === 0 ? [0] : [...long(BigInt(items.length)), ...items.flatMap(text), 0];

const header = (changeType: number, ids: string[], changed: string[]): number[] => [
  ...text("Lead"),
  ...list(ids),
  ...long(BigInt(changeType)),
  ...long(1_789_377_602_000n),
  ...long(1_789_377_602_315_534_337n),
  ...list(changed),
];
const ID = "00QSb0000000001MAA";

describe("change events", () => {
  test("an event of several records becomes one each, with exact numbers, times as text, and only what changed", () => {
    const bytes = [
      ...header(1, [ID, "00QSb0000000002MAA"], ["0x0C", "1-0x01"]),
      ...long(2n),
      ...long(1n),
      ...text("Sol"),
      ...long(1n),
      ...long(1_789_344_000_000n),
      ...long(1n),
      ...long(1_789_377_602_000n),
      ...long(0n),
    ];
    const { events, gaps } = readChangeEvent(decodeAvro(SCHEMA, Buffer.from(bytes)));
    assert.deepEqual(gaps, []);
    assert.equal(events.length, 2);
    const [event] = events;
    assert.ok(event);
    assert.match(event.raw, /"commitNumber":1789377602315534337[,}]/);
    const { ChangeEventHeader, ...body } = JSON.parse(event.raw);
    assert.deepEqual(ChangeEventHeader.changedFields, ["Name.LastName", "Due__c", "LastModifiedDate"]);
    assert.deepEqual(body, {
      Name: { LastName: "Sol" },
      Due__c: "2026-09-14",
      LastModifiedDate: "2026-09-14T09:20:02.000Z",
    });
    assert.deepEqual(event.changedFields, ["LastName", "Due__c", "LastModifiedDate"]);
    assert.deepEqual(event.changedCompounds, ["Name"]);
    assert.equal(event.recordId, ID);
    assert.deepEqual(readEvent(event.raw), event);
    assert.notEqual(events[0]?.dedupeKey, events[1]?.dedupeKey);
  });

  test("an overflow and an event with wildcards are gaps of the object, from before the transaction on", () => {
    for (const [type, ids] of [
      [2, ["000000000000000AAA"]],
      [1, ["00Q*"]],
    ] as const) {
      const bytes = [...header(type, [...ids], []), 0, 0, 0, 0];
      const { events, gaps } = readChangeEvent(decodeAvro(SCHEMA, Buffer.from(bytes)));
      assert.deepEqual(events, []);
      assert.equal(gaps[0]?.objectKey, "lead");
      assert.equal(gaps[0]?.since?.toISOString(), "2026-09-14T09:15:02.000Z");
    }
  });

  test("a restored record is listed by its word, also if Salesforce could not send its values", () => {
    const isIn = (words: string[], providerEventType: string) => isListed(words, { providerEventType });
    assert.ok(isIn(["undelete"], "UNDELETE"));
    assert.ok(isIn(["UNDELETE"], "GAP_UNDELETE"));
    assert.ok(isIn(["GAP_UNDELETE"], "GAP_UNDELETE"));
    assert.ok(!isIn(["GAP_UNDELETE"], "UNDELETE"));
    assert.ok(!isIn([], "GAP_UNDELETE"));
  });

  test("a long text that was changed in many records is a gap, because it would be kept for each of them", () => {
    const ids = Array.from({ length: 2_000 }, (_, index) => `00QSb${String(index).padStart(10, "0")}MAA`);
    const readBytes = (name: string) => [
      ...header(1, ids, ["0x02"]),
      ...long(1n),
      ...text(name),
      ...long(0n),
      ...long(0n),
      ...long(0n),
    ];
    const { events, gaps } = readChangeEvent(decodeAvro(SCHEMA, Buffer.from(readBytes("x".repeat(100_000)))));
    assert.deepEqual(events, []);
    assert.match(gaps[0]?.reason ?? "", /too much text/);
    assert.equal(gaps[0]?.objectKey, "lead");
    const small = decodeAvro(SCHEMA, Buffer.from(readBytes("x".repeat(1_000))));
    assert.equal(readChangeEvent(small).events.length, 2_000);
    assert.equal(readChangeEvent(small, 100_000).gaps.length, 1);
  });

  test("a value of few bytes cannot have millions of items", () => {
    const nested = parseAvroSchema('{"type":"array","items":{"type":"array","items":"null"}}');
    const bytes = [...long(100n), ...Array.from({ length: 100 }, () => [...long(900_000n), 0]).flat(), 0];
    assert.throws(() => decodeAvro(nested, Buffer.from(bytes)), /too many items/);
  });

  test("bytes that end early, unknown branches and numbers without an end are refused", () => {
    const whole = Buffer.from([...header(1, [ID], []), 0, 0, 0, 0]);
    for (const bytes of [
      whole.subarray(0, whole.length - 1),
      Buffer.from([...header(1, [ID], []), ...long(7n), 0, 0, 0]),
      Buffer.alloc(64, 0xff),
      Buffer.from([...text("Lead"), ...long(9_000_000_000n)]),
    ]) {
      assert.throws(() => decodeAvro(SCHEMA, bytes), RangeError);
    }
    assert.throws(() => parseAvroSchema("[".repeat(500) + "]".repeat(500)), RangeError);
    assert.throws(
      () => parseAvroSchema('{"type":"record","name":"A","fields":[{"name":"b","type":"C"}]}'),
      RangeError,
    );
  });
});

/** `Level__pc` of a person account: AccountChangeEvent.avsc of github.com/Valeriyyy/SalesforceGRPC, 2026-08-17. */
test("what an account adds to a record of ours includes the fields of a person account's contact", () => {
  const changeOrigin = "com/salesforce/api/rest/60.0;client=busbar/01930f5e-0000-7000-8000-000000000001";
  const header = { entityName: "Account", changeType: "CREATE", recordId: ID, changeOrigin };
  const event = { ChangeEventHeader: header, Industry: "Energy", Level__pc: "Gold", SLA__c: "Silver" };
  assert.deepEqual(readEvent(JSON.stringify(event))?.setFields, ["Level__pc", "SLA__c"]);
});
