/** Checks of whole reads: each record once, hidden ones, sizes, depths, single records. */
import { now } from "../../../ground/clock.ts";
import { planRead } from "../../../connector-kit/testing/order-fixture.ts";
import type { ListFact } from "../../../connector-kit/facts/facts.ts";
import type { Checkpoint, DeletionPage } from "../../../connector-kit/read-connector.ts";
import { extractPart } from "../vendor-request.ts";
import { leavesOutEmpty } from "../../../connector-kit/facts/value-facts.ts";
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import type { VendorRecord } from "../vendor-records.ts";
import {
  expect,
  findOrderGap,
  buildReader,
  touchRecords,
  ROOMY_PAGE,
  SMALL_PAGE,
  scanAll,
  readRawAt,
  buildHidden,
  putRecords,
  expectIds,
  findListGap,
  type Check,
  type Bench,
} from "./bench.ts";
import { listValueChecks } from "./value-checks.ts";

export function listReadChecks(bench: Bench): Check[] {
  const { object, modes } = bench;
  if (!modes.includes("read")) return [];
  const list = object.list;
  const source = list?.source;
  const gap = findListGap(bench);
  if (gap !== undefined || !list) return [{ name: "full read", source, run: async () => gap }];
  const { paging, hidden = [], deleted } = list;
  return [
    { name: "full read", source, run: () => checkFullRead(bench) },
    { name: "full read in small pages", source, run: () => checkSmallPages(bench) },
    { name: "full read while records change", source, run: () => readWhileChanging(bench) },
    ...(paging.kind !== "none"
      ? [{ name: "full read while records are deleted", source, run: () => readWhileDeleting(bench) }]
      : []),
    { name: "empty account", source, run: () => checkEmptyAccount(bench) },
    ...(paging.total !== undefined && paging.totalIs === "records"
      ? [{ name: "number of all records", source, run: () => countOfRecords(bench) }]
      : []),
    { name: "size of a page", source, run: () => checkSizeOfPages(bench, list) },
    ...(list.foreign ?? []).map(({ what, source: own }, index): Check => ({
      name: `records of others: ${what}`,
      source: own ?? source,
      run: () => checkForeignOnes(bench, index),
    })),
    ...(paging.depth
      ? [{ name: "limit of depth", source: paging.depth.source ?? source, run: () => limitOfDepth(bench) }]
      : []),
    ...hidden.flatMap(({ what, shownBy, alsoAt, within, source: own }, index): Check[] =>
      shownBy || alsoAt !== undefined || within !== undefined
        ? [
            {
              name: `left out by default: ${what}`,
              source: own ?? source,
              run: () => checkHiddenOnes(bench, index),
            },
          ]
        : [],
    ),
    ...listFieldChecks(bench, list),
    ...listValueChecks(bench),
    ...(deleted
      ? [{ name: "deletions that the list tells", source, run: () => checkReportedDeletions(bench) }]
      : []),
    { name: "one record by its id", source: object.get?.source, run: () => oneRecord(bench) },
  ];
}

/** Checks of the fields that records have only on request, or not at all where they have no value. */
function listFieldChecks(bench: Bench, { source, fields, onRequest = {} }: ListFact): Check[] {
  const { object, objectName, facts } = bench;
  const empty = facts.emptyFields?.find(({ objects }) => objects?.includes(objectName) ?? true);
  return [
    ...(empty && leavesOutEmpty(facts, objectName)
      ? [{ name: "field without a value", source: empty.source, run: () => checkEmptyField(bench) }]
      : []),
    ...(fields?.onRequest ?? []).map((field): Check => ({
      name: `field on request: ${field}`,
      source,
      run: () => checkFieldOnRequest(bench, field),
    })),
    ...Object.values(onRequest).map((path): Check => ({
      name: `member on request: ${path}`,
      source,
      run: () => checkMemberOnRequest(bench, path),
    })),
    ...(fields?.most === undefined
      ? []
      : [{ name: "more fields than one request may name", source, run: () => checkManyFields(bench) }]),
    ...(object.fields
      ? [
          {
            name: "fields of the account",
            source: object.fields.source,
            run: () => checkFieldsOfAccount(bench),
          },
        ]
      : []),
  ];
}

