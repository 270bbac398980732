/**
 * The size of a scan's pages. It becomes smaller where an answer is longer than may be read, as records with all their members can be, or takes
 * the provider too long; and a number of page means another place where the size, or the order of the list, is another one.
 */
import type { ReadPlan } from "../read-connector.ts";
import type { ChosenList } from "./chosen-list.ts";
import type { ObjectPlan } from "./object-plan.ts";
import { chooseSize, goOnApart } from "./fitted-pages.ts";
import { put, type RequestParts } from "./request-parts.ts";
import { digest } from "./scan-progress.ts";
import type { PagePlace, ScanState } from "./scan-state.ts";

type PageSizeRules = NonNullable<NonNullable<ObjectPlan["list"]>["pageSize"]>;

/** Returns the plan with the size that this scan has come down to. */
export const withKnownSize = (plan: ReadPlan, { size }: ScanState): ReadPlan =>
  size === undefined ? plan : { ...plan, pageSize: size };

/** Returns what the scan remembers of the next place: with a number, also which list it counts in, and the size of numbered pages. */
export function rememberPlace(
  chosen: ChosenList,
  place: PagePlace | undefined,
  { size: known }: ScanState,
  pageSize: number | undefined,
): ScanState {
  const { page } = chosen.rules.paging ?? {};
  const size = known ?? (page && !page.anySize ? pageSize : undefined);
  return {
    ...(place !== undefined && { place }),
    ...(size !== undefined && { size }),
    ...(typeof place === "number" && { asked: digestRequest(chosen) }),
  };
}

/**
 * Returns where a list begins anew whose place is one in another list. A number of page or of record is one where another version of the
 * description asked for the list in another way, so perhaps in another order, or where its pages had another size: going on would leave
 * records out. So it is with a state that did not store this. A cursor or an address is the provider's, and goes on, except where the
 * list has come to be read on by time: a place without the time that was reached is from before, in another order. Undefined where the
 * list goes on.
 */
export function restartElsewhere(
  chosen: ChosenList,
  { pageSize }: ReadPlan,
  state: ScanState,
): ScanState | undefined {
  const { place, size, asked, after } = state;
  const { list, paging, since } = chosen.rules;
  const goesOnByTime = since?.keyset === true && chosen.bound !== undefined;
  if (goesOnByTime && place !== undefined && after === undefined) return beginAnew(state);
  // An address or a cursor from before pages were counted says nothing of where they go on.
  if (typeof place === "string" && (paging?.page ?? paging?.offset)) return beginAnew(state);
  if (typeof place !== "number") return undefined;
  const most = list?.pageSize?.most;
  const isSized =
    !paging?.page || paging.page.anySize || most === undefined || size === chooseSize(most, pageSize);
  return isSized && asked === digestRequest(chosen) ? undefined : beginAnew(state);
}

/** Returns a digest of what decides which records a list has, and in which order. The bound itself is the same in all pages that are counted. */
function digestRequest({ rules: { list, paging, since }, bound }: ChosenList): string {
  const order = [list?.path, list?.query, list?.body, paging?.page ?? paging?.offset];
  const period = bound && [since?.to, since?.template, since?.query, since?.body];
  return digest(JSON.stringify([order, period]));
}

/** Puts the size of pages that is asked for into the parts of a request. */
export function putSize(
  parts: RequestParts,
  { to, template, most }: PageSizeRules,
  wanted: number | undefined,
): void {
  const size = chooseSize(most, wanted);
  put(parts, to, template?.replace("{size}", String(size)) ?? size);
}

/**
 * Returns where the list goes on with pages of half the size: at the same record, or at its beginning where a place depends on the size of
 * pages. A page that is larger than the others is only left out. Undefined where a page cannot be smaller.
 */
export function restartWithHalf(
  { list, paging = {} }: ObjectPlan,
  { pageSize }: ReadPlan,
  state: ScanState,
): ScanState | undefined {
  const most = list?.pageSize?.most;
  if (most === undefined) return undefined;
  const apart = goOnApart(state);
  if (apart) return apart;
  const size = Math.floor(chooseSize(most, pageSize) / 2);
  if (size < 1) return undefined;
  const { cursor, page, offset, keyset } = paging;
  if (page?.anySize ?? offset ?? keyset ?? (cursor && !cursor.scroll)) return { ...state, size };
  const address = writeSize(state.place, list?.pageSize, size);
  if (address !== undefined) return { ...state, place: address, size };
  return { ...beginAnew(state), size };
}

/** Returns the address of the next page with another size; undefined where its place depends on the size, or where it has none. */
function writeSize(
  place: PagePlace | undefined,
  rules: PageSizeRules | undefined,
  size: number,
): string | undefined {
  if (!rules?.inAddress || typeof place !== "string") return undefined;
  const name = rules.to.slice("query.".length).replaceAll(/\W/g, String.raw`\$&`);
  const written = new RegExp(String.raw`([?&]${name}=)\d+`);
  return written.test(place) ? place.replace(written, (_, before: string) => `${before}${size}`) : undefined;
}

/** A page that takes too long with an eighth of its records does so for another reason, such as the depth of its place. */
const LEAST_SHARE = 8;

/** Returns the words with which the provider refuses a page that takes it too long; undefined where it is small already. */
export function readSlowWords(
  { list }: ObjectPlan,
  { pageSize: wanted }: ReadPlan,
  { pageSize: size }: ReadPlan,
): string | undefined {
  const { most, halvedBy } = list?.pageSize ?? {};
  if (most === undefined) return undefined;
  return chooseSize(most, size) * LEAST_SHARE > chooseSize(most, wanted) ? halvedBy : undefined;
}

/** Returns the beginning of the list that the scan is in. */
function beginAnew({ list, after, seen, isPartial }: ScanState): ScanState {
  return {
    ...(list !== undefined && { list }),
    ...(after !== undefined && { after, ...(seen !== undefined && { seen }) }),
    ...(isPartial !== undefined && { isPartial }),
  };
}
