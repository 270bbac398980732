/** Reads Salesforce records: entry point for reads. */
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import type {
  CallUsage,
  Checkpoint,
  ReadConnector,
  ReadPage,
  ReadPlan,
} from "../../connector-kit/read-connector.ts";
import { watchHeaders } from "../../connector-kit/calls/watch-headers.ts";
import { isOrdinary } from "./change-column.ts";
import { toLongId } from "./id.ts";
import { readDeletions } from "./read-deletions.ts";
import {
  countRecords,
  prepareRecordCount,
  readRecordSample,
  readRecordsByIds,
  searchRecords,
} from "./record-lookup.ts";
import { findParentPath } from "./soql-field.ts";
import { prepareScanPage, readScanPage } from "./scan-page.ts";

const MINUTE_MS = 60_000;

export const read: ReadConnector = {
  module: "crm",
  abilities: {
    associations: true,
    deletions: true,
    search: true,
    maxSearchFilters: 50,
    // A transaction that takes long commits with the time at which it began.
    overlapMs: 10 * MINUTE_MS,
  },
  preparePage: prepareScanPage,
  readPage,
  prepareCount: prepareRecordCount,
  count: countRecords,
  readSample: readRecordSample,
  readByIds: readRecordsByIds,
  search: searchRecords,
  readDeletions,
  // Salesforce limits calls by the day and at one time, not by the second.
  choosePace: () => undefined,
  needsMetadata: ({ objectName, associations }) => associations.length > 0 || !isOrdinary(objectName),
  fieldKey: (name) => name.toLowerCase(),
  listIdForms(id) {
    const isId = /^[A-Za-z0-9]{15}$/.test(id) || (id.length === 18 && toLongId(id) === id);
    return isId ? [toLongId(id), id.slice(0, 15)] : [id];
  },
  // Addresses and places repeat their parts; for files Salesforce gives only an address.
  isReadWithAll: ({ providerType }) => !["address", "location", "base64"].includes(providerType),
  isPlain: ({ valueType }) => valueType !== "other",
  fieldBeyond: findParentPath,
};

async function readPage(
  plan: ReadPlan,
  checkpoint: Checkpoint | undefined,
  fetch: ProviderFetch,
): Promise<ReadPage> {
  const watched = watchHeaders(fetch);
  const page = await readScanPage(plan, checkpoint, watched.fetch).catch((error: unknown) => {
    throw asUnknownObject(error);
  });
  return {
    ...page,
    providerTime: watched.providerTime(),
    usage: readUsage(watched.newest("sforce-limit-info")),
  };
}

/** Tells an object that does not exist, or is not shown, from a mistake in the query: Salesforce refuses both with 400. */
function asUnknownObject(error: unknown): unknown {
  if (!(error instanceof ProviderError) || error.code !== "INVALID_TYPE") return error;
  if (!error.message.startsWith("sObject type '")) return error;
  const { code, message, status, rawResponse } = error;
  return new ProviderError({ kind: "not_found", code, message, status, rawResponse, cause: error });
}

/** Reads `api-usage=18/15000`. */
function readUsage(header: string | undefined): CallUsage | undefined {
  const [, used, limit] = /api-usage=(\d+)\/(\d+)/.exec(header ?? "") ?? [];
  return used !== undefined && limit !== undefined ? { used: Number(used), limit: Number(limit) } : undefined;
}
