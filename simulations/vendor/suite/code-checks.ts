/** Checks of features that only connectors in code have: bounds on both sides, filters, searches, wide records. */
import { orderWrite, planRead } from "../../../connector-kit/testing/order-fixture.ts";
import type { Checkpoint, DeletionPage } from "../../../connector-kit/read-connector.ts";
import {
  expect,
  buildReader,
  chooseChangesFact,
  SMALL_PAGE,
  scanAll,
  putRecords,
  expectIds,
  type Check,
  type Bench,
} from "./bench.ts";
import { findFreeField } from "./write-checks.ts";

export function listCodeChecks(bench: Bench): Check[] {
  const fact = chooseChangesFact(bench);
  if (!fact?.language || !bench.modes.includes("read")) return [];
  const { source } = fact;
  return [
    { name: "changes between two times", source, run: () => changesBetween(bench) },
    { name: "changes in small pages of which one is empty", source, run: () => checkEmptyPages(bench) },
    { name: "records with a value", source, run: () => checkFilters(bench) },
    { name: "count of changes", source, run: () => checkCount(bench) },
    { name: "search", source, run: () => checkSearch(bench) },
    { name: "more filters than a search takes", source, run: () => checkManyFilters(bench) },
    { name: "sample", source, run: () => checkSample(bench) },
    {
      name: "many records by their ids",
      source: bench.object.batch?.read?.source,
      run: () => checkManyIds(bench),
    },
    { name: "more fields than an address holds", source, run: () => checkWideRecords(bench) },
    ...(fact.paging.smallest === undefined && bench.object.list?.paging.smallest === undefined
      ? []
      : [{ name: "pages behind an address of their own", source, run: () => checkLocatedPages(bench) }]),
    ...(fact.language.kind === "filterGroups"
      ? [{ name: "records that vanished in merges", source, run: () => checkMerged(bench) }]
      : []),
    ...(fact.language.kind === "soql"
      ? [{ name: "children in a query", source, run: () => checkChildren(bench) }]
      : []),
    ...(bench.object.deletionLog
      ? [
          {
            name: "deletions that only the log tells",
            source: bench.object.deletionLog.source,
            run: () => checkLog(bench),
          },
        ]
      : []),
    ...(bench.object.create && !bench.object.create.absent
      ? [
          {
            name: "create without reading back",
            source: bench.object.create.source,
            run: () => checkPlainCreate(bench),
          },
        ]
      : []),
  ];
}

const pickField = (bench: Bench): string =>
  bench.object.create ? findFreeField(bench, bench.object.create) : "note";

async function changesBetween(bench: Bench): Promise<undefined> {
  putRecords(bench, 2, { daysAgo: 20 });
  const wanted = putRecords(bench, 4);
  putRecords(bench, 3);
  const [since, until] = [wanted[0], wanted[3]].map((record) => new Date(record?.changedMs ?? 0));
  expectIds((await scanAll(bench, { since, until, pageSize: SMALL_PAGE })).records, wanted);
  const before = await scanAll(bench, { until, pageSize: SMALL_PAGE });
  expect(before.records.length === 6, `${before.records.length} of 6 records until a time are found`);
}

async function checkEmptyPages(bench: Bench): Promise<undefined> {
  const records = putRecords(bench, 9);
  const since = new Date((records[0]?.changedMs ?? 0) - 1000);
  for (let turn = 0; turn < 3; turn++)
    expectIds((await scanAll(bench, { since, pageSize: SMALL_PAGE })).records, records);
}

async function checkFilters(bench: Bench): Promise<undefined> {
  const name = pickField(bench);
  putRecords(bench, 2, { fields: { [name]: "other" } });
  const value = 'it\'s "ünïcode" \\ so,\n\r\t\b\fand on';
  const wanted = putRecords(bench, 3, { fields: { [name]: value } });
  const filters = [{ fieldName: name, value }];
  expectIds((await scanAll(bench, { filters, pageSize: SMALL_PAGE })).records, wanted);
}

async function checkCount(bench: Bench): Promise<string | undefined> {
  putRecords(bench, 2, { daysAgo: 20 });
  const late = putRecords(bench, 3);
  const { count } = buildReader(bench);
  if (!count) return "the connector does not count";
  const number = await count(
    planRead(bench.objectName, { since: new Date(late[0]?.changedMs ?? 0) }),
    bench.fetch,
  );
  expect(number === 3, `counts ${number} of 3 records`);
  return undefined;
}

