/** Checks of requests with several records: what is sent, in how many requests, and the record of each result. */
import type { RecordOutcome, RecordToWrite, RecordWrite } from "../../../connector-kit/connector.ts";
import type { BatchFact } from "../../../connector-kit/facts/facts.ts";
import { orderWrite } from "../../../connector-kit/testing/order-fixture.ts";
import { expect, putRecords, type Bench, type Check } from "./bench.ts";
import { findFreeField } from "./write-checks.ts";

type BatchWrite = "create" | "update" | "upsert";

const REFUSED = "the vendor refuses this value";

export function listBatchChecks(bench: Bench): Check[] {
  const { batch = {} } = bench.object;
  const writes = (["create", "update", "upsert"] as const).flatMap((action): Check[] => {
    const fact = batch[action];
    if (!fact) return [];
    const { source, failure, allOrNone } = fact;
    return [
      { name: `batch: ${action}`, source, run: () => checkWholeBatch(bench, action, 3) },
      {
        name: `batch: ${action} of more than one request takes`,
        source,
        run: () => checkManyRecords(bench, action, fact),
      },
      ...(failure
        ? [{ name: `batch: ${action} of which one fails`, source, run: () => oneFails(bench, action, fact) }]
        : []),
      ...(allOrNone === undefined && !(failure?.onlyMarked && action === "create")
        ? []
        : [{ name: `batch: ${action} of all or none`, source, run: () => checkUndoneByOne(bench, action) }]),
      ...(fact.onceOnly
        ? [{ name: `batch: ${action} of one record twice`, source, run: () => writeTwice(bench, action) }]
        : []),
    ];
  });
  const { read } = batch;
  return [
    ...writes,
    ...(batch.update && hasFailureOfMissing(batch.update)
      ? [
          {
            name: "batch: update of a record that is gone",
            source: batch.update.source,
            run: () => checkGoneUpdate(bench),
          },
        ]
      : []),
    ...(read
      ? [{ name: "batch: values of records", source: read.source, run: () => readValues(bench, read) }]
      : []),
  ];
}

const hasFailureOfMissing = ({ failure }: BatchFact): boolean => failure?.missing !== undefined;

/** Builds records with different values, and with ids or keys if they need them. */
function buildRecords(
  bench: Bench,
  action: BatchWrite,
  count: number,
): { name: string; key: string; records: RecordToWrite[] } {
  const { object } = bench;
  const one = object[action];
  const name = one ? findFreeField(bench, one) : "note";
  const key = object.upsert?.keys?.[0] ?? "";
  const stored = action === "update" ? putRecords(bench, count) : [];
  const records = Array.from({ length: count }, (_, index): RecordToWrite => {
    const fields = { [name]: `value ${index}` };
    const id = stored[index]?.id;
    if (action === "upsert") return { fields: { ...fields, [key]: `k${index}@example.com` } };
    return { ...(id !== undefined && { id }), fields };
  });
  return { name, key, records };
}

async function send(
  bench: Bench,
  type: BatchWrite,
  records: RecordToWrite[],
  more: Partial<RecordWrite> = {},
): Promise<RecordOutcome[]> {
  expect(bench.connector.write, "the connector writes nothing");
  const order = { ...orderWrite(bench.objectName, type, { fields: {} }), batch: true, records, ...more };
  const { outcomes } = await bench.connector.write.write(order, bench.fetch);
  expect(outcomes.length === records.length, `${outcomes.length} outcomes of ${records.length} records`);
  return outcomes;
}

const buildKey = (type: BatchWrite, key: string): Partial<RecordWrite> => (type === "upsert" ? { key } : {});

/** Expects that each outcome is a success, and names the record with the values of its input. */
function expectPlaced(bench: Bench, name: string, records: RecordToWrite[], outcomes: RecordOutcome[]): void {
  const stored = bench.vendor.records.of(bench.objectName);
  for (const [index, outcome] of outcomes.entries()) {
    if (!outcome.success) throw outcome.error;
    const record = stored.find(({ id }) => id === outcome.recordId);
    expect(record, `record ${index} is told as ${outcome.recordId}, which does not exist`);
    const [own, wanted] = [record.fields[name], records[index]?.fields[name]];
    expect(
      own === wanted,
      `record ${index} is told as that of another input: ${String(own)}, not ${String(wanted)}`,
    );
  }
}

async function checkWholeBatch(bench: Bench, type: BatchWrite, count: number): Promise<undefined> {
  const { name, key, records } = buildRecords(bench, type, count);
  bench.vendor.seen.length = 0;
  const outcomes = await send(bench, type, records, buildKey(type, key));
  expectPlaced(bench, name, records, outcomes);
  expect(
    bench.vendor.seen.length === 1 && bench.vendor.seen[0]?.action === "batch",
    `sends ${bench.vendor.seen.length} requests for ${count} records`,
  );
  if (type !== "upsert" || bench.object.batch?.upsert?.createdAt === undefined) return;
  const again = await send(bench, type, records, buildKey(type, key));
  const reported = [...outcomes, ...again].map((outcome) => outcome.success && outcome.created);
  expect(
    reported.every((created, index) => created === index < count),
    `tells ${reported.join(", ")} of what was created, and then of what was there`,
  );
}

