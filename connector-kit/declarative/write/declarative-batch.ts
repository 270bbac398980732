/** Writes several records with one request, where a description tells how the provider does it. */
import type { Connector, RecordOutcome, RecordToWrite, RecordWrite, WriteResult } from "../../connector.ts";
import { Outcomes } from "../../calls/outcomes.ts";
import type { ProviderFetch, ProviderRequest } from "../../calls/provider-fetch.ts";
import { ProviderError, type ProviderErrorKind } from "../../calls/provider-error.ts";
import { send, type ProviderAnswer } from "../../calls/send-request.ts";
import { splitBatch } from "../../calls/split-batch.ts";
import { upsertRecordKey } from "../../calls/upsert-key.ts";
import type { SingleOutcome } from "../../calls/write-singly.ts";
import type { Description } from "../rules/description.ts";
import { readKey, listKeyPlaces, type ObjectPlan } from "../object-plan.ts";
import { findDoubtOfSuccess } from "./accepted-answer.ts";
import { readAnswers, packRequests, type PackedAnswers } from "./packed-requests.ts";
import { listRequest, readOutcomes, type RecordList } from "../record-list.ts";

type Classify = NonNullable<Connector["classify"]>;

export interface Batching {
  description: Description;
  plan: ObjectPlan;
  write: RecordWrite;
  classify: Classify;
  findFault(record: RecordToWrite): ProviderError | undefined;
  /** The request of a single record. */
  buildRequest(record: RecordToWrite): ProviderRequest;
  /** Writes a single record with its own request. */
  writeOne(record: RecordToWrite, fetch: ProviderFetch): Promise<SingleOutcome>;
}

/** Returns whether the provider takes several records of this write with one request. */
export const hasBatch = (
  { batch }: ObjectPlan,
  { type, batch: isBatch }: Pick<RecordWrite, "type" | "batch">,
): boolean =>
  isBatch &&
  type !== "delete" &&
  batch !== undefined &&
  (batch[type] !== undefined || batch.requests !== undefined);

/** Returns the requests in their order. Throws the first fault of a record. */
export function listBatchRequests(batching: Batching): ProviderRequest[] {
  for (const record of batching.write.records) {
    const fault = batching.findFault(record);
    if (fault) throw fault;
  }
  return planWaves(batching).map((wave) => requestFor(batching, wave));
}

export async function writeInBatches(batching: Batching, fetch: ProviderFetch): Promise<WriteResult> {
  const { records } = batching.write;
  const result: Collected = { outcomes: new Outcomes(records.length), warnings: [], rawResponse: undefined };
  for (const [index, record] of records.entries()) {
    const fault = batching.findFault(record);
    if (fault) result.outcomes.fail([index], fault);
  }
  const waves = planWaves(batching);
  if (batching.write.allOrNone && !(isTogether(batching) && waves.length <= 1))
    result.warnings.push("the provider does not write these records all or none; allOrNone has no effect");
  for (const wave of waves) await sendWave(batching, wave, fetch, result);
  const { outcomes, warnings, rawResponse } = result;
  return { outcomes: outcomes.finish(), warnings, ...(rawResponse !== undefined && { rawResponse }) };
}

interface Collected {
  outcomes: Outcomes;
  warnings: string[];
  rawResponse: string | undefined;
}

/** Returns the positions of the records of each request; a record that comes twice goes into a later one. */
function planWaves({ plan, write, findFault }: Batching): number[][] {
  const most = listRules(plan, write)?.most ?? plan.batch?.requests?.most ?? 1;
  const valid = [...write.records.entries()].filter(([, record]) => findFault(record) === undefined);
  const keys = valid.map(([, record]) =>
    write.type === "upsert" ? upsertRecordKey(write, record) : record.id,
  );
  return splitBatch(keys, most).map((wave) => wave.flatMap((position) => valid[position]?.[0] ?? []));
}

const listRules = ({ batch }: ObjectPlan, { type }: RecordWrite) =>
  type === "delete" ? undefined : batch?.[type];

const isTogether = ({ plan, write }: Batching): boolean => listRules(plan, write)?.together ?? false;

function findRecordList({ description, plan, write }: Batching): RecordList | undefined {
  const rules = listRules(plan, write);
  const beside = write.type === "upsert" && plan.upsert ? listKeyPlaces(plan.upsert, write) : [];
  const { upsert } = plan;
  const key = write.type === "upsert" &&
    upsert && {
      name: readKey(upsert, write),
      leaves: upsert.keyValueTo !== undefined,
      isId: upsert.keyIsId ?? false,
    };
  return (
    rules && { rules, plan, description, repeatable: write.type !== "create", beside, ...(key && { key }) }
  );
}

function requestFor(batching: Batching, wave: number[]): ProviderRequest {
  const records = wave.flatMap((index) => batching.write.records[index] ?? []);
  const list = findRecordList(batching);
  if (list) return listRequest(list, records);
  const { requests } = batching.plan.batch ?? {};
  if (requests) return packRequests(requests, records.map(batching.buildRequest));
  throw new ProviderError({ kind: "invalid", message: `${batching.plan.name} has no batches` });
}