async function checkFullRead(bench: Bench): Promise<string | undefined> {
  const records = putRecords(bench, 3);
  const found = await scanAll(bench);
  expectIds(found.records, records);
  expectNoneBehindTheLast(bench);
  const { changed } = bench.object;
  if (!changed) return undefined;
  for (const record of records) {
    const { changeTime } = found.records.find(({ id }) => id === record.id) ?? {};
    const wanted =
      changed.format === "date" ? Math.floor(record.changedMs / 86_400_000) * 86_400_000 : record.changedMs;
    expect(changeTime, `record ${record.id} has no time of change; the vendor tells it at ${changed.path}`);
    expect(
      changeTime.getTime() === wanted,
      `the time of change of ${record.id} is ${changeTime.toISOString()}, not ${new Date(wanted).toISOString()}`,
    );
  }
  return undefined;
}

/** Expects no request after a page that the vendor marks as the last one. */
function expectNoneBehindTheLast({ vendor, object }: Bench): void {
  for (const [index, { isLast, place }] of vendor.seen.entries()) {
    const after = vendor.seen[index + 1];
    expect(
      !isLast || after?.place === undefined || [place, vendor.seen[0]?.place].includes(after.place),
      `asks for ${after?.target}, although ${object.list?.paging.more} said that nothing follows`,
    );
  }
}

async function checkSmallPages(bench: Bench): Promise<string | undefined> {
  // The last page is full: only the vendor's word tells that it is the last.
  const records = putRecords(bench, 12);
  bench.vendor.usualSize = SMALL_PAGE;
  expectIds((await scanAll(bench, { pageSize: SMALL_PAGE })).records, records);
  expectNoneBehindTheLast(bench);
  const { paging } = bench.object.list ?? {};
  const requests = bench.vendor.seen.filter(
    ({ action, objectName }) => action === "list" && objectName === bench.objectName,
  );
  expect(
    paging?.size === undefined || paging.largest === undefined || requests[0]?.sizeText !== undefined,
    `does not ask for a small page where one is wanted; the vendor knows its size at ${paging?.size}`,
  );
  return requests.length > 1 || paging?.kind === "none"
    ? undefined
    : "the vendor's page cannot be made small";
}

/** Checks reads while records move, in lists sorted by the time of change: one that was read, and one that was not. */
async function readWhileChanging(bench: Bench): Promise<string | undefined> {
  const records = putRecords(bench, 9);
  bench.vendor.usualSize = SMALL_PAGE;
  const found = await scanAll(bench, { pageSize: SMALL_PAGE }, touchRecords(bench, records));
  expectIds(found.records, records, { oftener: true });
  return findOrderGap(bench, bench.object.list);
}

/** Deletes a record that was read behind each page: those behind it move to smaller numbers, or a vendor refuses to go on behind it. */
async function readWhileDeleting(bench: Bench): Promise<string | undefined> {
  const { kind, size, positional = false } = bench.object.list?.paging ?? {};
  bench.vendor.usualSize = ROOMY_PAGE;
  const records = putRecords(bench, 5 * ROOMY_PAGE);
  const gone = new Set<VendorRecord>();
  const found = await scanAll(bench, { pageSize: ROOMY_PAGE }, (page) => {
    const last = records.find((record) => !gone.has(record) && record.id === page.records.at(-1)?.id);
    if (!last) return;
    gone.add(last);
    bench.vendor.records.remove(bench.objectName, last);
  });
  if (gone.size === 0) return "the vendor's page cannot be made small";
  const ids = new Set(found.records.map(({ id }) => id));
  const isSized = size !== undefined && ["page", "keyset"].includes(kind ?? "");
  const mayRepeat = isSized ? gone.size * (ROOMY_PAGE / 2) : found.records.length;
  expect(found.records.length - ids.size < mayRepeat, "reads whole pages again where one record is deleted");
  if (!records.every(({ id }) => ids.has(id)) && (positional || (kind === "page" && size === undefined)))
    return "pages are by position: a record that is deleted meanwhile hides another one until a later read";
  expectIds(found.records, records, { oftener: true });
  return undefined;
}

async function checkEmptyAccount(bench: Bench): Promise<undefined> {
  putRecords(bench, 0);
  expectIds((await scanAll(bench)).records, []);
}

/** Checks counting, which is optional; a returned count is right. */
async function countOfRecords(bench: Bench): Promise<string | undefined> {
  const records = putRecords(bench, 5);
  const { count } = buildReader(bench);
  if (!count) return "the connector does not count";
  const counted = await count(planRead(bench.objectName), bench.fetch);
  expect(counted === records.length, `counts ${counted} of ${records.length} records`);
  return undefined;
}

