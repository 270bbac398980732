/** Creates or updates HubSpot records by a property with unique values. HubSpot has no other form than the batch for it. */
import type { Json } from "../../ground/json.ts";
import type { RecordToWrite, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type { ProviderFetch, ProviderRequest } from "../../connector-kit/calls/provider-fetch.ts";
import { Outcomes } from "../../connector-kit/calls/outcomes.ts";
import type { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { splitBatch } from "../../connector-kit/calls/split-batch.ts";
import { findUpsertKeyFault, readUpsertKey, upsertRecordKey } from "../../connector-kit/calls/upsert-key.ts";
import { settleCreated } from "./batch-create.ts";
import { writePartially } from "./partial.ts";
import { BATCH_LIMIT, OBJECTS, buildInvalid, isPathWord, pick, toProperties } from "./request.ts";

export async function upsertInBatches(write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult> {
  const outcomes = new Outcomes(write.records.length);
  for (const [index, record] of write.records.entries()) {
    const fault = upsertFault(write, record);
    if (fault) outcomes.fail([index], fault);
  }
  let rawResponse: string | undefined;
  const batch = {
    write,
    fetch,
    outcomes,
    request: (indexes: number[]) => upsertBatch(write, indexes),
    // Results have a trace id or the value of the key, which is distinct within a request.
    settle: (indexes: number[], body: Json | undefined) => settleCreated(write, indexes, body, outcomes),
    refused: (raw: string | undefined) => (rawResponse = raw),
  };
  for (const wave of upsertWaves(write)) await writePartially(batch, wave);
  const warnings = write.allOrNone
    ? ["HubSpot upserts batches record by record; allOrNone has no effect there"]
    : [];
  return { outcomes: outcomes.finish(), warnings, rawResponse };
}

/** Returns why a record cannot be sent: its key is not the name of a property, or it has no value for it. */
export const upsertFault = (write: RecordWrite, record: RecordToWrite): ProviderError | undefined =>
  isPathWord(write.key ?? "")
    ? findUpsertKeyFault(write, record)
    : buildInvalid(`"${write.key ?? ""}" is not the name of a HubSpot property`);

/** Returns the positions of the records of each request. A repeated key goes into a later request. */
export function upsertWaves(write: RecordWrite): number[][] {
  const valid = [...write.records.entries()].flatMap(([index, record]) =>
    upsertFault(write, record) ? [] : [{ index, key: upsertRecordKey(write, record) }],
  );
  return splitBatch(
    valid.map(({ key }) => key),
    BATCH_LIMIT,
  ).map((wave) => wave.flatMap((position) => valid[position]?.index ?? []));
}

/** With trace ids HubSpot writes the records that it accepts and names the others. */
export const upsertBatch = (write: RecordWrite, indexes: number[]): ProviderRequest => ({
  method: "POST",
  path: `${OBJECTS}/${write.objectName}/batch/upsert`,
  body: {
    inputs: pick(write.records, indexes).map(([index, record]) => ({
      id: readUpsertKey(write, record) ?? "",
      idProperty: write.key ?? "",
      properties: toProperties(record.fields),
      objectWriteTraceId: String(index),
    })),
  },
  repeatable: true,
});
