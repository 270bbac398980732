/**
 * Reads lists that are sorted by the time of change, newest first, and cannot be sorted otherwise. A record that changes while the list
 * is read moves to the front, behind the reader's back. So the list is read from the front again, as far as it has changed since the
 * reading before began, until one page is enough for that.
 */
import { buildBrokenPage } from "../calls/page-check.ts";
import type { SourceRecord } from "../read-connector.ts";
import type { ChosenList } from "./chosen-list.ts";
import type { PagePlace, ScanState } from "./scan-state.ts";

/** More readings than any account needs: each has only what changed during the one before it. */
const MAX_READINGS = 100;

interface Reading {
  /** This reading is complete. */
  isOver: boolean;
  /** State for the next checkpoint of this reading; after its end, for the first checkpoint of the next reading, if that needs one. */
  next: ScanState | undefined;
}

/** Returns how the reading goes on behind a page. Throws `ProviderError` for a list in another order. */
export function readOn(
  { rules: { name }, bound }: ChosenList,
  state: ScanState,
  records: SourceRecord[],
  place: PagePlace | undefined,
): Reading {
  requireNewestFirst(name, records);
  const isFirst = state.place === undefined;
  const times = records.flatMap(({ changeTime }) => changeTime?.getTime() ?? []);
  const [first, oldest] = [times[0], times.at(-1)];
  const newest = isFirst ? first : state.newest;
  const front = isFirst
    ? records.filter(({ changeTime }) => changeTime?.getTime() === newest).map(({ id }) => id)
    : (state.front ?? []);
  const readings = state.readings ?? 1;
  const floor = state.floor ?? bound?.getTime();
  const isBelow = floor !== undefined && oldest !== undefined && oldest < floor;
  if (place !== undefined && !isBelow) {
    const next = {
      readings,
      front,
      ...(newest !== undefined && { newest }),
      ...(state.floor !== undefined && { floor: state.floor, known: state.known ?? [] }),
    };
    return { isOver: false, next };
  }
  if (isFirst || newest === undefined || newest === floor) return { isOver: true, next: undefined };
  if (readings >= MAX_READINGS)
    throw buildBrokenPage(`the records of ${name} change faster than their list can be read`);
  return { isOver: true, next: { readings: readings + 1, floor: newest, known: front } };
}

/** Returns whether the previous reading delivered the record in its present state. */
export function isKnown({ id, changeTime }: SourceRecord, { floor, known = [] }: ScanState): boolean {
  if (floor === undefined || !changeTime) return false;
  const time = changeTime.getTime();
  return time < floor || (time === floor && known.includes(id));
}

/** Otherwise what is older would be missed silently. Times may be sorted by the second although records have milliseconds. */
function requireNewestFirst(name: string, records: SourceRecord[]): void {
  for (const [index, { changeTime }] of records.entries()) {
    const before = records[index - 1]?.changeTime;
    if (changeTime && before && changeTime.getTime() >= before.getTime() + 1_000)
      throw buildBrokenPage(`the list of ${name} is not in the order of change, newest first`);
  }
}