/** Checks the size that a list asks for; with `since`, that of a list of changes. */
export async function checkSizeOfPages(
  bench: Bench,
  { paging }: ListFact,
  since?: Date,
): Promise<string | undefined> {
  putRecords(bench, 1);
  await scanAll(bench, { since });
  if (paging.size === undefined || paging.largest === undefined) return "no fact about the size of a page";
  const wanted = since ? "changes" : "list";
  const sizes = bench.vendor.seen
    .filter(({ action, objectName }) => action === wanted && objectName === bench.objectName)
    .map(({ sizeText }) => sizeText);
  // Each list of the object: further ones, for example of archived records, have a size of their own.
  // A page of records that are read one by one costs a request for each.
  const enough = bench.vendor.seen.some(({ action }) => action === "get") ? 10 : 100;
  for (const asked of sizes.length === 0 ? [undefined] : new Set(sizes)) expectSize(paging, asked, enough);
  return undefined;
}

function expectSize(
  { size: place, largest = 0, default: usual = 0, sizeTemplate = "{size}" }: ListFact["paging"],
  asked: string | undefined,
  enough: number,
): void {
  expect(
    asked === undefined || extractPart(asked, sizeTemplate, "size", "\\d+") !== undefined,
    `asks for a size as ${asked}; the vendor wants ${sizeTemplate} at ${place}`,
  );
  const size = asked === undefined ? usual : Number(/\d+(?!.*\d)/.exec(asked)?.[0]);
  expect(
    asked !== undefined || size >= largest,
    `asks for no size of a page; the vendor then gives ${size}, and ${largest} where they are asked for at ${place}`,
  );
  expect(size <= largest, `asks for ${size} records; the vendor gives ${largest} at most`);
  const isEnough = size >= Math.min(largest, enough);
  expect(isEnough, `asks for ${size} records where ${largest} are allowed at ${place}`);
}

/** Depth limit of the simulation: the vendor's own would take long. It applies if the vendor refuses what is beyond, or marks the cut. */
const NEAR_DEPTH = 12_000;
async function limitOfDepth(bench: Bench): Promise<string | undefined> {
  const { depth } = bench.object.list?.paging ?? {};
  if (!depth) return undefined;
  const isNear = depth.beyond === "refused" || depth.mark !== undefined;
  if (!isNear && depth.records > NEAR_DEPTH)
    return `a silent limit of ${depth.records} records is too far to be tried`;
  if (isNear) bench.vendor.depthRecords = SMALL_PAGE * 3;
  const records = putRecords(bench, isNear ? SMALL_PAGE * 6 : depth.records + 150);
  try {
    const found = await scanAll(bench, isNear ? { pageSize: SMALL_PAGE } : {});
    const ids = new Set(found.records.map(({ id }) => id));
    expect(
      records.every(({ id }) => ids.has(id)),
      `ends with success after ${ids.size} of ${records.length} records`,
    );
  } catch (error) {
    // The connector must read what the vendor returns on request; otherwise, a failure that reports the limit is enough.
    if (!(error instanceof ProviderError) || depth.liftedBy || depth.byBound) throw error;
  }
  return undefined;
}

async function checkHiddenOnes(bench: Bench, index: number): Promise<undefined> {
  const shown = putRecords(bench, 3);
  const hidden = putRecords(bench, 3, buildHidden(bench, index));
  expectIds((await scanAll(bench, { pageSize: SMALL_PAGE })).records, [...shown, ...hidden]);
}

/** Checks that records are left out which the vendor lists although they are not the account's. */
async function checkForeignOnes(bench: Bench, index: number): Promise<undefined> {
  const own = putRecords(bench, 3);
  putRecords(bench, 3, { foreign: index });
  expectIds((await scanAll(bench, { pageSize: SMALL_PAGE })).records, own);
}

async function checkFieldOnRequest(bench: Bench, field: string): Promise<undefined> {
  const { fields, hidden = [] } = bench.object.list ?? {};
  const path = fields?.brings?.[field] ?? field;
  putRecords(bench, 1);
  // Records of lists of their own, such as archived ones, have it as well.
  for (const [index, { only, shownBy }] of hidden.entries())
    if (only && shownBy) putRecords(bench, 1, buildHidden(bench, index));
  const { records } = await scanAll(bench, { fields: [path.split(".").at(-1) ?? path] });
  expect(
    records.length > 0 && records.every((record) => readRawAt(record, path) !== undefined),
    `${path} is not in all records; it comes only when it is asked for at ${fields?.to}`,
  );
}

