/** Describes a write in its operation: log entries, result text, metadata, and what it tells of the provider. */
import type { RecordOutcome } from "../../connector-kit/connector.ts";
import { leavesDoubt, type ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { endSentence, formatCount } from "../../ground/sentences.ts";
import type { JsonObject } from "../../ground/json.ts";
import type { WriteKind, WriteVerdict } from "../store/operations/failing-writes.ts";
import type { LogEntry } from "../store/operations/operations.ts";
import type { PlannedRecord, WritePlan } from "./plan-write.ts";

/** Names a record in the log: by its place in a batch. */
const nameRecord = (batch: boolean, index: number): string => (batch ? `batch[${index}]` : "record");

/** Returns the plan: number of records, and the withheld fields. */
export function describePlan(plan: WritePlan): LogEntry {
  const withheld = listWithheld(plan.records, plan.batch);
  return {
    severity: "INFO",
    msg: `${plan.type} ${formatCount(plan.records.length, `${plan.messageName} record`)}; ${formatCount(withheld.length, "field")} withheld`,
    details: Object.fromEntries(withheld),
  };
}

/** Lists withheld fields by their place, each with the reason. */
const listWithheld = (records: Pick<PlannedRecord, "withheld">[], batch: boolean): [string, string][] =>
  records.flatMap(({ withheld }, index) =>
    withheld.map(({ field, reason }): [string, string] => [`${nameRecord(batch, index)}.${field}`, reason]),
  );

/** Returns fields that `ifEmpty` withheld after the current values were read. */
export function buildSettledEntries(
  before: PlannedRecord[],
  after: PlannedRecord[],
  batch: boolean,
): LogEntry[] {
  const added = after.map(({ withheld }, index) => ({
    withheld: withheld.slice(before[index]?.withheld.length ?? 0),
  }));
  const withheld = listWithheld(added, batch);
  if (withheld.length === 0) return [];
  return [
    {
      severity: "INFO",
      msg: `${formatCount(withheld.length, "field")} withheld`,
      details: Object.fromEntries(withheld),
    },
  ];
}

/** Builds one entry per record that failed, and per warning. */
export function buildOutcomeEntries(
  outcomes: RecordOutcome[],
  warnings: string[],
  batch: boolean,
): LogEntry[] {
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.success ? [] : [buildFailureEntry(nameRecord(batch, index), outcome.error)],
  );
  return [...warnings.map((msg): LogEntry => ({ severity: "WARNING", msg })), ...failures];
}

export const buildFailureEntry = (what: string, { kind, message, code }: ProviderError): LogEntry => ({
  severity: "ERROR",
  msg: `${what} failed`,
  error: message,
  details: { kind, ...(code && { code }) },
});

/** One entry per record that was written, for the operation of a group. */
export const buildSuccessEntries = (outcomes: RecordOutcome[]): LogEntry[] =>
  outcomes.flatMap((outcome, index): LogEntry[] =>
    outcome.success
      ? [{ severity: "INFO", msg: `batch[${index}] written`, details: { recordId: outcome.recordId ?? "" } }]
      : [],
  );

/** Describes an unknown outcome with its remedy, because the text may be all that is read. */
export const explainUnknownOutcome = (why: string): string =>
  `The outcome is unknown: ${endSentence(why)} Look the record up at the provider before you repeat it.`;

/** Describes why a record was not written, or why that is unknown. */
export const describeReason = ({ kind, message }: ProviderError): string =>
  kind === "unknown_outcome" ? explainUnknownOutcome(message) : message;

const PAST = { create: "Created", update: "Updated", delete: "Deleted", upsert: "Upserted" } as const;

export interface OperationSummary {
  status: "success" | "failure";
  result: string;
  metadata: JsonObject;
}

/** Returns how an operation ended. A batch of which one record was written has succeeded. */
export function summarize(
  write: { type: keyof typeof PAST; messageName: string; batch: boolean; records: { id?: string }[] },
  outcomes: RecordOutcome[],
): OperationSummary {
  const ids = outcomes.flatMap((outcome) => (outcome.success && outcome.recordId ? [outcome.recordId] : []));
  const failedIds = outcomes.flatMap(({ success }, index) =>
    success ? [] : (write.records[index]?.id ?? []),
  );
  const errors = outcomes.flatMap((outcome) => (outcome.success ? [] : [describeReason(outcome.error)]));
  const succeeded = outcomes.length - errors.length;
  return {
    status: succeeded > 0 ? "success" : "failure",
    result: `[${write.messageName}] ${describeResult(write, succeeded, errors)}`,
    metadata: {
      objects: [write.messageName],
      successfulRecordIds: ids,
      ...(failedIds.length > 0 && { failedRecordIds: failedIds }),
    },
  };
}

function describeResult(
  write: { type: keyof typeof PAST; batch: boolean },
  succeeded: number,
  errors: string[],
): string {
  const [first] = errors;
  if (!write.batch) return first ? `Error writing to provider: ${first}` : `${PAST[write.type]} 1 record`;
  const counts = `Batch write completed (${succeeded} succeeded, ${errors.length} failed)`;
  return first && succeeded === 0 ? `${counts}: ${first}` : counts;
}

/** Returns undefined if the outcomes say nothing of the provider: they concern the records, the credentials or a rate limit. */
export function judgeWrite(
  { installationId, objectName, writeType }: WriteKind,
  outcomes: readonly RecordOutcome[],
): Omit<WriteVerdict, "operationId" | "time"> | undefined {
  const kind = { installationId, objectName, writeType };
  if (outcomes.some(({ success }) => success)) return { ...kind, works: true };
  const isFault = outcomes.some((outcome) => !outcome.success && leavesDoubt(outcome.error.kind));
  return isFault ? { ...kind, works: false } : undefined;
}