async function sendWave(
  batching: Batching,
  wave: number[],
  fetch: ProviderFetch,
  result: Collected,
): Promise<void> {
  let alone: number[] = [];
  await result.outcomes.attempt(wave, async () => {
    const answer = await send(requestFor(batching, wave), fetch, batching.classify, batching.write.account);
    const { body, error, response } = answer;
    if (error) result.rawResponse = error.rawResponse;
    const list = findRecordList(batching);
    // Results tell the statuses of their records.
    const hasResults =
      list === undefined || list.rules.answers !== undefined || list.rules.refused !== undefined;
    const doubt = error
      ? undefined
      : findDoubtOfSuccess(response, batching.write.type, list?.rules, hasResults);
    if (doubt) {
      result.outcomes.fail(wave, doubt);
      return;
    }
    const { requests } = batching.plan.batch ?? {};
    if (list) alone = settleList(batching, list, wave, { answer, result });
    else if (error) result.outcomes.fail(wave, error);
    else if (requests) await settleAnswers(batching, wave, readAnswers(requests, body), result);
  });
  for (const index of alone) await writeAlone(batching, index, fetch, result);
}

const recordAt = ({ records }: RecordWrite, index: number): RecordToWrite => records[index] ?? { fields: {} };

function settle({ outcomes }: Collected, wave: number[], settled: (RecordOutcome | undefined)[]): void {
  for (const [position, index] of wave.entries()) {
    const outcome = settled[position];
    if (outcome) outcomes.settle(index, outcome);
  }
}

/** Returns the positions of records to write one by one, because one of them refused all. */
function settleList(
  { write }: Batching,
  list: RecordList,
  wave: number[],
  { answer: { body, error }, result }: { answer: ProviderAnswer; result: Collected },
): number[] {
  const { okWhen, together, answers, refused } = list.rules;
  const records = wave.map((index) => write.records[index] ?? { fields: {} });
  // A refusal may have results, too, but only where they tell which records were written.
  const outcomes = error && okWhen === undefined ? undefined : readOutcomes(list, records, body);
  if (outcomes) settle(result, wave, outcomes);
  else if (error && together && !write.allOrNone && wave.length > 1) return wave;
  else if (error) result.outcomes.fail(wave, error);
  else if (answers === undefined && !refused)
    settle(
      result,
      wave,
      records.map(({ id }) => ({ success: true, ...(id !== undefined && { recordId: id }) })),
    );
  return [];
}

/** Judges each answer as that of a single record. Throws if all of them failed for a reason that the next will meet, too. */
async function settleAnswers(
  { write, writeOne }: Batching,
  wave: number[],
  { answered, unserved }: PackedAnswers,
  result: Collected,
): Promise<void> {
  const settled: RecordOutcome[] = [];
  for (const [position, index] of wave.entries()) {
    const answer = answered.get(position);
    if (unserved.has(position)) settled[position] = { success: false, error: buildNotCarriedOut() };
    else if (answer) {
      const single = await writeOne(recordAt(write, index), () => Promise.resolve(answer)).catch(toFailure);
      settled[position] = collectWarning(single, result);
    }
  }
  const whole = findWholeFailure(wave, settled);
  if (whole) throw whole;
  settle(result, wave, settled);
}

/** Kinds of failures after which nothing was written, and the next request fails as well. */
const WHOLE = new Set<ProviderErrorKind>(["unauthorized", "locked_out", "rate_limited", "unavailable"]);

function findWholeFailure(wave: number[], settled: RecordOutcome[]): ProviderError | undefined {
  const errors = wave.map((_, position) => {
    const outcome = settled[position];
    return outcome?.success === false && WHOLE.has(outcome.error.kind) ? outcome.error : undefined;
  });
  const [first] = errors;
  return errors.every((error) => error !== undefined && error.kind === first?.kind) ? first : undefined;
}

const buildNotCarriedOut = (): ProviderError =>
  new ProviderError({
    kind: "unavailable",
    message: "the provider did not carry out this part of the batch",
  });

function collectWarning({ outcome, warning }: SingleOutcome, result: Collected): RecordOutcome {
  if (warning !== undefined) result.warnings.push(warning);
  if (!outcome.success) result.rawResponse = outcome.error.rawResponse ?? result.rawResponse;
  return outcome;
}

function toFailure(error: unknown): SingleOutcome {
  if (error instanceof ProviderError) return { outcome: { success: false, error } };
  throw error;
}

async function writeAlone(
  { write, writeOne }: Batching,
  index: number,
  fetch: ProviderFetch,
  result: Collected,
): Promise<void> {
  await result.outcomes.attempt([index], async () => {
    const single = await writeOne(recordAt(write, index), fetch);
    result.outcomes.settle(index, collectWarning(single, result));
  });
}
