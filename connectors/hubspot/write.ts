/** Writes HubSpot CRM records: entry point for writes. */
import type { RecordToWrite, RecordWrite, WriteConnector } from "../../connector-kit/connector.ts";
import type { ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { createInBatches, createWaves } from "./batch-create.ts";
import { updateInBatches, updateWaves } from "./batch-update.ts";
import { readFields } from "./read-fields.ts";
import { BATCH_LIMIT, createBatch, findIdFault, findObjectFault, updateBatch } from "./request.ts";
import { upsertBatch, upsertFault, upsertInBatches, upsertWaves } from "./batch-upsert.ts";
import { buildRecordRequest, writeOneByOne } from "./single.ts";

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
  async write(order, fetch) {
    const fault = findObjectFault(order.objectName);
    if (fault) return { outcomes: order.records.map(() => ({ success: false, error: fault })), warnings: [] };
    if (order.type === "upsert") return upsertInBatches(order, fetch);
    if (!order.batch || order.type === "delete") return writeOneByOne(order, fetch);
    return order.type === "create" ? createInBatches(order, fetch) : updateInBatches(order, fetch);
  },
  readFields,
  recordKey: (id) => id,
  // "0" and "false" are values; a property that was never set is absent, null or empty text.
  isEmpty: (value) => value === undefined || value === null || value === "",
};

function prepare(order: RecordWrite): ProviderRequest[] {
  const faults = [
    findObjectFault(order.objectName),
    ...order.records.map((record) => recordFault(order, record)),
  ];
  const fault = faults.find((found) => found instanceof ProviderError);
  if (fault) throw fault;
  if (order.type === "upsert") return upsertWaves(order).map((wave) => upsertBatch(order, wave));
  if (!order.batch || order.type === "delete")
    return order.records.map((record) => buildRecordRequest(order, record));
  if (order.type === "create") return createWaves(order).map((wave) => createBatch(order, wave));
  return updateWaves(order).map((wave) => updateBatch(order, wave));
}

function recordFault(order: RecordWrite, record: RecordToWrite): ProviderError | undefined {
  if (order.type === "create") return undefined;
  return order.type === "upsert" ? upsertFault(order, record) : findIdFault(record.id);
}
