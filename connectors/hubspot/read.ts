/** Reads HubSpot: entry point for reads. */
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { Checkpoint, ReadConnector, ReadPage, ReadPlan } from "../../connector-kit/read-connector.ts";
import { watchHeaders } from "../../connector-kit/calls/watch-headers.ts";
import { createCollectionReader } from "./collection-read.ts";
import { prepareCrmPage, readCrmPage } from "./crm-page.ts";
import { countCrm, prepareCrmCount, readCrmByIds, readCrmSample, searchCrm } from "./crm-lookup.ts";
import { addAssociations } from "./read-associations.ts";
import { readDeletions } from "./read-deletions.ts";
import { isReadable } from "./read-object.ts";
import { isTopLevel, MAX_SEARCH_FILTERS } from "./read-request.ts";
import { OBJECTS } from "./request.ts";

const MINUTE_MS = 60_000;

/** HubSpot allows an account five searches a second and 110 other requests in ten seconds. Reading takes 60 %. */
const SEARCH_PACE = { kind: "search", perSecond: 3 };
const REQUEST_PACE = { kind: "request", perSecond: 6.6 };

export const read: ReadConnector = {
  module: "crm",
  abilities: {
    associations: true,
    deletions: true,
    search: true,
    maxSearchFilters: MAX_SEARCH_FILTERS,
    // Records can be searched seconds after they were written, rarely minutes.
    overlapMs: 5 * MINUTE_MS,
    settlingOverlapMs: 65 * MINUTE_MS,
    // Each check lists all archived records.
    deletionsEveryMs: 60 * MINUTE_MS,
  },
  isReadable,
  preparePage: (plan, checkpoint) => buildReader(plan).preparePage(plan, checkpoint),
  readPage,
  prepareCount: (plan) => buildReader(plan).prepareCount(plan),
  count: async (plan, fetch) => buildReader(plan).count(plan, fetch),
  readSample: async (plan, fetch) => buildReader(plan).readSample(plan, fetch),
  readByIds: async (plan, ids, fetch) => buildReader(plan).readByIds(plan, ids, fetch),
  search: async (plan, fetch) => buildReader(plan).search(plan, fetch),
  readDeletions: async (plan, checkpoint, fetch) => buildReader(plan).readDeletions(plan, checkpoint, fetch),
  choosePace: ({ method, path }: ProviderRequest) =>
    method === "POST" && path.startsWith(OBJECTS) && path.endsWith("/search") ? SEARCH_PACE : REQUEST_PACE,
  needsMetadata: () => false,
  fieldKey: (name) => name.toLowerCase(),
  // Where the app lacks their scope, HubSpot may refuse the whole request.
  isReadWithAll: ({ isSensitive }) => isSensitive !== true,
  isPlain: ({ valueType }) => valueType !== "other",
  fieldBeyond: ([name = "", ...further]) => (further.length === 0 && isTopLevel(name) ? name : undefined),
};

const CRM = {
  preparePage: prepareCrmPage,
  readPage: readCrmPage,
  prepareCount: prepareCrmCount,
  count: countCrm,
  readSample: readCrmSample,
  readByIds: readCrmByIds,
  search: searchCrm,
  readDeletions,
};

const buildReader = ({ objectName }: Pick<ReadPlan, "objectName">) =>
  createCollectionReader(objectName) ?? CRM;

async function readPage(
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
  fetch: ProviderFetch,
): Promise<ReadPage> {
  const watched = watchHeaders(fetch);
  const page = await buildReader(plan).readPage(plan, checkpoint, watched.fetch);
  await addAssociations(plan, page.records, watched.fetch);
  return { ...page, providerTime: watched.providerTime() };
}
