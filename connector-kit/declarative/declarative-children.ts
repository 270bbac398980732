/** Reads lists of which there is one for each record of another object: the lists of all these records, one after the other. */
import { isJsonObject, type Json } from "../../ground/json.ts";
import type { Connector } from "../connector.ts";
import { buildBrokenPage } from "../calls/page-check.ts";
import type { ProviderFetch, ProviderRequest } from "../calls/provider-fetch.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type { Checkpoint, ReadPage, ReadPlan } from "../read-connector.ts";
import { getTextAt } from "../calls/get-text-at.ts";
import { buildPageRequest, readListPage } from "./list-page.ts";
import { readScanState } from "./scan-state.ts";
import type { ObjectPlan } from "./plan.ts";
import type { ScrollUses } from "./scroll-uses.ts";

interface Lists {
  rules: ObjectPlan;
  /** Returns the rules of the object whose records have the lists. */
  findRules(objectName: string): ObjectPlan;
  classify: NonNullable<Connector["classify"]>;
  scrolls?: ScrollUses;
}

/** Limits the size of a checkpoint. */
const MAX_PARENTS = 50;

/** Start of the next page: in the list of the first of these parents. */
interface Place {
  /** Values of the parents whose lists are to be read. */
  parents: string[];
  /** In the list of the first one; absent: its first page. */
  page?: Checkpoint;
  /** The next page of parents; absent: there are no more. */
  after?: Checkpoint;
  /** Number of parents so far, while none of them has had a list; absent afterwards. */
  listless?: number;
}

/** Returns the request for the page. If the next list's parent is not known, it requests parents. */
export function buildObjectPageRequest(
  { rules, findRules }: Pick<Lists, "rules" | "findRules">,
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
): ProviderRequest {
  const { parent } = rules;
  if (!parent) return buildPageRequest(rules, plan, readScanState(checkpoint));
  const { parents, page, after } = placeIn(checkpoint);
  const [first] = parents;
  return first === undefined
    ? buildObjectPageRequest(
        { rules: findRules(parent.object), findRules },
        buildParentPlan(parent, plan),
        after,
      )
    : buildPageRequest({ ...rules, parentValue: first }, plan, readScanState(page));
}

/** Reads one page. Throws `ProviderError`. */
export async function readObjectPage(
  lists: Lists,
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
  fetch: ProviderFetch,
): Promise<ReadPage> {
  const { rules, findRules, classify, scrolls } = lists;
  const { parent } = rules;
  if (!parent) return readListPage({ rules, classify, fetch, ...(scrolls && { scrolls }) }, plan, checkpoint);
  let place = placeIn(checkpoint);
  let providerTime: Date | undefined;
  let restarted: boolean | undefined;
  if (place.parents.length === 0) {
    const above = { ...lists, rules: findRules(parent.object) };
    const page = await readObjectPage(above, buildParentPlan(parent, plan), place.after, fetch);
    ({ providerTime, restarted } = page);
    place = {
      parents: page.records.map(({ raw }) => readValue(raw, above.rules, parent)),
      ...setAfter(page.next),
      ...(place.listless !== undefined && { listless: place.listless }),
    };
  }
  const [first, ...others] = place.parents;
  const found =
    first === undefined
      ? "no parent"
      : await readChildren({ rules: { ...rules, parentValue: first }, classify, fetch }, plan, place.page);
  const page: ReadPage = typeof found === "string" ? { records: [] } : found;
  const listless = countListless(place.listless, found);
  const next = placeAfter(place, page.next, others, listless);
  if (!next && listless !== undefined && listless > 1) throw withoutLists(rules, listless);
  const time = providerTime ?? page.providerTime;
  return {
    records: page.records,
    ...(next && { next }),
    ...(time && { providerTime: time }),
    ...((restarted ?? page.restarted) && { restarted: true }),
  };
}

/** A parent that was deleted meanwhile has no list. */
function readChildren(
  reading: Parameters<typeof readListPage>[0],
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
): Promise<ReadPage | "no list"> {
  return readListPage(reading, plan, checkpoint).catch((error: unknown): "no list" => {
    if (error instanceof ProviderError && error.kind === "not_found") return "no list";
    throw error;
  });
}

function countListless(
  before: number | undefined,
  found: ReadPage | "no list" | "no parent",
): number | undefined {
  if (before === undefined || found === "no parent") return before;
  return found === "no list" ? before + 1 : undefined;
}

/** That all of several parents were deleted meanwhile is less likely than an address that is not there. */
const withoutLists = ({ name, parent }: ObjectPlan, count: number): ProviderError =>
  new ProviderError({
    kind: "not_found",
    message: `the provider does not find the list of ${name} of any of ${count} records of ${parent?.object}`,
    status: 404,
  });

/** Parents are read whole: a list may have changed although its parent has not. */
const buildParentPlan = (
  { object, by }: NonNullable<ObjectPlan["parent"]>,
  { account }: ReadPlan,
): ReadPlan => ({
  objectName: object,
  fields: by === undefined ? [] : [by],
  filters: [],
  associations: [],
  pageSize: MAX_PARENTS,
  ...(account && { account }),
});

function readValue(
  record: Json,
  { idPath }: ObjectPlan,
  { object, by = idPath }: NonNullable<ObjectPlan["parent"]>,
): string {
  const value = getTextAt(record, by);
  if (value === undefined || value === "")
    throw buildBrokenPage(`a record of ${object} has nothing at ${by}`);
  return value;
}

const setAfter = (next: Checkpoint | undefined): Pick<Place, "after"> => (next ? { after: next } : {});

function placeAfter(
  { parents, after: later }: Place,
  page: Checkpoint | undefined,
  others: string[],
  listless: number | undefined,
): Checkpoint | undefined {
  if (page) return { parents, page, ...setAfter(later) };
  if (others.length === 0 && !later) return undefined;
  return { parents: others, ...setAfter(later), ...(listless !== undefined && { listless }) };
}

function placeIn(checkpoint: Checkpoint | undefined): Place {
  if (!checkpoint) return { parents: [], listless: 0 };
  const { parents, page, after: later, listless } = checkpoint;
  return {
    parents: Array.isArray(parents) ? parents.map(String) : [],
    ...(page !== undefined && isJsonObject(page) && { page }),
    ...(later !== undefined && isJsonObject(later) && { after: later }),
    ...(typeof listless === "number" && { listless }),
  };
}
