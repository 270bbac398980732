/** Where a page of a scan through Salesforce records begins, and what of the plan is asked for at once. */
import { buildBrokenPage } from "../../connector-kit/calls/page-check.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { Checkpoint, ReadPlan } from "../../connector-kit/read-connector.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { findIdFault } from "./id.ts";
import { readLocator } from "./query-request.ts";
import { requireCounted, type QueryPage } from "./query-page.ts";

export interface Place {
  /** The last id of the pages before. */
  lastId?: string;
  /** The provider's address of the page. */
  locator?: string;
  /** Part of the plan's time, where Salesforce took too long for the whole. */
  from?: Date;
  to?: Date;
  /** Where larger pages were too large to be read. */
  pageSize?: number;
  /** Records of the query whose next page the locator is, up to there. Absent: unknown. */
  read?: number;
  /** Locators die with their session, and each would cost a token refresh: pages go on by id. */
  byId?: boolean;
}

/** Smaller pages than Salesforce gives are limited by the query, and go on by id. */
const SMALLEST_BATCH = 200;

/** Salesforce gives so many records in one answer at most. */
const LARGEST_BATCH = 2_000;

const SMALLER_PAGES = [SMALLEST_BATCH, 20];

const SECOND_MS = 1_000;

/** Returns the plan reduced to what the place asks for. */
export function planAt(plan: ReadPlan, { from, to, pageSize }: Place): ReadPlan {
  if (!from && !to && pageSize === undefined) return plan;
  return {
    ...plan,
    since: from ?? plan.since,
    until: to ?? plan.until,
    pageSize: pageSize === undefined ? plan.pageSize : Math.min(pageSize, plan.pageSize ?? pageSize),
  };
}

/** Returns the `LIMIT` of the query; undefined if Salesforce divides the result into pages. */
export function findLimit({ pageSize }: ReadPlan, { byId }: Place = {}): number | undefined {
  if (byId) return Math.max(1, Math.min(pageSize ?? LARGEST_BATCH, LARGEST_BATCH));
  return pageSize !== undefined && pageSize < SMALLEST_BATCH ? Math.max(1, pageSize) : undefined;
}

/** Returns the place with half of its time; undefined if it cannot be halved. */
export function withHalfTheTime(plan: ReadPlan, place: Place): Place | undefined {
  const { since, until } = planAt(plan, place);
  const half =
    since && until ? Math.floor((until.getTime() - since.getTime()) / 2 / SECOND_MS) * SECOND_MS : 0;
  if (!since || half === 0) return undefined;
  return { ...place, locator: undefined, from: since, to: new Date(since.getTime() + half) };
}

/** Returns the place with smaller pages; undefined if they are the smallest. */
export function withSmallerPages(plan: ReadPlan, place: Place): Place | undefined {
  const current = planAt(plan, place).pageSize ?? Infinity;
  const pageSize = SMALLER_PAGES.find((size) => size < current);
  return pageSize === undefined ? undefined : { ...place, locator: undefined, pageSize };
}

/** Returns where the next page begins; undefined if there is none. */
export function findNextPlace(
  plan: ReadPlan,
  place: Place,
  { records, locator, total }: QueryPage,
  lastId: string | undefined,
): Place | undefined {
  const limit = findLimit(planAt(plan, place), place);
  const read = countRead(place, records.length);
  if (place.byId && locator !== undefined && lastId !== undefined)
    return { ...place, lastId, locator: undefined };
  if (locator === undefined) {
    const isFull = limit !== undefined && records.length >= limit && lastId !== undefined;
    if (isFull) return { ...place, locator, lastId };
    const isWhole = read === undefined || total === undefined || read >= total;
    return isWhole ? findNextPart(plan, place) : skipLoss(place, lastId, { records, total });
  }
  if (lastId !== undefined)
    return { ...place, lastId, locator: locator === place.locator ? undefined : locator, read };
  // All records of this page were deleted meanwhile. The query itself finds those that follow.
  if (place.locator !== undefined && place.lastId !== undefined) return { ...place, locator: undefined };
  throw buildBrokenPage("Salesforce's query does not advance: a page without records names a next page");
}

/** Returns how many records of the current query were read; undefined where a page was read before they were counted. */
function countRead({ locator, read }: Place, count: number): number | undefined {
  if (locator === undefined) return count;
  return read === undefined ? undefined : read + count;
}

/**
 * Returns the place behind the last record of a query that counts more than it gave, and names no next page: they may have been deleted
 * meanwhile, and the query behind the last id tells. Throws `ProviderError` where it gave none.
 */
function skipLoss(place: Place, lastId: string | undefined, page: QueryPage): Place {
  const behind = lastId ?? (place.locator === undefined ? undefined : place.lastId);
  if (behind === undefined) requireCounted(page, 0);
  return { ...place, lastId: behind, locator: undefined };
}

/** Goes on with as long a time, from its beginning: a record that was read already may come again. */
function findNextPart({ until }: ReadPlan, { from, to, pageSize, byId }: Place): Place | undefined {
  if (!from || !to || !until || to >= until) return undefined;
  const next = new Date(to.getTime() + SECOND_MS);
  const end = new Date(next.getTime() + to.getTime() - from.getTime());
  return { from: next, to: end < until ? end : until, pageSize, ...(byId && { byId }) };
}

export const toCheckpoint = ({ lastId, locator, read, from, to, pageSize, byId }: Place): Checkpoint => ({
  ...(lastId !== undefined && { lastId }),
  ...(locator !== undefined && { locator }),
  ...(locator !== undefined && read !== undefined && { read }),
  ...(from && to && { from: from.toISOString(), to: to.toISOString() }),
  ...(pageSize !== undefined && { pageSize }),
  ...(byId && { byId }),
});

/** Checks what was stored: all of it goes into requests. */
export function parsePosition(checkpoint: Checkpoint | undefined): Place {
  if (!checkpoint) return {};
  const [lastId, locator] = [getTextAt(checkpoint, "lastId"), getTextAt(checkpoint, "locator")];
  const [from, to] = [readTimeAt(checkpoint, "from"), readTimeAt(checkpoint, "to")];
  const fault = lastId === undefined ? undefined : findIdFault(lastId);
  if (fault) throw fault;
  return {
    lastId,
    locator: locator === undefined ? undefined : readLocator(locator),
    ...(typeof checkpoint.read === "number" && { read: checkpoint.read }),
    from,
    to,
    pageSize: typeof checkpoint.pageSize === "number" ? checkpoint.pageSize : undefined,
    ...(checkpoint.byId === true && { byId: true }),
  };
}

function readTimeAt(checkpoint: Checkpoint, name: string): Date | undefined {
  const text = getTextAt(checkpoint, name);
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw new ProviderError({ kind: "invalid", message: `"${text}" in the checkpoint is not a time` });
}
