/** Updates HubSpot records in batches, each record at most once per request. */
import type { Json, JsonObject } from "../../ground/json.ts";
import type { RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { Outcomes } from "../../connector-kit/calls/outcomes.ts";
import { splitBatch } from "../../connector-kit/calls/split-batch.ts";
import { readBatchAnswer } from "./batch-create.ts";
import { toRecordError } from "./fault.ts";
import { writePartially } from "./partial.ts";
import { readId, toOutcome } from "./record.ts";
import { BATCH_LIMIT, findIdFault, updateBatch } from "./request.ts";

export async function updateInBatches(write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult> {
  const outcomes = new Outcomes(write.records.length);
  for (const [index, record] of write.records.entries()) {
    const fault = findIdFault(record.id);
    if (fault) outcomes.fail([index], fault);
  }
  let rawResponse: string | undefined;
  const batch = {
    write,
    fetch,
    outcomes,
    request: (indexes: number[]) => updateBatch(write, indexes),
    settle: (indexes: number[], body: Json | undefined) => settleUpdated(write, indexes, body, outcomes),
    refused: (raw: string | undefined) => (rawResponse = raw),
  };
  for (const wave of updateWaves(write)) await writePartially(batch, wave);
  return { outcomes: outcomes.finish(), warnings: listWarnings(write), rawResponse };
}

/** HubSpot refuses a batch that names an id twice, so a repeated id goes into a later request. */
export function updateWaves(write: RecordWrite): number[][] {
  const valid = [...write.records.keys()].filter(
    (index) => findIdFault(write.records[index]?.id) === undefined,
  );
  return splitBatch(
    valid.map((index) => write.records[index]?.id),
    BATCH_LIMIT,
  ).map((wave) => wave.flatMap((position) => valid[position] ?? []));
}

function listWarnings(write: RecordWrite): string[] {
  const found: string[] = [];
  if (write.allOrNone) found.push("HubSpot updates batches record by record; allOrNone has no effect there");
  if (write.records.some((record) => record.associations?.length)) {
    found.push("HubSpot takes associations on create only; they were not sent");
  }
  return found;
}

/**
 * Matches results by trace id or id, never by position; one error entry can be about several records. An id from before a merge is answered with
 * the record that is left, which has an id of its own (changelog of 2025-01-14, updated merge functionality).
 */
function settleUpdated(
  write: RecordWrite,
  indexes: number[],
  body: Json | undefined,
  outcomes: Outcomes,
): void {
  const { results, faults } = readBatchAnswer(body);
  const unplaced: JsonObject[] = [];
  for (const result of results) {
    const index =
      indexes.find((one) => String(one) === result.objectWriteTraceId) ??
      indexes.find((one) => write.records[one]?.id === readId(result));
    if (index === undefined) unplaced.push(result);
    else outcomes.settle(index, toOutcome(result));
  }
  for (const fault of faults) {
    const named = indexes.filter(
      (index) => fault.ids.includes(write.records[index]?.id ?? "") || fault.traceIds.includes(String(index)),
    );
    outcomes.fail(outcomes.open(named), toRecordError(fault));
  }
  const open = outcomes.open(indexes);
  const [result] = unplaced;
  const [index] = open;
  if (result && index !== undefined && unplaced.length === 1 && open.length === 1)
    return outcomes.settle(index, toOutcome(result));
  // A record was written under another id than requested: it could be any of the open ones.
  if (result) return;
  const nameless = faults.filter((fault) => fault.ids.length === 0 && fault.traceIds.length === 0);
  const [fault] = nameless;
  if (fault && nameless.length === 1) outcomes.fail(open, toRecordError(fault));
}