async function checkSearch(bench: Bench): Promise<undefined> {
  const name = pickField(bench);
  const wanted = putRecords(bench, 2, { fields: { [name]: "wanted" } });
  putRecords(bench, 2, { fields: { [name]: "other" } });
  const plan = planRead(bench.objectName, {
    fields: [name],
    filters: [{ fieldName: name, value: "wanted" }],
  });
  const { search } = buildReader(bench);
  // One page in three is empty, and names a next one.
  bench.vendor.usualSize = undefined;
  const found = await search(plan, bench.fetch);
  expectIds(found.records, wanted);
  expect(!found.truncated, "counts as cut");
  expect(found.records[0]?.values[name] === "wanted", `${name} is not among the values`);
  putRecords(bench, 3, { fields: { [name]: "wanted" } });
  for (let turn = 0; turn < 2; turn++) {
    const cut = await search({ ...plan, pageSize: SMALL_PAGE }, bench.fetch);
    expect(cut.truncated, "a page of many does not count as cut");
  }
}

/** Checks that the promised number of filters works, and that records match all of them. */
async function checkManyFilters(bench: Bench): Promise<undefined> {
  const { maxSearchFilters } = buildReader(bench).abilities;
  const names = Array.from({ length: maxSearchFilters }, (_, index) => `field_${index}`);
  const all = Object.fromEntries(names.map((name) => [name, "yes"]));
  const wanted = putRecords(bench, 1, { fields: all });
  putRecords(bench, 1, { fields: { ...all, [names.at(-1) ?? ""]: "no" } });
  const filters = names.map((fieldName) => ({ fieldName, value: "yes" }));
  const { search } = buildReader(bench);
  expectIds((await search(planRead(bench.objectName, { filters }), bench.fetch)).records, wanted);
  const scanned = await scanAll(bench, { filters, since: new Date((wanted[0]?.changedMs ?? 0) - 1000) });
  expectIds(scanned.records, wanted);
}

async function checkSample(bench: Bench): Promise<undefined> {
  const name = pickField(bench);
  const empty = await buildReader(bench).readSample(planRead(bench.objectName, { fields: [] }), bench.fetch);
  expect(!empty, "an account without records has a sample");
  putRecords(bench, 1, { fields: { [name]: "shown" } });
  const sample = await buildReader(bench).readSample(
    planRead(bench.objectName, { fields: [name] }),
    bench.fetch,
  );
  expect(
    sample?.values[name] === "shown",
    `${name} of the sample is ${JSON.stringify(sample?.values[name])}`,
  );
}

async function checkManyIds(bench: Bench): Promise<undefined> {
  const name = pickField(bench);
  const records = putRecords(bench, 450, { fields: { [name]: "shown" } });
  const plan = { objectName: bench.objectName, fields: [name], associations: [] };
  const found = await buildReader(bench).readByIds(
    plan,
    records.map(({ id }) => id),
    bench.fetch,
  );
  expectIds(found, records);
  const strange = found.find(({ values }) => values[name] !== "shown");
  expect(!strange, `${name} of ${strange?.id} is ${JSON.stringify(strange?.values[name])}`);
}

/** Checks reads with field names that are longer than every address: 900 of 30 letters. */
async function checkWideRecords(bench: Bench): Promise<undefined> {
  const fields = Array.from({ length: 900 }, (_, index) => `a_field_with_a_long_name_${10_000 + index}`);
  const records = putRecords(bench, 3, { fields: Object.fromEntries(fields.map((name) => [name, name])) });
  const found = await scanAll(bench, { fields, pageSize: SMALL_PAGE });
  expectIds(found.records, records);
  const missing = fields.filter((name) => found.records[0]?.values[name] !== name);
  expect(missing.length === 0, `${missing.length} of ${fields.length} fields are missing: ${missing[0]}`);
  const longest = Math.max(
    ...bench.vendor.seen.filter(({ isInner }) => !isInner).map(({ target }) => target.length),
  );
  expect(longest < 16_000, `an address has ${longest} characters`);
}