async function checkManyRecords(bench: Bench, type: BatchWrite, { most }: BatchFact): Promise<undefined> {
  const { name, key, records } = buildRecords(bench, type, most + 1);
  bench.vendor.seen.length = 0;
  expectPlaced(bench, name, records, await send(bench, type, records, buildKey(type, key)));
  const sizes = bench.vendor.seen.map(({ inputs }) => inputs ?? 1);
  expect(sizes.length === 2, `sends ${sizes.join(", ")} records where ${most} are taken at once`);
}

async function oneFails(bench: Bench, type: BatchWrite, fact: BatchFact): Promise<undefined> {
  const { name, key, records } = buildRecords(bench, type, 4);
  if (records[2]) records[2].fields[name] = REFUSED;
  bench.vendor.refusedValue = REFUSED;
  bench.vendor.seen.length = 0;
  const outcomes = await send(bench, type, records, buildKey(type, key));
  const [bad] = outcomes.splice(2, 1);
  records.splice(2, 1);
  expectPlaced(bench, name, records, outcomes);
  expect(bad && !bad.success, "the record that was refused counts as written");
  expect(
    bad.error.message.includes("does not take"),
    `the vendor's reason is not told: ${bad.error.message}`,
  );
  expect(
    bench.vendor.seen.length === 1 || !fact.failure?.onlyMarked,
    "does not mark its inputs, so that one failure refuses the whole request",
  );
}

async function checkUndoneByOne(bench: Bench, type: BatchWrite): Promise<undefined> {
  const { name, key, records } = buildRecords(bench, type, 3);
  const before = bench.vendor.records.of(bench.objectName).length;
  const placed = await send(bench, type, records, { ...buildKey(type, key), allOrNone: true });
  expectPlaced(bench, name, records, placed);
  const after = bench.vendor.records.of(bench.objectName).length;
  expect(after - before === (type === "update" ? 0 : 3), `${after - before} of 3 records were written`);
  const others = buildRecords(bench, type, 3);
  for (const [index, record] of others.records.entries())
    record.fields[name] = index === 1 ? REFUSED : `later ${index}`;
  bench.vendor.refusedValue = REFUSED;
  const outcomes = await send(bench, type, others.records, { ...buildKey(type, key), allOrNone: true });
  const errors = outcomes.flatMap((outcome) => (outcome.success ? [] : [outcome.error]));
  expect(errors.length === 3, `${3 - errors.length} of 3 records count as written`);
  const kept = bench.vendor.records
    .of(bench.objectName)
    .filter(({ fields }) => String(fields[name]).startsWith("later"));
  expect(kept.length === 0, `${kept.length} records were written all the same`);
  expect(
    errors.some(({ message }) => message.includes("does not take")),
    `the vendor's reason is not told: ${errors[1]?.message}`,
  );
}

async function writeTwice(bench: Bench, type: BatchWrite): Promise<undefined> {
  const { name, key, records } = buildRecords(bench, type, 2);
  const [first] = records;
  expect(first, "no record");
  const all = [...records, { ...first, fields: { ...first.fields, [name]: "again" } }];
  const outcomes = await send(bench, type, all, buildKey(type, key));
  for (const outcome of outcomes) if (!outcome.success) throw outcome.error;
  const stored = bench.vendor.records.of(bench.objectName).filter(({ fields }) => fields[name] === "again");
  expect(stored.length === 1, "the last of two writes of one record does not hold");
}

async function checkGoneUpdate(bench: Bench): Promise<undefined> {
  const { name, records } = buildRecords(bench, "update", 3);
  bench.vendor.records.of(bench.objectName).splice(1, 1);
  const outcomes = await send(bench, "update", records);
  const [gone] = outcomes.splice(1, 1);
  records.splice(1, 1);
  expectPlaced(bench, name, records, outcomes);
  expect(
    gone && !gone.success && gone.error.kind === "not_found",
    "the update of a record that is gone is not told as not found",
  );
}

/** Reads the values of more records than one request may ask for; one of them is gone. */
async function readValues(bench: Bench, { most }: BatchFact): Promise<undefined> {
  const { connector, objectName, object, fetch, vendor } = bench;
  expect(connector.write, "the connector writes nothing");
  const name = object.create ? findFreeField(bench, object.create) : "note";
  const records = putRecords(bench, most + 2, { fields: { [name]: "before" } });
  const [gone] = vendor.records.of(objectName).splice(1, 1);
  const ids = records.map(({ id }) => id);
  const found = await connector.write.readFields({ objectName, ids, fields: [name] }, fetch);
  expect(found.size === most + 1, `${found.size} of ${most + 1} records are found`);
  expect(gone && !found.has(gone.id), "a record that is gone is found");
  const strange = [...found].find(([, values]) => values[name] !== "before");
  expect(!strange, `${name} of ${strange?.[0]} is ${JSON.stringify(strange?.[1])}`);
  expect(
    vendor.seen.length === 2,
    `sends ${vendor.seen.length} requests where ${most} ids are taken at once`,
  );
}
