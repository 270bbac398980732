/** Reads HubSpot's owners and lists. They are few, so they are read whole, and times and filters are tested here. */
import type { Json } from "../../ground/json.ts";
import { buildBrokenPage, listOrBroken, requireObject } from "../../connector-kit/calls/page-check.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type {
  Checkpoint,
  ReadConnector,
  ReadPlan,
  SourceRecord,
} from "../../connector-kit/read-connector.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import { getTextAt } from "../../connector-kit/calls/get-text-at.ts";
import { classify } from "./classify.ts";
import { findCollection, isJoined, listKnownIds, moveBack, type Collection } from "./collection.ts";
import type { CrmPage } from "./crm-page.ts";
import { filterTest, createTimeTest } from "./record-test.ts";
import { readTime } from "./source-record.ts";

/** No account has as many; a scan that is longer does not end. */
const MAX_PAGES = 1_000;

type Reader = Pick<
  ReadConnector,
  "preparePage" | "prepareCount" | "count" | "readSample" | "readByIds" | "search" | "readDeletions"
> & { readPage(plan: ReadPlan, checkpoint: Checkpoint | undefined, fetch: ProviderFetch): Promise<CrmPage> };

/** Returns what reads this object; undefined for objects of the CRM API. */
export function createCollectionReader(objectName: string): Reader | undefined {
  const collection = findCollection(objectName);
  if (!collection) return undefined;
  const chooseSize = ({ pageSize }: Pick<ReadPlan, "pageSize">): number =>
    Math.max(1, Math.min(pageSize ?? collection.limit, collection.limit));
  const preparePage = (plan: Pick<ReadPlan, "pageSize">, checkpoint?: Checkpoint): ProviderRequest =>
    collection.request(chooseSize(plan), checkpoint && getTextAt(checkpoint, "cursor"));
  const readPage: Reader["readPage"] = async (plan, checkpoint, fetch) => {
    refuseAssociations(plan);
    const answer = await send(preparePage(plan, checkpoint), fetch, classify, plan.account);
    if (answer.error) throw answer.error;
    const { all, next } = readAnswer(collection, answer.body, checkpoint, chooseSize(plan));
    return {
      records: all.filter(createTimeTest(plan)).filter(filterTest(plan.filters, plan)),
      ...(next && { next }),
    };
  };
  return {
    preparePage,
    readPage,
    prepareCount: (plan) => preparePage(plan),
    async count(plan, fetch) {
      return (await readAll(readPage, plan, fetch)).length;
    },
    async readSample(plan, fetch) {
      const { fields, objectName: name, account } = plan;
      const whole = { objectName: name, fields, filters: [], associations: [], account };
      return (await readPage(whole, undefined, fetch)).records[0];
    },
    async readByIds({ objectName: name, fields, associations, account }, ids, fetch) {
      if (ids.length === 0) return [];
      const wanted = new Set(ids);
      const all = await readAll(
        readPage,
        { objectName: name, fields, associations, account, filters: [] },
        fetch,
      );
      return all.filter(({ id }) => wanted.has(id));
    },
    async search(plan, fetch) {
      if (!collection.isSearchable) throw cannot("searched", plan.objectName);
      const { records, next } = await readPage(plan, undefined, fetch);
      return { records, truncated: next !== undefined };
    },
    // HubSpot does not say when an owner or a list was deleted. A scheduled read of them must not fail for that.
    readDeletions: async () => Promise.resolve({ records: [] }),
  };
}

async function readAll(
  readPage: Reader["readPage"],
  plan: ReadPlan,
  fetch: ProviderFetch,
): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  let checkpoint: Checkpoint | undefined;
  do {
    const page = await readPage(plan, checkpoint, fetch);
    records.push(...page.records);
    checkpoint = page.next;
  } while (checkpoint);
  return records;
}

/** HubSpot does not say in which order the records come, so a loop is seen by its cursor, its first id or its length. */
function readAnswer(
  collection: Collection,
  body: Json | undefined,
  checkpoint: Checkpoint | undefined,
  size: number,
): { all: SourceRecord[]; next?: Checkpoint } {
  const page = requireObject(body, "the page");
  const place = checkpoint && getTextAt(checkpoint, "cursor");
  const isTimed = collection.tellsChanges?.(place) ?? true;
  const all = listOrBroken(page[collection.list], `\`${collection.list}\``, page).map((raw) =>
    toRecord(collection, raw, isTimed),
  );
  const pages = (typeof checkpoint?.pages === "number" ? checkpoint.pages : 0) + 1;
  // Where none is known, so many were deleted meanwhile that others may have moved before this page, unread: the list goes on a page earlier.
  const joins = isJoined(
    all.map(({ id }) => id),
    place,
  );
  const cursor = joins ? collection.next(page, place) : moveBack(place, size);
  if (cursor !== undefined && (cursor === checkpoint?.cursor || pages >= MAX_PAGES)) {
    throw buildBrokenPage("HubSpot's pages do not advance");
  }
  if (!joins) return { all: [], ...(cursor !== undefined && { next: { cursor, pages, first: "" } }) };
  const [first] = all;
  const isRepeated = first !== undefined && first.id === checkpoint?.first;
  if (isRepeated)
    throw buildBrokenPage(`HubSpot's page is repeated: it begins with record ${first.id} again`);
  const known = listKnownIds(place);
  const fresh = all.filter(({ id }) => !known.includes(id));
  return { all: fresh, ...(cursor !== undefined && { next: { cursor, pages, first: first?.id ?? "" } }) };
}

function toRecord({ id: name }: Collection, value: Json, isTimed: boolean): SourceRecord {
  const raw = requireObject(value, "a record");
  const id = getTextAt(raw, name);
  if (id === undefined) throw buildBrokenPage(`HubSpot's answer is broken: a record has no \`${name}\``);
  return { id, ...(isTimed && { changeTime: readTime(raw.updatedAt) }), raw, values: { id, ...raw } };
}

function refuseAssociations({ objectName, associations }: ReadPlan): void {
  if (associations.length > 0) throw cannot("read with associated records", objectName);
}

const cannot = (what: string, objectName: string): ProviderError =>
  new ProviderError({ kind: "invalid", message: `HubSpot's ${objectName} cannot be ${what}` });
