/** Performs one attempt at a queued write: sends the records without an outcome, then ends or reschedules the write. */
import type { RecordOutcome } from "../../../connector-kit/connector.ts";
import { ProviderError, type ProviderErrorKind } from "../../../connector-kit/calls/provider-error.ts";
import { ClosedGateError } from "../../calls/gates/closed-gate-error.ts";
import { nowMs } from "../../../ground/clock.ts";
import type { RunResult } from "../../jobs/fair-slots.ts";
import type { InstallationCache } from "../../operations/installation-cache.ts";
import type { OperationLedger } from "../../operations/operation-ledger.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import type { InstallationFieldsRow } from "../../store/deliveries/events.ts";
import { explainFailedAttempt } from "../../store/operations/failed-attempt.ts";
import type { LogEntry } from "../../store/operations/operations.ts";
import { releaseWrites, rescheduleWrite, type ClaimedWrite } from "../../store/operations/write-queue.ts";
import { executePlan, type Execution, type ExecuteServices } from "../execute-plan.ts";
import { judgeWrite, describePlan, buildSuccessEntries } from "../operation-log.ts";
import {
  listOutcomes,
  buildPendingPlan,
  readOutcome,
  readQueuedWrite,
  storeOutcome,
  summarizeQueued,
  toJson,
  type QueuedWrite,
  type StoredRecord,
} from "./queued-write.ts";
import { findDeadlineError, mayRepeat, planNextAttempt, type NextAttempt } from "./retry.ts";
import { writeDone } from "../write-done.ts";

export interface AttemptWriteServices extends ExecuteServices {
  ledger: OperationLedger;
  installations: InstallationCache;
  workerId: () => number;
  retryBaseMs: number;
}

/**
 * Attempts a write once; it is ended, rescheduled or released when this returns. Never throws for what a provider or a customer does.
 * Calls `onAnswer` as soon as the provider has answered, before the outcome is committed: the next call need not wait.
 */
export async function attemptWrite(
  deps: AttemptWriteServices,
  write: ClaimedWrite,
  onAnswer: (result: RunResult) => void,
): Promise<void> {
  const fields = await deps.installations.findFields(write.installationId);
  const attempt: Attempt = {
    write,
    fields,
    ...readQueuedWrite(write),
    log: [],
    repeatableUntil: write.repeatableUntil ?? undefined,
  };
  const giveUp = (error: ProviderError): Promise<void> => {
    onAnswer("given-up");
    return endUnsent(deps, attempt, write.repeatableUntil ? toUnknownOutcome(error.message) : error);
  };
  if (!fields) return giveUp(buildDeletedError());
  if (isTooLateToRepeat(attempt))
    return giveUp(toUnknownOutcome("The provider may not know its key any more."));
  const late = findDeadlineError(write, write.closedUntil ?? undefined, nowMs());
  if (late) return giveUp(late);
  const { connectionId } = fields;
  const { outcomes, failure } = await send(deps, attempt, connectionId);
  if (failure instanceof ClosedGateError) {
    // Closed after the claim. The gate in the database keeps the write from being claimed again too early.
    const tooLate = findDeadlineError(write, failure.retryAt, nowMs());
    if (tooLate) return giveUp(tooLate);
    onAnswer("not-sent");
    return releaseWrites(deps.database.data, deps.workerId(), [write.operationId]);
  }
  onAnswer(deps.gates.closedUntil(connectionId) ? "rate-limited" : "sent");
  return settle(deps, attempt, outcomes);
}

/** A claimed write, parsed, and the log of this attempt. */
interface Attempt extends QueuedWrite {
  write: ClaimedWrite;
  /** Undefined when the installation was deleted. */
  fields: InstallationFieldsRow | undefined;
  log: LogEntry[];
  /** How long the provider remembers the keys of creates that it may have carried out already. */
  repeatableUntil: Date | undefined;
}

const isTooLateToRepeat = ({ repeatableUntil, sendOptions }: Attempt): boolean =>
  repeatableUntil !== undefined &&
  sendOptions.onUnknownOutcome !== "retry" &&
  repeatableUntil.getTime() <= nowMs();

const toUnknownOutcome = (why: string): ProviderError =>
  new ProviderError({
    kind: "unknown_outcome",
    message: `An earlier attempt may have written the record, and cannot be repeated. ${why}`,
  });

const buildDeletedError = (): ProviderError =>
  new ProviderError({
    kind: "forbidden",
    message: "The installation was deleted before the write was carried out.",
  });

/** Sends the records without an outcome, and returns one for each of them. */
function send(deps: AttemptWriteServices, attempt: Attempt, connectionId: string): Promise<Execution> {
  const { write, sendOptions, records, log } = attempt;
  const { projectId, operationId, writeType } = write;
  const plan = buildPendingPlan(write, sendOptions, records);
  if (write.attempts === 0) log.push(describePlan(plan));
  const saveCall = async (repeatableMs: number | undefined): Promise<void> => {
    if (repeatableMs !== undefined) attempt.repeatableUntil ??= new Date(nowMs() + repeatableMs);
    await deps.ledger.called(operationId, repeatableMs);
  };
  const beforeSend = writeType === "create" ? saveCall : undefined;
  const options = { projectId, connectionId, operationId, log, readBack: false, beforeSend };
  return executePlan(deps, options, plan);
}

