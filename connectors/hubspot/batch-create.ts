/** Creates HubSpot records in batches and matches results to inputs. */
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type Json, type JsonObject } from "../../ground/json.ts";
import type { RecordToWrite, RecordWrite, WriteResult } from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { Outcomes } from "../../connector-kit/calls/outcomes.ts";
import { splitBatch } from "../../connector-kit/calls/split-batch.ts";
import { createAllOrNone } from "./all-or-none.ts";
import { readFault, toRecordError, type HubspotFault } from "./fault.ts";
import { writePartially } from "./partial.ts";
import { toOutcome } from "./record.ts";
import { BATCH_LIMIT, createBatch } from "./request.ts";

export async function createInBatches(write: RecordWrite, fetch: ProviderFetch): Promise<WriteResult> {
  const outcomes = new Outcomes(write.records.length);
  let rawResponse: string | undefined;
  const refused = (raw: string | undefined) => (rawResponse = raw);
  const settle = (indexes: number[], body: Json | undefined) => settleCreated(write, indexes, body, outcomes);
  const request = (indexes: number[]) => createBatch(write, indexes);

  for (const wave of createWaves(write)) {
    if (write.allOrNone) await createAllOrNone(write, wave, fetch, { outcomes, settle, refused });
    else await writePartially({ write, fetch, outcomes, request, settle, refused }, wave);
  }
  return { outcomes: outcomes.finish(), warnings: [], rawResponse };
}

/** Returns the positions of the records of each request. */
export const createWaves = (write: RecordWrite): number[][] =>
  splitBatch(
    write.records.map(() => undefined),
    BATCH_LIMIT,
  );

/** Reads an answer of status 200, 201 or 207; `status: COMPLETE` in it does not mean success. */
export function settleCreated(
  { type, records }: Pick<RecordWrite, "type" | "records">,
  indexes: number[],
  body: Json | undefined,
  outcomes: Outcomes,
): void {
  const { results, faults } = readBatchAnswer(body);
  const toError = (fault: HubspotFault) =>
    type === "create" ? doubtUnlessRefused(fault) : toRecordError(fault);
  const unplaced: HubspotFault[] = [];
  for (const fault of faults) {
    const named = fault.traceIds.map(Number).filter((index) => indexes.includes(index));
    if (named.length > 0) outcomes.fail(named, toError(fault));
    else unplaced.push(fault);
  }

  const unmarked: JsonObject[] = [];
  for (const result of results) {
    const mark = result.objectWriteTraceId;
    const index = typeof mark === "string" && mark !== "" ? Number(mark) : undefined;
    if (index !== undefined && indexes.includes(index)) outcomes.settle(index, toOutcome(result));
    else unmarked.push(result);
  }
  const before = outcomes.open(indexes).length;
  placeByContent(records, outcomes.open(indexes), unmarked, outcomes);
  const open = outcomes.open(indexes);
  // While a written record is not matched, a nameless fault could be about any open record.
  if (before - open.length === unmarked.length) placeFaults(open, unplaced.map(toError), outcomes);
}

/** Where HubSpot's servers failed at a record, it may be there. */
function doubtUnlessRefused(fault: HubspotFault): ProviderError {
  const error = toRecordError(fault);
  if (error.kind !== "unavailable") return error;
  const { code, message } = error;
  return new ProviderError({ kind: "unknown_outcome", code, message: `${message}; the record may be there` });
}

interface BatchAnswer {
  results: JsonObject[];
  faults: HubspotFault[];
}

/** Returns the parts of a batch answer, empty for other answers, so that no record counts as written. */
export function readBatchAnswer(body: Json | undefined): BatchAnswer {
  const { results, errors } = isJsonObject(body) ? body : {};
  return {
    results: Array.isArray(results) ? results.filter(isJsonObject) : [],
    faults: (Array.isArray(errors) ? errors : []).flatMap((entry) => readFault(entry) ?? []),
  };
}

/**
 * Matches results without a trace id, by all that was written: HubSpot promises no order (hubspot-api-nodejs issue 190). A result belongs to
 * the one input of which it shows what was written. Where several inputs come into question, their ids stay unknown, unless the inputs
 * are the same: then it makes no difference which of them got which record.
 */
function placeByContent(
  records: RecordToWrite[],
  indexes: number[],
  results: JsonObject[],
  outcomes: Outcomes,
): void {
  const inputs = indexes.flatMap((index) => records[index] ?? []);
  const fitting = results.map((result) => indexes.filter((index) => shows(result, records[index], inputs)));
  const taken = new Set<number>();
  for (const [position, result] of results.entries()) {
    const candidates = fitting[position] ?? [];
    const [first] = candidates;
    if (first === undefined) continue;
    const areSame = candidates.every((index) => isSame(records[first], records[index]));
    const rivals = fitting.filter((all) => all.some((index) => candidates.includes(index)));
    const index = candidates.find((one) => !taken.has(one));
    if (index === undefined || !areSame || rivals.length !== candidates.length) continue;
    taken.add(index);
    outcomes.settle(index, toOutcome(result));
  }
}

const isSame = (left: RecordToWrite | undefined, right: RecordToWrite | undefined): boolean =>
  isDeepStrictEqual([left?.fields, left?.associations], [right?.fields, right?.associations]);

/**
 * Tells whether a result may be what became of the input: it shows a written value, and none of another input in its place. A value that no
 * input has was changed by HubSpot, such as the domain of `https://www.acme.com`, and tells nothing.
 */
function shows(result: JsonObject, record: RecordToWrite | undefined, all: RecordToWrite[]): boolean {
  const evidence = Object.entries(record?.fields ?? {}).flatMap(([name, value]) => {
    const [wanted, shown] = [toComparable(value), readWrittenValue(result, name)];
    if (wanted === undefined || shown === undefined) return [];
    if (wanted === shown) return [true];
    return all.some(({ fields }) => toComparable(fields[name]) === shown) ? [false] : [];
  });
  return evidence.length > 0 && evidence.every(Boolean);
}

function readWrittenValue(result: JsonObject, name: string): string | undefined {
  return isJsonObject(result.properties) ? toComparable(result.properties[name]) : undefined;
}

const toComparable = (value: Json | undefined): string | undefined =>
  value === undefined || value === null || typeof value === "object"
    ? undefined
    : String(value).trim().toLowerCase() || undefined;

/** Assigns faults without a trace id if they can only be about the records that are still open. */
function placeFaults(open: number[], faults: ProviderError[], outcomes: Outcomes): void {
  const [fault] = faults;
  if (!fault || open.length === 0) return;
  if (faults.length === 1 || faults.length === open.length) {
    const all = [...new Set(faults.map(({ message }) => message))].join("; ");
    const { kind, code } = faults.find((one) => one.kind === "unknown_outcome") ?? fault;
    outcomes.fail(open, new ProviderError({ kind, code, message: all }));
  }
}