/** Checks that a receiver hears of a cleared field, which the vendor leaves out of the record: by the connector, or by the reader. */
async function checkEmptyField(bench: Bench): Promise<undefined> {
  const { objectName, object, fetch } = bench;
  const reader = buildReader(bench);
  putRecords(bench, 1, { fields: { Cleared: null } });
  putRecords(bench, 1, { fields: { Cleared: "x" } });
  const fields = ["Cleared", "Renamed"];
  const { records } = await scanAll(bench, { fields });
  const listed = records.find(({ raw }) => !JSON.stringify(raw).includes('"Cleared"'));
  expect(listed, "the vendor's records have a member for each field");
  const [single] = object.get
    ? await reader.readByIds({ objectName, fields, associations: [] }, [listed.id], fetch)
    : [listed];
  for (const record of [listed, single]) {
    const isTold = record?.values["Cleared"] === null || reader.absentMeansEmpty?.(objectName) === true;
    expect(isTold, "a field without a value is absent, and nothing says that it is empty");
    expect(!record || !("Renamed" in record.values), "a field that no record has is null");
  }
}

async function checkMemberOnRequest(bench: Bench, path: string): Promise<undefined> {
  putRecords(bench, 1);
  const [record] = (await scanAll(bench)).records;
  expect(
    record && readRawAt(record, path) !== undefined,
    `${path} is not in the records; it comes only when it is asked for`,
  );
}

async function checkFieldsOfAccount({ connector, objectName, object, fetch }: Bench): Promise<undefined> {
  const { fields } = (await connector.fields?.describe(objectName, fetch)) ?? {};
  const missing = (object.fields?.names ?? []).filter((name) => !fields || !Object.hasOwn(fields, name));
  expect(missing.length === 0, `${missing.join(", ")}, which the vendor tells, is not among the fields`);
}

/** Checks that no field is dropped if the vendor limits how many can be named. */
async function checkManyFields(bench: Bench): Promise<undefined> {
  const { most = 0 } = bench.object.list?.fields ?? {};
  const fields = Array.from({ length: most * 2 + 1 }, (_, index) => `Field_${index}`);
  const records = putRecords(bench, 3, { fields: Object.fromEntries(fields.map((name) => [name, name])) });
  const found = await scanAll(bench, { fields, pageSize: SMALL_PAGE });
  expectIds(found.records, records);
  for (const { id, values } of found.records) {
    const missing = fields.filter((name) => values[name] !== name);
    expect(
      missing.length === 0,
      `${missing.length} of ${fields.length} fields of ${id} are missing: ${missing[0]}`,
    );
  }
}

async function checkReportedDeletions(bench: Bench): Promise<undefined> {
  putRecords(bench, 2);
  const [gone] = putRecords(bench, 1, { deleted: true });
  const { abilities, readDeletions } = buildReader(bench);
  expect(abilities.deletions, "the vendor's list tells deletions; the connector does not");
  const since = new Date((gone?.changedMs ?? 0) - 60_000);
  const period = { objectName: bench.objectName, since, until: now() };
  const reported: string[] = [];
  let place: Checkpoint | undefined;
  do {
    const page: DeletionPage = await readDeletions(period, place, bench.fetch);
    reported.push(...page.records.map(({ id }) => id));
    place = page.next;
  } while (place);
  expect(gone !== undefined && reported.includes(gone.id), `the deletion of ${gone?.id} is not told`);
  if (!gone || !bench.object.list?.deleted?.answered) return;
  const byId = { objectName: bench.objectName, fields: [], associations: [] };
  const found = await buildReader(bench).readByIds(byId, [gone.id], bench.fetch);
  expect(found.length === 0, `${gone.id}, which the vendor answers as deleted, counts as there`);
}

async function oneRecord(bench: Bench): Promise<string | undefined> {
  const { get } = bench.object;
  if (!get) return "no facts about the request of one record";
  if (get.absent) return undefined;
  const [record, other] = putRecords(bench, 3);
  if (!record || !other) return undefined;
  bench.vendor.records.remove(bench.objectName, other);
  const found = await buildReader(bench).readByIds(
    { objectName: bench.objectName, fields: [], associations: [] },
    [record.id, other.id],
    bench.fetch,
  );
  if (bench.vendor.seen.length === 0) return "the connector does not read single records";
  expect(
    found.length === 1 && found[0]?.id === record.id,
    `found ${found.map(({ id }) => id).join(", ") || "nothing"} of ${record.id}, and ${other.id}, which is gone`,
  );
  const missing = Object.values(get.onRequest ?? {}).filter(
    (path) => found[0] && readRawAt(found[0], path) === undefined,
  );
  expect(missing.length === 0, `${missing.join(", ")} comes only when it is asked for`);
  return undefined;
}