/** Ends the write, or puts it back where another attempt may help. */
async function settle(
  deps: AttemptWriteServices,
  { records, ...attempt }: Attempt,
  answered: RecordOutcome[],
): Promise<void> {
  const { write, sendOptions, repeatableUntil } = attempt;
  const outcomes = write.repeatableUntil ? answered.map(asRepeated) : answered;
  const attempts = write.attempts + 1;
  const terms = {
    deadline: write.deadline,
    attempts,
    baseMs: deps.retryBaseMs,
    repeatUnknownUntil: sendOptions.onUnknownOutcome === "retry" ? write.deadline : repeatableUntil,
    allOrNone: sendOptions.allOrNone,
    isRepeatable: isRepeatable(write),
  };
  const again = planNextAttempt(outcomes, terms, nowMs());
  const next = outcomes.values();
  const updated = records.map((record) =>
    record.outcome
      ? record
      : { ...record, outcome: storeOutcome(next.next().value ?? buildLeftOutOutcome()) },
  );
  if (again) await putBack(deps, { ...attempt, records: updated }, { ...again, attempts });
  else await end(deps, { ...attempt, records: updated }, attempts);
}

/** Kinds that a provider answers only after it has checked the key: the first request was not carried out either. */
const AFTER_KEY = new Set<ProviderErrorKind>(["invalid", "not_found", "unreadable"]);

/**
 * Other refusals of a repeated create say nothing about the first request. A conflict may mean that the provider still works
 * on it.
 */
function asRepeated(outcome: RecordOutcome): RecordOutcome {
  if (outcome.success || AFTER_KEY.has(outcome.error.kind)) return outcome;
  const { message, code, status, retryAt } = outcome.error;
  const kind = "unknown_outcome";
  return { success: false, error: new ProviderError({ kind, message, code, status, retryAt }) };
}

const buildLeftOutOutcome = (): RecordOutcome => ({
  success: false,
  error: new ProviderError({ kind: "unreadable", message: "The provider's answer left this record out." }),
});

/** Ends a write that is not sent any more; records with an outcome keep it. */
function endUnsent(
  deps: AttemptWriteServices,
  { records, ...attempt }: Attempt,
  error: ProviderError,
): Promise<void> {
  const outcome = storeOutcome({ success: false, error });
  attempt.log.push({ severity: "ERROR", msg: "Given up", error: error.message });
  const ended = records.map((record) => ({ outcome, ...record }));
  return end(deps, { ...attempt, records: ended }, attempt.write.attempts);
}

const isRepeatable = ({ writeType }: Attempt["write"]): boolean => writeType !== "create";

async function putBack(
  deps: AttemptWriteServices,
  { write, records, log }: Attempt,
  next: NextAttempt & { attempts: number },
): Promise<void> {
  let isUnknown = false;
  const terms = { attempts: next.attempts, isRepeatable: isRepeatable(write) };
  // Outcomes that may be repeated are dropped; settled ones stay.
  const kept = records.map((record): StoredRecord => {
    const { outcome, ...rest } = record;
    const read = outcome && readOutcome(outcome);
    if (!read || read.success || !mayRepeat(read.error, next.repeatsUnknown, terms)) return record;
    if (read.error.kind !== "unknown_outcome") return { ...rest, refusals: (rest.refusals ?? 0) + 1 };
    isUnknown = true;
    return rest;
  });
  const entry: LogEntry = {
    severity: "WARNING",
    msg: explainFailedAttempt(next.attempts, next.at),
  };
  const back = {
    operationId: write.operationId,
    workerId: deps.workerId(),
    records: kept.map(toJson),
    dueTime: next.at,
    attempts: next.attempts,
    isUnknown,
    log: [...log, entry],
  };
  // Only this process knows the outcomes.
  await retryWhileDatabaseIsDown(() => rescheduleWrite(deps.database.data, back));
}

async function end(
  deps: AttemptWriteServices,
  { write, sendOptions, records, fields, log }: Attempt,
  attempts: number,
): Promise<void> {
  const outcomes = listOutcomes(records, buildLeftOutOutcome);
  const summary = summarizeQueued(write, { records, sendOptions }, outcomes);
  const retry = { attempts, lastAttempt: new Date(nowMs()).toISOString() };
  await deps.ledger.endLater({
    id: write.operationId,
    ...summary,
    judged: judgeWrite(write, outcomes),
    metadata: write.attempts > 0 ? { ...summary.metadata, retry } : summary.metadata,
    log: sendOptions.grouped ? [...log, ...buildSuccessEntries(outcomes)] : log,
    event: writeDone(fields, write, outcomes),
  });
}
