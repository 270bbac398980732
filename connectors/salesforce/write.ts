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
  async write(write, fetch) {
    const fault = requestFault(write);
    if (fault) return { outcomes: write.records.map(() => ({ success: false, error: fault })), warnings: [] };
    return inBatches(write) ? writeInBatches(write, fetch) : writeOneByOne(write, fetch);
  },
  readFields,
  recordKey: shortId,
  // Empty text is null; false and 0 are values, so a checkbox is never empty.
  isEmpty: (value) => value === undefined || value === null,
};

function prepare(write: RecordWrite): ProviderRequest[] {
  const faults = write.records.map((record) => recordFault(write, record));
  const fault = [requestFault(write), ...faults].find((found) => found !== undefined);
  if (fault) throw fault;
  if (!inBatches(write)) return write.records.flatMap((record) => requestsFor(write, record));
  return batchWaves(write).map((wave) => writeMany(write, wave));
}

/** A delete takes one record, so it has no batch form here. */
const inBatches = (write: RecordWrite): boolean => write.batch && write.type !== "delete";

const requestFault = (write: RecordWrite): ProviderError | undefined =>
  objectFault(write.objectName) ?? keyNameFault(write) ?? headerFault(write.headers);