/** Checks pages at addresses of their own, of the vendor's smallest size. */
async function checkLocatedPages(bench: Bench): Promise<undefined> {
  const { smallest = 0 } = bench.object.list?.paging ?? {};
  const records = putRecords(bench, smallest * 3 + 10);
  const whole = await scanAll(bench, { pageSize: smallest });
  expectIds(whole.records, records);
  expect(whole.pages > 2, `reads ${records.length} records in ${whole.pages} pages of ${smallest}`);
  // Other clients can use up the places; reading then continues after the last record.
  const broken = await scanAll(bench, { pageSize: smallest }, () => bench.vendor.forgetPages());
  expectIds(broken.records, records);
}

async function checkMerged(bench: Bench): Promise<undefined> {
  const name = "hs_merged_object_ids";
  const [left] = putRecords(bench, 1, {
    fields: { [name]: "501;502" },
    histories: {
      [name]: [
        { value: "501;502", timestamp: "2026-11-20T10:00:00Z", sourceType: "MERGE_OBJECTS" },
        { value: "501", timestamp: "2025-01-20T10:00:00Z", sourceType: "MERGE_OBJECTS" },
      ],
    },
  });
  putRecords(bench, 2);
  // More surviving records than one request may ask for histories.
  putRecords(bench, 60, { fields: { [name]: "" } });
  const period = {
    objectName: bench.objectName,
    since: new Date("2026-11-01"),
    until: new Date("2026-12-31"),
  };
  const { readDeletions } = buildReader(bench);
  const gone: string[] = [];
  let place = (await readDeletions(period, undefined, bench.fetch)).next;
  while (place) {
    const page = await readDeletions(period, place, bench.fetch);
    gone.push(...page.records.map(({ id }) => id));
    place = page.next;
  }
  expect(
    gone.join() === "502",
    `of the records that merged into ${left?.id}, ${gone.join() || "none"} is told as gone since`,
  );
}

async function checkPlainCreate(bench: Bench): Promise<undefined> {
  const { connector, objectName, vendor } = bench;
  const name = pickField(bench);
  const order = { ...orderWrite(objectName, "create", { fields: { [name]: "plain" } }), readBack: false };
  const [outcome] = (await connector.write?.write(order, bench.fetch))?.outcomes ?? [];
  if (!outcome?.success) throw outcome?.error ?? new Error("there is no outcome");
  const [stored] = vendor.records.of(objectName);
  expect(
    stored?.fields[name] === "plain" && stored.id === outcome.recordId,
    "the record is not what was written",
  );
}

/** Checks children in one answer, in several, and in none. */
async function checkChildren(bench: Bench): Promise<undefined> {
  const ids = [1, 2, 3, 4, 5].map((number) => `003RO000003000${number}`);
  const linked = ids.map((Id) => ({ Id }));
  const [many] = putRecords(bench, 1, { links: { Notes: linked } });
  const [one] = putRecords(bench, 1, { links: { Notes: linked.slice(0, 1) } });
  putRecords(bench, 1);
  const { records } = await scanAll(bench, { associations: ["Notes"] });
  const find = (id: string | undefined) =>
    records.find((record) => record.id === id)?.associations?.["Notes"]?.map((child) => child.id) ?? [];
  expect(
    find(many?.id).join() === ids.join(),
    `of ${ids.join()}, ${find(many?.id).join() || "none"} is told`,
  );
  expect(find(one?.id).join() === ids[0], `of ${ids[0]}, ${find(one?.id).join() || "none"} is told`);
}

/** Checks that the log has records which are gone permanently, and so are in no query. */
async function checkLog(bench: Bench): Promise<undefined> {
  const { vendor, objectName } = bench;
  const [, gone] = putRecords(bench, 3);
  expect(gone, "no record");
  vendor.records.remove(objectName, gone);
  const [since, until] = [new Date(gone.changedMs - 2 * 86_400_000), new Date(gone.changedMs + 3_600_000)];
  const { readDeletions } = buildReader(bench);
  const found: string[] = [];
  let place: Checkpoint | undefined;
  do {
    const page: DeletionPage = await readDeletions({ objectName, since, until }, place, bench.fetch);
    found.push(...page.records.map(({ id }) => id));
    place = page.next;
  } while (place);
  expect(found.join() === gone.id, `of the deletion of ${gone.id}, ${found.join() || "none"} is told`);
}
