/** Writes HubSpot CRM records: entry point for writes. */
import type { RecordToWrite, RecordWrite, WriteConnector } from "../../connector-kit/connector.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { createInBatches, createWaves } from "./batch-create.ts";
import { updateInBatches, updateWaves } from "./batch-update.ts";
import { readFields } from "./read-fields.ts";
import { BATCH_LIMIT, createBatch, idFault, objectFault, updateBatch } from "./request.ts";
import { upsertBatch, upsertFault, upsertInBatches, upsertWaves } from "./batch-upsert.ts";
import { requestFor, writeOneByOne } from "./single.ts";

export const write: WriteConnector = {
  module: "crm",
  abilities: {
    delete: true,
    associations: true,
    headers: false,
    ifEmpty: true,
    upsert: true,
    batchLimit: BATCH_LIMIT,
  },
  prepare,
  async write(write, fetch) {
    const fault = objectFault(write.objectName);
    if (fault) return { outcomes: write.records.map(() => ({ success: false, error: fault })), warnings: [] };
    if (write.type === "upsert") return upsertInBatches(write, fetch);
    if (!write.batch || write.type === "delete") return writeOneByOne(write, fetch);
    return write.type === "create" ? createInBatches(write, fetch) : updateInBatches(write, fetch);
  },
  readFields,
  recordKey: (id) => id,
  // "0" and "false" are values; a property that was never set is absent, null or empty text.
  isEmpty: (value) => value === undefined || value === null || value === "",
};

function prepare(write: RecordWrite): ProviderRequest[] {
  const faults = [
    objectFault(write.objectName),
    ...write.records.map((record) => recordFault(write, record)),
  ];
  const fault = faults.find((found) => found instanceof ProviderError);
  if (fault) throw fault;
  if (write.type === "upsert") return upsertWaves(write).map((wave) => upsertBatch(write, wave));
  if (!write.batch || write.type === "delete")
    return write.records.map((record) => requestFor(write, record));
  if (write.type === "create") return createWaves(write).map((wave) => createBatch(write, wave));
  return updateWaves(write).map((wave) => updateBatch(write, wave));
}

function recordFault(write: RecordWrite, record: RecordToWrite): ProviderError | undefined {
  if (write.type === "create") return undefined;
  return write.type === "upsert" ? upsertFault(write, record) : idFault(record.id);
}
