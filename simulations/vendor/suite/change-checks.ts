/** Checks of reads that request changes since a time. */
import type { ListFact } from "../../../connector-kit/facts/facts.ts";
import {
  expect,
  findOrderGap,
  buildReader,
  touchRecords,
  chooseChangesFact,
  SMALL_PAGE,
  scanAll,
  buildHidden,
  putRecords,
  expectIds,
  findListGap,
  type Check,
  type Bench,
} from "./bench.ts";
import { checkSizeOfPages } from "./read-checks.ts";

export function changeChecks(bench: Bench): Check[] {
  const fact = chooseChangesFact(bench);
  if (!bench.modes.includes("read") || !fact || findListGap(bench) !== undefined) return [];
  const { lateMinutes } = fact.since ?? {};
  const late: Check[] =
    lateMinutes === undefined
      ? []
      : [
          {
            name: "changes that are in the list late",
            source: fact.source,
            run: () => checkLateChanges(bench, lateMinutes),
          },
        ];
  if (!bench.object.changed)
    return [
      { name: "changes without a time", source: fact.source, run: () => changesWithoutTime(bench) },
      ...late,
    ];
  return [
    ...late,
    { name: "changes", source: fact.source, run: () => changesSince(bench) },
    { name: "changes while records change", source: fact.source, run: () => changesWhileChanging(bench) },
    ...(fact.since?.inclusive === undefined
      ? []
      : [
          {
            name: "a record that changed exactly then",
            source: fact.since && fact.source,
            run: () => checkSeam(bench),
          },
        ]),
    ...(bench.object.changes
      ? [
          {
            name: "size of a page of changes",
            source: fact.source,
            run: () => checkSizeOfChanges(bench, fact),
          },
        ]
      : []),
    ...(fact.foreign ?? []).map(({ what, source }, index): Check => ({
      name: `changes, records of others: ${what}`,
      source: source ?? fact.source,
      run: () => checkForeignChanges(bench, index),
    })),
    ...(fact.hidden ?? []).flatMap(({ what, shownBy, alsoAt, within, source }, index): Check[] =>
      shownBy || alsoAt !== undefined || within !== undefined
        ? [
            {
              name: `changes, left out by default: ${what}`,
              source: source ?? fact.source,
              run: () => checkHiddenChanges(bench, index),
            },
          ]
        : [],
    ),
  ];
}

/** Returns the bound that the server would use: the end of the last read, minus the overlap. */
const computeBound = (bench: Bench, ms: number): Date =>
  new Date(ms - buildReader(bench).abilities.overlapMs);

/** Checks that a change which the last read could not see yet is behind the bound of the next one. */
async function checkLateChanges(bench: Bench, lateMinutes: number): Promise<undefined> {
  const { overlapMs, settlingOverlapMs = 0 } = buildReader(bench).abilities;
  const longest = Math.max(overlapMs, settlingOverlapMs) / 60_000;
  expect(
    longest >= lateMinutes,
    `reads changes from ${longest} minutes before the last read; the vendor takes ${lateMinutes} minutes or longer to list one`,
  );
}

/** Age of records that are older than every overlap. */
const OLD = { daysAgo: 20 };

/** Checks that all records are read again if they have no time, unless the vendor has a bound all the same. */
async function changesWithoutTime(bench: Bench): Promise<undefined> {
  const records = putRecords(bench, 3);
  const since = computeBound(bench, records[0]?.changedMs ?? 0);
  expectIds((await scanAll(bench, { since })).records, records);
  const fact = chooseChangesFact(bench)?.since;
  const own = bench.vendor.seen.filter(({ objectName }) => objectName === bench.objectName);
  if (fact)
    expect(
      own.some(({ boundMs }) => boundMs !== undefined),
      `asks for all records; the vendor knows a bound at ${fact.to}`,
    );
}

async function changesSince(bench: Bench): Promise<string | undefined> {
  const { vendor, objectName } = bench;
  putRecords(bench, 5, OLD);
  const late = putRecords(bench, 5);
  const since = computeBound(bench, late[0]?.changedMs ?? 0);
  expectIds((await scanAll(bench, { since, pageSize: SMALL_PAGE })).records, late);
  const { since: fact } = chooseChangesFact(bench) ?? {};
  const own = vendor.seen.filter((seen) => seen.objectName === objectName && seen.boundMs !== undefined);
  if (!fact || (fact.field !== undefined && fact.field !== bench.object.changed?.path)) return undefined;
  expect(own.length > 0, `asks for all records; the vendor knows a bound at ${fact.to}`);
  // If pages continue by time, later requests have later bounds.
  const first = Math.min(...own.map(({ boundMs = 0 }) => boundMs));
  expect(first <= (late[0]?.changedMs ?? 0), `asks only since ${new Date(first).toISOString()}`);
  return undefined;
}

async function changesWhileChanging(bench: Bench): Promise<string | undefined> {
  putRecords(bench, 2, OLD);
  const late = putRecords(bench, 9);
  const since = computeBound(bench, late[0]?.changedMs ?? 0);
  const found = await scanAll(bench, { since, pageSize: SMALL_PAGE }, touchRecords(bench, late));
  expectIds(found.records, late, { oftener: true });
  return findOrderGap(bench, chooseChangesFact(bench));
}

/** Checks a triggered read, which has no overlap. */
async function checkSeam(bench: Bench): Promise<undefined> {
  putRecords(bench, 2, OLD);
  const late = putRecords(bench, 3);
  const found = await scanAll(bench, { since: new Date(late[0]?.changedMs ?? 0) });
  expectIds(found.records, late);
}

const checkSizeOfChanges = (bench: Bench, fact: ListFact): Promise<string | undefined> =>
  checkSizeOfPages(bench, fact, computeBound(bench, putRecords(bench, 1)[0]?.changedMs ?? 0));

async function checkForeignChanges(bench: Bench, index: number): Promise<undefined> {
  const late = putRecords(bench, 2);
  putRecords(bench, 2, { foreign: index });
  const since = computeBound(bench, late[0]?.changedMs ?? 0);
  expectIds((await scanAll(bench, { since, pageSize: SMALL_PAGE })).records, late);
}

async function checkHiddenChanges(bench: Bench, index: number): Promise<undefined> {
  const old = putRecords(bench, 2, { ...OLD, ...buildHidden(bench, index) });
  const late = [...putRecords(bench, 2), ...putRecords(bench, 2, buildHidden(bench, index))];
  const since = computeBound(bench, late[0]?.changedMs ?? 0);
  // Nobody knows since when they are left out.
  const wanted = chooseChangesFact(bench)?.hidden?.[index]?.untimed ? [...old, ...late] : late;
  expectIds((await scanAll(bench, { since, pageSize: SMALL_PAGE })).records, wanted);
}
