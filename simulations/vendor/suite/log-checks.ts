/** Checks of logs that tell deletions apart from the records. */
import { now } from "../../../ground/clock.ts";
import type { Checkpoint, DeletedRecord, DeletionPage } from "../../../connector-kit/read-connector.ts";
import type { LogFact } from "../../../connector-kit/facts/facts.ts";
import type { Json } from "../../../ground/json.ts";
import { extractPart } from "../vendor-request.ts";
import { writeTime } from "../vendor-times.ts";
import { buildReader, expect, putRecords, SMALL_PAGE, type Bench, type Check } from "./bench.ts";

export function listLogChecks(bench: Bench): Check[] {
  const fact = bench.object.deletions;
  if (!fact || !bench.modes.includes("read")) return [];
  const { source, since, paging, fields, forbidden } = fact;
  const check = (name: string, run: () => Promise<undefined>): Check => ({ name, source, run });
  return [
    check("deletions that a log tells", () => checkTold(bench, fact)),
    ...(paging.size !== undefined && paging.largest !== undefined
      ? [check("size of a page of the log", () => checkSize(bench, fact))]
      : []),
    ...(fields ? [check("members of entries of the log", () => checkMembers(bench, fact))] : []),
    ...(since.keptDays === undefined
      ? []
      : [check("a period that begins before the log", () => checkOldest(bench, fact))]),
    ...(forbidden ? [check("a log that may not be read", () => checkForbidden(bench, fact))] : []),
  ];
}

const DAY_MS = 86_400_000;
/** The log becomes shorter while it is asked. */
const MINUTE_MS = 60_000;

/** Reads the deletions since a time, in pages of a few entries. */
async function readLog(bench: Bench, since: Date): Promise<{ found: DeletedRecord[]; warnings: string[] }> {
  const { vendor, objectName, fetch } = bench;
  vendor.mostEntries = SMALL_PAGE;
  const { abilities, readDeletions } = buildReader(bench);
  expect(abilities.deletions, "the vendor has a log of deletions; the connector tells none");
  const found: DeletedRecord[] = [];
  const warnings: string[] = [];
  let place: Checkpoint | undefined;
  do {
    const page: DeletionPage = await readDeletions({ objectName, since, until: now() }, place, fetch);
    found.push(...page.records);
    if (page.warning !== undefined) warnings.push(page.warning);
    place = page.next;
  } while (place);
  return { found, warnings };
}

/** Five entries in pages of two, of which one may be empty, and another one half full. */
const MOST_PAGES = 8;

async function checkTold(bench: Bench, { timeFormat }: LogFact): Promise<undefined> {
  const { vendor, objectName, facts, object } = bench;
  const [first, second, third, fourth, fifth, ...old] = putRecords(bench, 29);
  putRecords(bench, 2);
  // The log has the deletions of other objects, too.
  for (const [name, other] of Object.entries(facts.objects))
    if (other.deletions && name !== objectName)
      for (const record of putRecords({ ...bench, objectName: name, object: other }, 1))
        vendor.records.remove(name, record);
  for (const record of old) {
    vendor.records.remove(objectName, record);
    record.changedMs -= 20 * DAY_MS;
  }
  const gone = [first, second, third, fourth, fifth].flatMap((record) => record ?? []);
  for (const record of gone) vendor.records.remove(objectName, record);
  const since = new Date((gone[0]?.changedMs ?? 0) - 60_000);
  const { found } = await readLog(bench, since);
  const told = found.map(({ id }) => id).toSorted();
  const wanted = gone.map(({ id }) => id).toSorted();
  expect(told.join() === wanted.join(), `tells ${told.join() || "none"} of ${wanted.join()} as deleted`);
  for (const record of gone) {
    const { deletedTime } = found.find(({ id }) => id === record.id) ?? {};
    const time = writeTime(record.changedMs, timeFormat);
    expect(
      deletedTime && writeTime(deletedTime.getTime(), timeFormat) === time,
      `tells ${deletedTime?.toISOString() ?? "no time"} as that of the deletion of ${record.id}, not ${time}`,
    );
  }
  // A record whose id may be used again is asked for besides.
  const pages = vendor.seen.filter((seen) => seen.objectName === objectName && seen.action !== "get");
  const { more } = object.deletions?.paging ?? {};
  expect(
    !pages.slice(0, -1).some(({ isLast }) => isLast),
    `asks for another page, although ${more} said that nothing follows`,
  );
  expect(
    pages.length <= MOST_PAGES,
    `reads ${pages.length} pages, also of entries before the period; the vendor knows its beginning at ${object.deletions?.since.to}`,
  );
}

async function readEmptyLog(bench: Bench): Promise<Bench["vendor"]["seen"][number] | undefined> {
  await readLog(bench, new Date(now().getTime() - DAY_MS));
  return bench.vendor.seen.find(({ objectName }) => objectName === bench.objectName);
}

/** Enough for a page. */
const ENOUGH = 100;

async function checkSize(bench: Bench, { paging }: LogFact): Promise<undefined> {
  const { size, sizeTemplate = "{size}", largest = 0 } = paging;
  const text = (await readEmptyLog(bench))?.sizeText;
  const asked = Number(extractPart(text ?? "", sizeTemplate, "size", "\\d+"));
  expect(asked >= Math.min(ENOUGH, largest), `asks for ${text ?? "no"} entries of a page at ${size}`);
  expect(asked <= largest, `asks for ${asked} entries; the vendor gives ${largest} at most`);
}

async function checkMembers(bench: Bench, { fields }: LogFact): Promise<undefined> {
  const named = (await readEmptyLog(bench))?.fieldsText?.split(",");
  const large = fields?.large.find((name) => named?.includes(name) ?? true);
  expect(
    large === undefined,
    `gets ${large}, which holds whole records; names are asked for at ${fields?.to}`,
  );
}

async function checkOldest(
  bench: Bench,
  { since: { keptDays = 0, oldestDays = keptDays } }: LogFact,
): Promise<undefined> {
  const [gone] = putRecords(bench, 1);
  expect(gone, "no record");
  bench.vendor.records.remove(bench.objectName, gone);
  const { found, warnings } = await readLog(bench, new Date(now().getTime() - (oldestDays + 9) * DAY_MS));
  expect(found.length === 1, `finds ${found.length} deletions of 1`);
  const told = Date.parse(/\d{4}-\d\d-\d\dT\S+Z/.exec(warnings[0] ?? "")?.[0] ?? "");
  expect(
    told > now().getTime() - keptDays * DAY_MS + MINUTE_MS,
    `does not say that the log has nothing of more than ${keptDays} days ago: ${warnings[0]}`,
  );
}

/** Checks that the read goes on, and what is not told now is told later. */
async function checkForbidden(bench: Bench, { forbidden }: LogFact): Promise<undefined> {
  const { vendor, objectName, fetch } = bench;
  vendor.next = { status: forbidden?.status ?? 403, headers: {}, body: forbidden?.body as Json };
  const until = now();
  const since = new Date(until.getTime() - DAY_MS);
  const page = await buildReader(bench).readDeletions({ objectName, since, until }, undefined, fetch);
  expect(page.warning !== undefined, "does not say that deletions are not read");
  expect(
    page.coveredUntil !== undefined && page.coveredUntil < until,
    "goes on as if all deletions had been read",
  );
}
