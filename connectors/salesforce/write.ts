/** Writes Salesforce CRM records: entry point for writes. */
import type { RecordWrite, WriteConnector } from "../../connector-kit/connector.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import type { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { headerFault } from "../../connector-kit/provider/forwarded-headers.ts";
import { batchWaves, writeInBatches } from "./batch.ts";
import { shortId } from "./id.ts";
import { keyNameFault, recordFault } from "./record-fault.ts";
import { readFields } from "./read-fields.ts";
import { BATCH_LIMIT, objectFault, writeMany } from "./request.ts";
import { requestsFor, writeOneByOne } from "./single.ts";

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
    return inBatches(order) ? writeInBatches(order, fetch) : writeOneByOne(order, fetch);
  },
  readFields,
  recordKey: shortId,
  // Empty text is null; false and 0 are values, so a checkbox is never empty.
  isEmpty: (value) => value === undefined || value === null,
};

function prepare(order: RecordWrite): ProviderRequest[] {
  const faults = order.records.map((record) => recordFault(order, record));
  const fault = [requestFault(order), ...faults].find((found) => found !== undefined);
  if (fault) throw fault;
  if (!inBatches(order)) return order.records.flatMap((record) => requestsFor(order, record));
  return batchWaves(order).map((wave) => writeMany(order, wave));
}

/** A delete takes one record, so it has no batch form here. */
const inBatches = (order: RecordWrite): boolean => order.batch && order.type !== "delete";

const requestFault = (order: RecordWrite): ProviderError | undefined =>
  objectFault(order.objectName) ?? keyNameFault(order) ?? headerFault(order.headers);
