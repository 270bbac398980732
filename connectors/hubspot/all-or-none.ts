/** Creates a batch of HubSpot records of which all are written or none, and finds out which of them HubSpot refused. */
import type { Json, JsonObject } from "../../ground/json.ts";
import { send } from "../../connector-kit/calls/send-request.ts";
import type { RecordToWrite, RecordWrite } from "../../connector-kit/connector.ts";
import type { ProviderFetch } from "../../connector-kit/calls/provider-fetch.ts";
import { ProviderError } from "../../connector-kit/calls/provider-error.ts";
import type { Outcomes } from "../../connector-kit/calls/outcomes.ts";
import { classify } from "./classify.ts";
import { readFault, type HubspotFault, type PropertyFault } from "./fault.ts";
import { isAboutRecords, NAME_FAULTS } from "./partial.ts";
import { createBatch } from "./request.ts";

/**
 * Sends a batch without trace ids. The refusal of such a batch names no record, so a record is only blamed where the refusal can be about no
 * other one.
 */
export async function createAllOrNone(
  write: RecordWrite,
  indexes: number[],
  fetch: ProviderFetch,
  batch: {
    outcomes: Outcomes;
    settle: (indexes: number[], body: Json | undefined) => void;
    refused: (rawResponse: string | undefined) => void;
  },
): Promise<void> {
  const { outcomes } = batch;
  await outcomes.attempt(indexes, async () => {
    const answer = await send(createBatch(write, indexes), fetch, classify, write.account);
    if (!answer.error) return batch.settle(indexes, answer.body);
    const { error } = answer;
    batch.refused(error.rawResponse);
    const fault = readFault(answer.body);
    if (indexes.length === 1 || !isAboutRecords(fault)) return outcomes.fail(indexes, error);
    const { guilty, suspected } = findCulprits(write.records, indexes, fault);
    for (const [index, faults] of guilty) outcomes.fail([index], explainRollback(error, faults));
    for (const index of outcomes.open(indexes))
      outcomes.fail([index], buildRolledBack(error, !suspected.has(index)));
  });
}

/** What is wrong with a record: the property, and HubSpot's sentence. */
type Reason = Pick<PropertyFault, "name" | "code" | "message">;

interface Culprits {
  guilty: Map<number, Reason[]>;
  /** Records that may be the reason as well as others. */
  suspected: Set<number>;
}

function findCulprits(records: RecordToWrite[], indexes: number[], fault: HubspotFault): Culprits {
  const guilty = new Map<number, Reason[]>();
  const suspected = new Set<number>();
  const blame = (index: number, found: Reason): void => {
    guilty.set(index, [...(guilty.get(index) ?? []), found]);
  };
  const { message, missing, code = "" } = fault;
  for (const index of indexes) {
    const unset = missing.filter((name) => readValue(records[index], name) === undefined);
    // Of a company HubSpot requires one of several.
    if (unset.length < missing.length && unset.length > 0) suspected.add(index);
    else for (const name of unset) blame(index, { name, code, message });
  }
  const reported = Map.groupBy(fault.properties, ({ name, message: words }) => JSON.stringify([name, words]));
  for (const same of reported.values()) {
    const [first] = same;
    if (!first) continue;
    const candidates = listCandidates(first, records, indexes);
    // HubSpot lists a fault once for each record that has it.
    const isCertain = NAME_FAULTS.has(first.code) || candidates.length <= same.length;
    for (const index of candidates) if (isCertain) blame(index, first);
    for (const index of candidates) if (!isCertain) suspected.add(index);
  }
  // The refusal may be about anything.
  if (guilty.size + suspected.size === 0) for (const index of indexes) suspected.add(index);
  return { guilty, suspected };
}

/** Returns the records that set the property, and of these only the ones whose value the fault quotes. */
function listCandidates(
  { name, message }: PropertyFault,
  records: RecordToWrite[],
  indexes: number[],
): number[] {
  const setting = indexes.filter((index) => readValue(records[index], name) !== undefined);
  const quoting = setting.filter((index) => quotesValue(message, readValue(records[index], name)));
  return quoting.length > 0 ? quoting : setting;
}

/**
 * Whether a message is about this value, as in "Email address x is invalid" and "x was not a valid number". Elsewhere in it, such as among the
 * allowed options, there may be other values.
 */
function quotesValue(message: string, value: Json | undefined): boolean {
  if (value === undefined || value === null || typeof value === "object") return false;
  const subject = message.replace(/^Email address /i, "").replace(/^["']/, "");
  const rest = subject.startsWith(String(value)) ? subject.slice(String(value).length) : undefined;
  return rest !== undefined && /^["']? (is|was|at)\b/.test(rest);
}

/** Returns the value that a record sets; HubSpot accepts names of properties in any case. */
function readValue(record: RecordToWrite | undefined, name: string): Json | undefined {
  const fields: JsonObject = record?.fields ?? {};
  const key = Object.keys(fields).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : fields[key];
}

function explainRollback({ kind, status, rawResponse }: ProviderError, faults: Reason[]): ProviderError {
  return new ProviderError({
    kind,
    message: [...new Set(faults.map(({ message }) => message))].join("; "),
    code: faults[0]?.code,
    fields: [...new Set(faults.map(({ name }) => name))],
    status,
    rawResponse,
  });
}

function buildRolledBack(error: ProviderError, causedByAnother: boolean): ProviderError {
  const { kind, code, fields, message, status } = error;
  const why = causedByAnother
    ? "another record failed"
    : "HubSpot refused the batch without saying which record is wrong";
  return new ProviderError({
    kind,
    code,
    fields,
    status,
    causedByAnother,
    message: `not written, because allOrNone is set and ${why}: ${message}`,
  });
}
