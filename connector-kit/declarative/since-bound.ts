/** Writes the lower bound of a list, and moves it on with the records where pages go on by time. */
import { now } from "../../ground/clock.ts";
import { buildBrokenPage } from "../calls/page-check.ts";
import type { ReadPlan, SourceRecord } from "../read-connector.ts";
import { buildBody } from "./write/body-members.ts";
import type { ChosenList } from "./chosen-list.ts";
import type { ObjectPlan } from "./object-plan.ts";
import { put, formatTime, type RequestParts } from "./request-parts.ts";
import { digest, requireDepth } from "./scan-progress.ts";
import type { PagePlace, ScanState } from "./scan-state.ts";

/** The zones of the world reach from 12 hours behind UTC to 14 hours ahead: a bound so much earlier misses nothing. */
const ZONES_MS = 14 * 3_600_000;

/** Puts the bound, and what goes with it, into the parts of a request. */
export function putSince(
  parts: RequestParts,
  { rules, bound, untilTo }: ChosenList,
  { account, until }: ReadPlan,
): void {
  const { since } = rules;
  if (since?.to === undefined || !bound) return;
  const time = new Date(Math.max(0, bound.getTime() - stepBefore(since)));
  const text =
    since.zone === "user" ? formatForUser(time, account?.timeZone) : formatTime(time, since.format);
  const isNumber = since.to.startsWith("body.") && since.format?.startsWith("unix");
  const value = since.template?.replace("{since}", text) ?? (isNumber ? Number(text) : text);
  put(parts, since.to, value);
  if (untilTo !== undefined) put(parts, untilTo, formatTime(until ?? now(), since.format));
  for (const [name, member] of Object.entries(since.query ?? {})) parts.query.push([name, member]);
  parts.body = buildBody(rules, since.body, parts.body);
}

/** Returns how much earlier than the bound the provider is asked. */
const stepBefore = ({ exclusive, format }: NonNullable<ObjectPlan["since"]>): number =>
  exclusive ? (isInSeconds(format) ? 1_000 : 1) : 0;

const isInSeconds = (format: string | undefined): boolean =>
  format !== undefined && !["rfc3339", "unix-ms", "json-date"].includes(format);

function formatForUser(time: Date, timeZone: string | undefined): string {
  try {
    // Sweden writes times as SQL does.
    if (timeZone !== undefined)
      return time.toLocaleString("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  } catch {
    // Not the name of a zone.
  }
  return formatTime(new Date(Math.max(0, time.getTime() - ZONES_MS)), "sql");
}

/** Where a scan in the order of change times continues. */
export type MovedBound = Required<Pick<ScanState, "after" | "seen">> &
  Pick<ScanState, "here" | "comparison"> & { place: PagePlace | undefined };

/** A checkpoint stays short: further pages are not compared, but read again where they have numbers. */
export const MAX_DIGESTS = 1_000;

/** Returns what the scan remembers of the bound. */
export const rememberBound = ({ after, seen, here, comparison }: MovedBound): ScanState => ({
  after,
  seen,
  ...(here && { here }),
  ...(comparison && { comparison }),
});

/**
 * Returns where the next page begins: at the time of the last record, or behind this page where all its records have the time of the
 * bound. Undefined where nothing follows. Throws `ProviderError` where the list is not in the order of change, or where one time has more
 * records than the provider lets be read.
 */
export function moveBound(
  { rules: { since, name, paging = {} }, bound }: ChosenList,
  records: SourceRecord[],
  state: ScanState,
  place: PagePlace | undefined,
): MovedBound | undefined {
  if (!bound || place === undefined) return undefined;
  const last = records.at(-1);
  const stays = (): MovedBound => {
    const here = countHere(state, records);
    requireDepth(paging, here.pages, here.records);
    return { place, after: bound.toISOString(), seen: state.seen ?? [], here };
  };
  if (!last) return stays();
  // A few records may have no time: a page goes on behind the last one that has.
  const times = records.flatMap(({ changeTime }) => changeTime ?? []);
  const time = times.at(-1);
  if (!time)
    throw buildBrokenPage(`record ${last.id} of ${name} has no time of change, by which the list goes on`);
  if (!isOrdered(times)) throw buildOutOfOrder(name);
  const [written, reached] = [formatTime(bound, since?.format), formatTime(time, since?.format)];
  if (written === reached) return stays();
  if (time < bound) {
    // Where what changed at the bound was deleted, only the records remain that an earlier bound, rounded down, brings with it.
    if (since && time.getTime() >= bound.getTime() - 2 * stepBefore(since)) return stays();
    throw buildOutOfOrder(name);
  }
  const there = records.filter(
    ({ changeTime }) => changeTime && formatTime(changeTime, since?.format) === reached,
  );
  return { place: undefined, after: time.toISOString(), seen: there.map(({ id }) => id) };
}

function countHere(state: ScanState, records: SourceRecord[]): Here {
  const { pages, records: before, digests, ...others } = readHere(state);
  const isKnown = digests.length === pages && pages < MAX_DIGESTS;
  return {
    ...others,
    pages: pages + 1,
    records: before + records.length,
    digests: isKnown ? [...digests, digestRecords(records)] : digests,
  };
}

type Here = NonNullable<ScanState["here"]>;

/** Returns what the bound has given before this page. */
export const readHere = ({ here }: ScanState): Here & { digests: string[] } => ({
  pages: 0,
  records: 0,
  digests: [],
  ...here,
});

/** The order of records of one time does not matter. */
export const digestRecords = (records: SourceRecord[]): string => {
  const ids = records.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1));
  return digest(ids.join(" "));
};

const buildOutOfOrder = (name: string) =>
  buildBrokenPage(`the list of ${name} is not in the order of change`);

/** Times may be sorted by the second although records have milliseconds. */
const isOrdered = (times: Date[]): boolean =>
  times.every((time, index) => {
    const earlier = times[index - 1];
    return !earlier || time.getTime() > earlier.getTime() - 1_000;
  });
