/** Writes Salesforce CRM records: entry point for writes. */
import type { RecordWrite, WriteConnector } from "../../connector-kit/connector.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { planBatchWaves, writeInBatches } from "./batch.ts";
import { shortenId } from "./id.ts";
import { findKeyNameFault, recordFault } from "./record-fault.ts";
import { readFields } from "./read-fields.ts";
import { BATCH_LIMIT, findObjectFault, writeMany } from "./request.ts";
import { buildRecordRequests, writeOneByOne } from "./single.ts";

export const write: WriteConnector = {
  module: "crm",
  abilities: {
    delete: true,
    associations: false,
    headers: true,
    ifEmpty: true,
    upsert: true,
    batchLimit: BATCH_LIMIT,
  },
  prepare,
  async write(order, fetch) {
    const fault = requestFault(order);
    if (fault) return { outcomes: order.records.map(() => ({ success: false, error: fault })), warnings: [] };
    return isInBatches(order) ? writeInBatches(order, fetch) : writeOneByOne(order, fetch);
  },
  readFields,
  recordKey: shortenId,
  // Empty text is null; false and 0 are values, so a checkbox is never empty.
  isEmpty: (value) => value === undefined || value === null,
};

function prepare(order: RecordWrite): ProviderRequest[] {
  const faults = order.records.map((record) => recordFault(order, record));
  const fault = [requestFault(order), ...faults].find((found) => found !== undefined);
  if (fault) throw fault;
  if (!isInBatches(order)) return order.records.flatMap((record) => buildRecordRequests(order, record));
  return planBatchWaves(order).map((wave) => writeMany(order, wave));
}

/** A delete takes one record, so it has no batch form here. */
const isInBatches = (order: RecordWrite): boolean => order.batch && order.type !== "delete";

const requestFault = (order: RecordWrite): ProviderError | undefined =>
  findObjectFault(order.objectName) ?? findKeyNameFault(order) ?? findHeaderFault(order.headers);

/** Headers of the connection or the credentials, which a caller cannot set. */
const RESERVED = new Set([
  "accept-encoding",
  "authorization",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Returns why headers of the caller cannot be passed on; undefined if they can. */
function findHeaderFault(headers: Record<string, string>): ProviderError | undefined {
  for (const [name, value] of Object.entries(headers)) {
    const invalid = (message: string) => new ProviderError({ kind: "invalid", message });
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return invalid(`${JSON.stringify(name)} is not a header name`);
    if (RESERVED.has(name.toLowerCase())) return invalid(`the header ${name} cannot be set by the caller`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      return invalid(`the header ${name} holds characters not allowed in it`);
  }
  return undefined;
}
