/** State of a scan over a declarative list, by which a scan that repeats pages, or ends too early, fails with an explanation. */
import { createHash } from "node:crypto";
import type { Json } from "../../ground/json.ts";
import { buildBrokenPage } from "../calls/page-check.ts";
import type { ProviderError, ProviderErrorKind } from "../calls/provider-error.ts";
import { getValueAt } from "../calls/get-text-at.ts";
import { shorten } from "../../ground/storable-text.ts";
import type { PagingRules } from "./rules/paging-rules.ts";
import type { PagePlace, ScanState } from "./scan-state.ts";

/** More empty pages in a row are a fault of the provider. */
const MAX_EMPTY_PAGES = 200;

interface Step {
  /** Start of the next page; undefined after the last page of the list. */
  place: PagePlace | undefined;
  /** Bound that the next page is read from, where it moves. */
  after?: string | undefined;
  /** Ids of the entries of this page. */
  ids: string[];
  /** Entries of the list so far; undefined for a scan that began before they were counted. */
  read: number | undefined;
  /** Pages before the next one, where that is not the number of those that were read. */
  pagesBefore: number | undefined;
  /** The next page is one that was read, in which other records are now. */
  goesBack: boolean | undefined;
}

/** Returns the entries that the list has given before this page; undefined where the scan does not know it. */
export const countBefore = ({ place, after, read }: ScanState): number | undefined =>
  place === undefined && after === undefined ? 0 : read;

/**
 * Returns what the next checkpoint remembers besides its place. Throws `ProviderError` for a place that was there before, a page that
 * repeats the one before it, too many empty pages in a row, and pages beyond the depth that the provider lets be read.
 */
export function trackProgress(state: ScanState, paging: PagingRules, step: Step): ScanState {
  const { place = "", after, ids, read } = step;
  const pages = (state.pages ?? 0) + 1;
  const here = digest(`${after ?? ""} ${place}`);
  const returns = here === state.mark || here === digestPlace(state);
  if (returns && !paging.cursor?.scroll && !step.goesBack)
    throw buildBrokenPage(`the next page is one that was read before: ${String(place).slice(0, 200)}`);
  const empty = ids.length === 0 ? (state.empty ?? 0) + 1 : 0;
  if (empty > MAX_EMPTY_PAGES)
    throw buildBrokenPage(`${empty} pages in a row are empty, and the provider names a next one`);
  // Behind a bound that has moved, the records at the bound are there once more.
  const page = ids.length === 0 ? undefined : digest(`${state.after ?? ""} ${ids.join(" ")}`);
  // A page that is compared may have what the page behind it had, where so many have left.
  if (page !== undefined && page === state.page && !state.comparison)
    throw buildBrokenPage(`the page has the same ${ids.length} records as the one before it`);
  requireDepth(paging, step.pagesBefore ?? pages, read);
  // Brent's search for circles: the mark moves on to the place at each power of two.
  const isPower = (pages & (pages - 1)) === 0;
  const mark = isPower || step.goesBack ? here : (state.mark ?? here);
  const { restarts, restartedAt } = state;
  return {
    pages,
    ...(restarts !== undefined && { restarts }),
    ...(restartedAt !== undefined && { restartedAt }),
    mark,
    ...(read !== undefined && { read }),
    ...(empty > 0 && { empty }),
    ...(page !== undefined && { page }),
  };
}

/** A list whose places die so often cannot be read to its end. */
const MAX_RESTARTS = 3;
/** A list that loses more answers than this is not read anew again: it would never come to its end. */
const MAX_LOSSES = 10;

/** With these, providers refuse a place that they no longer know. */
const REFUSED_PLACE: ReadonlySet<ProviderErrorKind> = new Set(["invalid", "not_found", "conflict"]);

/** Returns whether a refusal may be about the place that the list was to go on from. */
export const mayBeOfPlace = ({ kind }: ProviderError): boolean => REFUSED_PLACE.has(kind);

/**
 * Returns where a scan goes on whose next page is refused although the provider named it: cursors die (Square: after 5 minutes, monday:
 * 60, https://github.com/PostHog/posthog/pull/64704, https://github.com/airbytehq/airbyte/pull/82259), and so do ids of records that left
 * the list (Stripe: https://github.com/stripe/stripe-node/issues/2368); they would be refused for ever. The list begins anew, from the bound that was reached where it has one. Undefined where the refusal is not about the place, or where the
 * scan has not come further since it was last begun anew. Without an error: an answer was lost, and the provider has moved on. `isBroken`: the
 * provider breaks at the place again and again.
 */
