/** Reads records by a description: pages of a list, single records, and searches by comparing here. */
import { formatFieldPath } from "../../ground/field-path.ts";
import type { Connector } from "../connector.ts";
import type { ProviderFetch } from "../calls/provider-fetch.ts";
import { ProviderError } from "../calls/provider-error.ts";
import type {
  Checkpoint,
  ReadAbilities,
  ReadConnector,
  ReadPage,
  ReadPlan,
  SourceRecord,
} from "../read-connector.ts";
import { buildObjectPageRequest, readObjectPage } from "./declarative-children.ts";
import type { Description } from "./rules/description.ts";
import { hasMark } from "./deleted-mark.ts";
import { getOne } from "./get-record.ts";
import { countScrollUses } from "./scroll-uses.ts";
import { reportsDeletions } from "./chosen-list.ts";
import { readDeletionPage } from "./deletion-page.ts";
import { readFirstPage, readSourceRecord } from "./list-page.ts";
import { setEmptyToNull } from "./selected-fields.ts";
import {
  buildPlans,
  findCheapestObject,
  findIdFaults,
  findPlan,
  toObjectPlan,
  type ObjectPlan,
} from "./object-plan.ts";

type Classify = NonNullable<Connector["classify"]>;

/** A search reads this many pages at most. */
const MAX_SEARCH_PAGES = 10;

export function createDeclarativeRead(description: Description, classify: Classify): ReadConnector {
  const idFault = findIdFaults(description);
  const rulesFor = ({ objectName, account }: Pick<ReadPlan, "objectName" | "account">) =>
    toObjectPlan(description, objectName, "read", account);
  const scrolls = countScrollUses();
  // Whoever may not have these fields is refused the whole read, so they are read by name alone.
  const optionalFields = new Set(buildPlans(description).flatMap(({ select }) => select?.optional ?? []));
  const readLists = (plan: ReadPlan) => ({
    rules: rulesFor(plan),
    findRules: (objectName: string) => rulesFor({ ...plan, objectName }),
    classify,
    scrolls,
  });
  const readPage = async (plan: ReadPlan, checkpoint: Checkpoint | undefined, fetch: ProviderFetch) =>
    readObjectPage(readLists(plan), plan, checkpoint, fetch);
  return {
    abilities: {
      associations: false,
      deletions: buildPlans(description).some(reportsDeletions),
      search: true,
      maxSearchFilters: 5,
      overlapMs: computeOverlapMs(description),
      deletionsOverlapMs: computeDeletionsOverlapMs(description),
      ...computeSettlingOverlap(description),
    },
    cheapestObject: findCheapestObject(description),
    isReadWithAll: ({ fieldName }) => !optionalFields.has(fieldName),
    preparePage: (plan, checkpoint) => buildObjectPageRequest(readLists(plan), plan, checkpoint),
    readPage,
    prepareCount: (plan) => buildObjectPageRequest(readLists(plan), { ...plan, pageSize: 1 }, undefined),
    async count(plan, fetch) {
      const isReported = rulesFor(plan).total !== undefined;
      const { total } = isReported ? await readPage({ ...plan, pageSize: 1 }, undefined, fetch) : {};
      if (total !== undefined) return total;
      throw new ProviderError({ kind: "invalid", message: `lists of ${plan.objectName} name no total` });
    },
    async readSample(plan, fetch) {
      const sample = { ...plan, pageSize: 1 };
      if (!rulesFor(plan).parent) return (await readPage(sample, undefined, fetch)).records[0];
      // The first parents may have empty lists.
      return (await search((checkpoint) => readPage(sample, checkpoint, fetch), 1)).records[0];
    },
    async readByIds(plan, ids, fetch) {
      const rules = rulesFor(plan);
      const records: SourceRecord[] = [];
      for (const id of new Set(ids)) {
        if (idFault(id, rules)) continue;
        const raw = await getOne({ plan: rules, fetch, classify }, id, plan.fields);
        if (raw && !hasMark(raw, rules)) records.push(readSourceRecord(raw, rules));
      }
      const filled = await setEmptyToNull(rules, plan, records, () =>
        readFirstPage({ rules, classify, fetch }, plan),
      );
      return filled.records;
    },
    search: (plan, fetch) => search((checkpoint) => readPage(plan, checkpoint, fetch)),
    async readDeletions(period, checkpoint, fetch) {
      const reading = { rules: rulesFor(period), classify, fetch };
      const plan = { ...period, fields: [], filters: [], associations: [] };
      return readDeletionPage(reading, plan, checkpoint, computeDeletionsOverlapMs(description));
    },
    choosePace: () => choosePace(description),
    needsMetadata: () => false,
    absentMeansEmpty: (objectName) => isAbsentEmpty(findPlan(description, objectName)),
    listRenamable: (objectName) => findPlan(description, objectName)?.renamable ?? [],
    fieldKey: (name) => name,
    fieldBeyond: (steps, { fields }) => {
      const path = formatFieldPath(steps);
      return steps.length > 1 && Object.hasOwn(fields, path) ? path : undefined;
    },
  };
}

const choosePace = ({ limits }: Description): ReturnType<ReadConnector["choosePace"]> =>
  limits?.perSecond === undefined ? undefined : { kind: "read", perSecond: limits.perSecond };

/**
 * The fields of such records may be renamed, or a list of changes may not have all that the whole list has: then nothing tells that a field
 * is empty.
 */
const isAbsentEmpty = (plan: ObjectPlan | undefined): boolean =>
  plan !== undefined && !plan.emptyLeftOut && !plan.since?.path && !plan.since?.list;

/** A minute, unless records of an object appear later. */
const computeOverlapMs = (description: Description): number =>
  60_000 * Math.max(1, ...buildPlans(description).map(({ since }) => since?.overlapMinutes ?? 1));

/** Returns the overlap of changes, unless a log shows deletions later. */
const computeDeletionsOverlapMs = (description: Description): number => {
  const minutes = buildPlans(description).flatMap(({ furtherLists = [] }) =>
    furtherLists.map(({ since, deleted }) => (deleted && since?.overlapMinutes) || 0),
  );
  return Math.max(computeOverlapMs(description), 60_000 * Math.max(0, ...minutes));
};

/** Records of an object may appear much later: once an hour a read begins so long before. */
function computeSettlingOverlap(description: Description): Pick<ReadAbilities, "settlingOverlapMs"> {
  const minutes = Math.max(0, ...buildPlans(description).map(({ since }) => since?.settlingMinutes ?? 0));
  return minutes > 0 ? { settlingOverlapMs: minutes * 60_000 } : {};
}

async function search(
  next: (checkpoint: Checkpoint | undefined) => Promise<ReadPage>,
  enough = Number.POSITIVE_INFINITY,
): Promise<{ records: SourceRecord[]; truncated: boolean }> {
  const records: SourceRecord[] = [];
  let checkpoint: Checkpoint | undefined;
  for (let pages = 0; pages < MAX_SEARCH_PAGES; pages += 1) {
    const page = await next(checkpoint);
    records.push(...page.records);
    checkpoint = page.next;
    if (!checkpoint) return { records, truncated: false };
    if (records.length >= enough) break;
  }
  return { records, truncated: true };
}
