/** Creates and updates Salesforce records in collections, each record at most once per request. */
import { shorten } from "../../ground/storable-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import type { RecordOutcome, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { isRetryable, ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { Outcomes } from "../../connector-kit/calls/outcomes.ts";
import { splitBatch } from "../../connector-kit/calls/split-batch.ts";
import { upsertRecordKey } from "../../connector-kit/calls/upsert-key.ts";
import { classify } from "./classify.ts";
import { readRecordFaults, toError } from "./fault.ts";
import { toLongId } from "./id.ts";
import { recordFault } from "./record-fault.ts";
import { BATCH_LIMIT, writeMany } from "./request.ts";
import { withoutId } from "./single.ts";

export async function writeInBatches(write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult> {
  const outcomes = new Outcomes(write.records.length);
  const result: WriteResult = { outcomes: [], warnings: [] };
  const written = { outcomes, result, crowdedAlone: 0 };
  for (const [index, record] of write.records.entries()) {
    const fault = recordFault(write, record);
    if (fault) outcomes.fail([index], fault);
  }
  const planned = planBatchWaves(write);
  const obstacle = findAllOrNoneObstacle(write, planned);
  if (obstacle) outcomes.fail(outcomes.open([...write.records.keys()]), obstacle);
  else for (const wave of planned) await writeWave(write, wave, fetch, written);
  return { ...result, outcomes: outcomes.finish() };
}

/** Returns the positions of the records of each request, without those whose id or key is malformed. */
export function planBatchWaves(write: RecordWrite): number[][] {
  const positions = [...write.records.keys()];
  const valid = positions.filter((index) => {
    const record = write.records[index];
    return record && !recordFault(write, record);
  });
  const keys = valid.map((index) => {
    const record = write.records[index];
    if (write.type === "upsert" && record) return upsertRecordKey(write, record);
    return write.type === "create" || record?.id === undefined ? undefined : toLongId(record.id);
  });
  return splitBatch(keys, BATCH_LIMIT).map((wave) => wave.flatMap((position) => valid[position] ?? []));
}

/** Returns why `allOrNone` cannot be kept: it holds within one request only. */
function findAllOrNoneObstacle(write: RecordWrite, planned: number[][]): ProviderError | undefined {
  if (!write.allOrNone) return undefined;
  const invalid = (message: string) => new ProviderError({ kind: "invalid", message });
  if (planned.flat().length < write.records.length) {
    return invalid("not written, because allOrNone is set and another record has an invalid id or key");
  }
  if (planned.length > 1) {
    return invalid(
      "allOrNone needs all records in one request, but one id or key is repeated or there are too many records",
    );
  }
  return undefined;
}

interface Written {
  outcomes: Outcomes;
  result: WriteResult;
  /** Records that exceeded the limits of the account's triggers although they were written alone. */
  crowdedAlone: number;
}

/** Two records that fail alone prove that smaller requests do not help. */
const CROWDED_ALONE = 2;

async function writeWave(
  write: RecordWrite,
  indexes: number[],
  fetch: ProviderFetch,
  written: Written,
): Promise<void> {
  const { outcomes, result } = written;
  await outcomes.attempt(indexes, async () => {
    const answer = await send(writeMany(write, indexes), fetch, classify);
    // Results of records come with status 400 as well as 200, so the body decides.
    const results = saveResults(answer.body);
    if (results?.length === indexes.length) {
      const reported = results.map((saved, position) =>
        toOutcome(saved, write.records[indexes[position] ?? -1]?.id),
      );
      const settled = write.allOrNone ? blameCulprit(reported) : reported;
      const mayDivide = !write.allOrNone && indexes.length > 1 && written.crowdedAlone < CROWDED_ALONE;
      const crowded: number[] = [];
      for (const [position, index] of indexes.entries()) {
        const outcome = settled[position];
        if (outcome && isCrowded(outcome) && indexes.length === 1) written.crowdedAlone += 1;
        if (outcome && isCrowded(outcome) && mayDivide) crowded.push(index);
        else if (outcome) outcomes.settle(index, outcome);
      }
      if (results.some(({ success }) => success !== true))
        result.rawResponse = shorten(JSON.stringify(answer.body));
      return crowded.length < indexes.length
        ? writeWave(write, crowded, fetch, written)
        : writeHalves(write, crowded, fetch, written);
    }
    if (!answer.error) return;
    result.rawResponse = answer.error.rawResponse;
    if (indexes.length === 1 || write.allOrNone || !isAboutOneRecord(answer.error)) {
      return outcomes.fail(indexes, answer.error);
    }
    return writeHalves(write, indexes, fetch, written);
  });
}

async function writeHalves(
  write: RecordWrite,
  indexes: number[],
  fetch: ProviderFetch,
  written: Written,
): Promise<void> {
  const half = Math.ceil(indexes.length / 2);
  await writeWave(write, indexes.slice(0, half), fetch, written);
  await writeWave(write, indexes.slice(half), fetch, written);
}

/**
 * Whether the record was rolled back because the account's own triggers exceeded a limit of Salesforce (queries, time), which holds for all
 * records of a request together.
 */
const isCrowded = (outcome: RecordOutcome): boolean =>
  !outcome.success &&
  /\bSystem\.LimitException\b|\bApex CPU time limit exceeded\b/.test(outcome.error.message);

/** Returns one result per record, or undefined if the body is a refusal of the request. */
function saveResults(body: Json | undefined): JsonObject[] | undefined {
  if (!Array.isArray(body)) return undefined;
  const results = body.filter(isJsonObject).filter(({ success }) => typeof success === "boolean");
  return results.length === body.length ? results : undefined;
}

function toOutcome(result: JsonObject, updatedId: string | undefined): RecordOutcome {
  const { created } = result;
  const recordId = typeof result.id === "string" ? result.id : updatedId;
  if (result.success === true)
    return recordId === undefined
      ? { success: false, error: withoutId() }
      : { success: true, recordId, ...(typeof created === "boolean" && { created }) };
  return { success: false, error: toError(readRecordFaults(result), { otherwise: "invalid" }) };
}

const ROLLED_BACK = "ALL_OR_NONE_OPERATION_ROLLED_BACK";

/**
 * Gives rolled-back records the kind of the error that caused the rollback: a retry helps after a locked row, not after
 * a bad value.
 */
function blameCulprit(reported: RecordOutcome[]): RecordOutcome[] {
  const faults = reported.flatMap((outcome) => (outcome.success ? [] : [outcome.error]));
  const culprits = faults.filter(({ code }) => code !== ROLLED_BACK);
  const culprit = culprits.find(({ kind }) => !isRetryable(kind)) ?? culprits[0];
  if (!culprit) return reported;
  const { kind, retryAt } = culprit;
  return reported.map((outcome): RecordOutcome => {
    if (outcome.success || outcome.error.code !== ROLLED_BACK) return outcome;
    const { message, code, cause } = outcome.error;
    const options = { kind, retryAt, message, code, cause, causedByAnother: true };
    return { success: false, error: new ProviderError(options) };
  });
}

/**
 * Whether one record may be the cause: a value that cannot be parsed fails the whole request before anything is
 * written. The others are sent again without it, found by halving.
 */
const isAboutOneRecord = (error: ProviderError): boolean =>
  error.kind === "invalid" && error.code !== undefined && error.code !== "INVALID_TYPE";