export function restartBehind(
  paging: PagingRules,
  state: ScanState,
  error?: ProviderError,
  isBroken = false,
): ScanState | undefined {
  const { place, pages = 0, restarts = 0, restartedAt = 0 } = state;
  const { keyset } = paging;
  if (typeof place !== "string" || !(isHandle(paging) || keyset)) return undefined;
  // A handle may belong to a session or a token that has ended, and is then refused as if the new one were bad.
  const ofHandle = isHandle(paging) && (isBroken || error?.kind === "unauthorized");
  if (error && !mayBeOfPlace(error) && !ofHandle) return undefined;
  // Where records of a page were deleted, the list comes less far than before, and has fewer pages.
  const cameFurther = restarts === 0 || keyset !== undefined || pages > restartedAt;
  if (error ? restarts >= MAX_RESTARTS || !cameFurther : restarts >= MAX_LOSSES) return undefined;
  return { ...beginAnew(state), restarts: restarts + 1, restartedAt: pages };
}

/** Returns whether places are the provider's own, which it may forget. */
export const isHandle = ({ cursor, nextUrl, link }: PagingRules): boolean =>
  (cursor ?? nextUrl ?? link) !== undefined;

/** Returns the beginning of the list, or of what is behind the bound that was reached. */
export const beginAnew = ({ list, after, seen, size }: ScanState): ScanState => ({
  ...(list !== undefined && { list }),
  ...(size !== undefined && { size }),
  ...(after !== undefined && { after, ...(seen !== undefined && { seen }) }),
});

/** Returns where a scroll is read anew that the provider has gone on with. Throws `ProviderError` where that was too often. */
export function restartBehindLoss(paging: PagingRules, state: ScanState): ScanState {
  const again = restartBehind(paging, state);
  if (again) return again;
  throw buildBrokenPage("the provider has gone on with the scroll, and pages of it were lost");
}

/** Throws if the list has ended although the provider announced more records. */
export function requireWhole({ read, total }: { read: number | undefined; total: number | undefined }): void {
  if (read === undefined || total === undefined || read >= total) return;
  throw buildBrokenPage(`the list ended after ${read} records, but the provider tells of ${total}`);
}

/** Throws where the provider says that it ended the list although more records follow. */
export function requireComplete(paging: PagingRules, body: Json): void {
  const reason = listReasons(paging, body).find((text) => isOfCut(paging, text));
  if (reason !== undefined) throw buildBrokenPage(`the provider ended the list before its end: ${reason}`);
}

/** Returns a warning for people with what the provider says of a list that it has not cut. */
export function warnOfOthers(paging: PagingRules, body: Json): string | undefined {
  const others = listReasons(paging, body).filter((text) => !isOfCut(paging, text));
  return others.length === 0 ? undefined : `the provider says of the list: ${others.slice(0, 5).join(", ")}`;
}

function listReasons({ incomplete }: PagingRules, body: Json): string[] {
  const found = incomplete === undefined ? null : (getValueAt(body, incomplete) ?? null);
  return (Array.isArray(found) ? found : [found])
    .filter((entry) => entry !== null && entry !== "")
    .map((entry) => shorten(typeof entry === "string" ? entry : JSON.stringify(entry), 200));
}

const isOfCut = ({ incompleteWords }: PagingRules, text: string): boolean =>
  !incompleteWords || incompleteWords.some((word) => text.toLowerCase().includes(word.toLowerCase()));

/** Throws where the list goes on beyond the depth that the provider lets be read. */
export function requireDepth({ depth = {} }: PagingRules, pages: number, read = 0): void {
  const [limit, unit] =
    depth.pages !== undefined && pages >= depth.pages
      ? [depth.pages, "pages"]
      : depth.records !== undefined && read >= depth.records
        ? [depth.records, "records"]
        : [];
  if (limit !== undefined)
    throw buildBrokenPage(
      `the list goes on after ${limit} ${unit}, which is as far as the provider lets it be read`,
    );
}

const digestPlace = ({ place, after }: ScanState): string | undefined =>
  place === undefined && after === undefined ? undefined : digest(`${after ?? ""} ${place ?? ""}`);

/** Short, because a checkpoint is stored with every page. */
export const digest = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 12);
