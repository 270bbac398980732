/** Decides about a run that could not continue: another attempt, waiting, or the end. */
import { ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { ClosedGateError } from "../../calls/gates/closed-gate-error.ts";
import { readSchedulePaused, readTriggeredError } from "../../events/new-events.ts";
import { toEventRow } from "../../events/record-event.ts";
import { now, nowMs } from "../../../ground/clock.ts";
import { computeBackoffMs } from "../../jobs/backoff.ts";
import type { RunResult } from "../../jobs/fair-slots.ts";
import { findConnection } from "../../store/connections/connections.ts";
import type { RunEnd } from "../../store/reads/read-pages.ts";
import { findReadObject } from "../../store/reads/read-objects.ts";
import { putBackRun, type ClaimedRun, type PutBackRun } from "../../store/reads/read-runs.ts";
import { shorten } from "../../../ground/storable-text.ts";
import { isDatabaseAway, retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import type { SpentBudget } from "./call-budgets.ts";
import { readCounts, buildMetadata, nameObject, readWaitsFor } from "./read-counts.ts";
import { findRefusedField } from "../records/vanished-fields.ts";
import { toReadSpan } from "../definition/read-span.ts";
import type { ReadTarget, RunOwner } from "../definition/read-target.ts";
import type { RunReadServices } from "./read-services.ts";

type SettleServices = Pick<
  RunReadServices,
  "database" | "workerId" | "commit" | "retryBaseMs" | "minuteMs" | "readMeter"
>;

/** `definition` is absent if the object can no longer be read. */
type FailedOwner = RunOwner & Partial<Pick<ReadTarget, "definition" | "connector">>;

interface FailedPage {
  error: ProviderError;
  /** How many requests were sent for it. */
  calls: number;
}

interface Failure {
  error: Pick<Error, "message">;
  calls: number;
  isPermanent: boolean;
}

const HOUR_MINUTES = 60;
const LONG_HOURS = 24;
/** How often an unreadable page is requested, because a proxy on the way to the provider may have answered. */
const ATTEMPTS_AT_BROKEN_PAGE = 3;
/** An object is paused after this many scheduled runs in a row, over at least an hour, that failed for a permanent reason. */
const FAILURES_BEFORE_PAUSE = 5;

/** Returns the run to the queue or ends it. */
export async function settleFailure(
  deps: SettleServices,
  run: ClaimedRun,
  owner: FailedOwner,
  failed: FailedPage,
): Promise<RunResult> {
  const { error } = failed;
  const isFirst = run.attempts === 0 || endsLongLimit(deps, run, error);
  const attempts = isFirst ? 1 : run.attempts + 1;
  // A backfill is read only once, so it must not end for something that the customer can repair.
  if (error.kind === "unauthorized" && run.kind === "backfill") {
    await waitForCredentials(deps, run, failed, "Waiting until the customer connects again");
    return "sent";
  }
  if (!isTemporary(error, attempts)) {
    await fail(deps, run, owner, { ...failed, isPermanent: error.kind !== "unauthorized" });
    return "sent";
  }
  const delayMs = computeBackoffMs({ attempts, baseMs: deps.retryBaseMs });
  const dueMs = Math.max(nowMs() + delayMs, error.retryAt?.getTime() ?? 0);
  if (dueMs > computeDeadlineMs(deps, { ...run, isFirst }, error)) {
    if (run.kind === "backfill" && (await lacksToken(deps, run))) {
      await waitForCredentials(deps, run, failed, "Waiting until there is a new token");
      return "sent";
    }
    await fail(deps, run, owner, { ...failed, isPermanent: false });
    return "sent";
  }
  deps.readMeter?.waited("provider");
  const isGate = error instanceof ClosedGateError;
  const msg = `Waiting until ${new Date(dueMs).toISOString()}: ${error.message}`;
  await retryWhileDatabaseIsDown(() =>
    putBack(deps, run, new Date(dueMs), {
      // A closed gate is no attempt.
      attempts: isGate ? run.attempts : attempts,
      isFirst,
      providerCalls: failed.calls,
      waitsFor: error.kind === "rate_limited" ? "rate_limit" : "provider",
      log: [{ severity: isGate ? "INFO" : "WARNING", msg }],
    }),
  );
  return isGate ? "not-sent" : error.kind === "rate_limited" ? "rate-limited" : "sent";
}

/** Returns whether another attempt can succeed. Reads are safe to repeat, so this includes unknown outcomes and locked accounts. */
const isTemporary = ({ kind }: ProviderError, attempts: number): boolean =>
  ["rate_limited", "unavailable", "timeout", "locked_out", "unknown_outcome"].includes(kind) ||
  (kind === "unreadable" && attempts < ATTEMPTS_AT_BROKEN_PAGE);

/** Returns whether the provider is away after the end of a limit that was waited for: that wait is not one for a provider that is away. */
const endsLongLimit = ({ minuteMs }: SettleServices, run: ClaimedRun, { kind }: ProviderError): boolean =>
  kind !== "rate_limited" && readWaitsFor(run) === "rate_limit" && run.idleMs >= HOUR_MINUTES * minuteMs;

/**
 * Returns the time after which a run is given up: a backfill after a day, other reads after an hour or at the next tick. Where the provider
 * limits requests, it is a day for each of them: limits per day end at midnight. Counts from the first failure since the last page, so that
 * pauses and outages of the destination or of Busbar do not count.
 */
function computeDeadlineMs(
  { minuteMs }: SettleServices,
  { kind, isFirst, pageTime, nextTick }: ClaimedRun & { isFirst: boolean },
  error: ProviderError,
): number {
  const hourMs = HOUR_MINUTES * minuteMs;
  const sinceMs = isFirst ? nowMs() : pageTime.getTime();
  const hours = kind === "backfill" || error.kind === "rate_limited" ? LONG_HOURS : 1;
  return Math.max(sinceMs + hours * hourMs, kind === "scheduled" ? (nextTick?.getTime() ?? 0) : 0);
}

/** Reconnecting makes the run due at once; credentials that are accepted again by themselves are noticed after this time. */
const CREDENTIALS_MINUTES = 5;

/** Returns whether no new token can be obtained for now: a person can mend that, or the hours in which the user may sign in come. */
async function lacksToken(
  { database }: SettleServices,
  { projectId, connectionId }: ClaimedRun,
): Promise<boolean> {
  const connection = await retryWhileDatabaseIsDown(() =>
    findConnection(database.control, projectId, connectionId),
  );
  return (connection?.refreshFailure ?? null) !== null;
}

/** Suspends a backfill until there are credentials that the provider accepts. */
async function waitForCredentials(
  deps: SettleServices,
  run: ClaimedRun,
  { error, calls }: FailedPage,
  what: string,
): Promise<void> {
  deps.readMeter?.waited("credentials");
  const waitMs = CREDENTIALS_MINUTES * deps.minuteMs;
  const msg = `${what}: ${error.message}`;
  await retryWhileDatabaseIsDown(() =>
    putBack(deps, run, new Date(nowMs() + waitMs), {
      attempts: 0,
      providerCalls: calls,
      waitsFor: "credentials",
      log: readWaitsFor(run) === "credentials" ? [] : [{ severity: "WARNING", msg }],
    }),
  );
}

const WAIT_MS = { behind: 1_000, disabled: 30_000 };
const WAIT_REASON = {
  behind: "Waiting: the destination is behind",
  disabled: "Waiting: the destination is disabled or does not exist",
};

/** Suspends the run until its destination accepts messages again. */
export async function waitForDestination(
  deps: SettleServices,
  run: ClaimedRun,
  reason: keyof typeof WAIT_MS,
): Promise<void> {
  deps.readMeter?.waited("destination");
  await putBack(deps, run, new Date(nowMs() + Math.min(WAIT_MS[reason], deps.minuteMs)), {
    ...(reason === "disabled" && { attempts: 0 }),
    waitsFor: "destination",
    log: readWaitsFor(run) === "destination" ? [] : [{ severity: "INFO", msg: WAIT_REASON[reason] }],
  });
}

/** Suspends the run until the account may have free calls again. */
export async function waitForCalls(
  deps: SettleServices,
  run: ClaimedRun,
  { waitMs, message }: SpentBudget,
): Promise<void> {
  deps.readMeter?.waited("budget");
  await putBack(deps, run, new Date(nowMs() + waitMs), {
    attempts: 0,
    waitsFor: "calls",
    log: [{ severity: "INFO", msg: message }],
  });
}

/** Returns the run to the queue until `dueTime`. */
const putBack = (
  { database, workerId }: SettleServices,
  { operationId, idleMs }: ClaimedRun,
  dueTime: Date,
  run: Pick<PutBackRun, "attempts" | "isFirst" | "providerCalls" | "waitsFor" | "log">,
): Promise<void> =>
  putBackRun(database.data, {
    ...run,
    operationId,
    workerId: workerId(),
    dueTime,
    waitedMs: idleMs,
  });

/** A row that PostgreSQL refuses is refused again; other faults may be over after some minutes. */
const ATTEMPTS_AT_REFUSED_ROW = 3;
const ATTEMPTS_AT_FAULT = 8;
/** SQLSTATE classes of data that cannot be stored: 22 (data), 23 (constraints), 54 (limits). */
const REFUSED_ROW = /^(22|23|54)\w{3}$/;

/** Ends a run that fails again and again for a fault of ours, and tells it. Rejects with the fault while another attempt may help. */
export async function endAfterFaults(
  deps: SettleServices,
  run: ClaimedRun,
  owner: FailedOwner,
  { error, calls }: { error: unknown; calls: number },
): Promise<void> {
  const isRow = error instanceof Error && "code" in error && REFUSED_ROW.test(String(error.code));
  const max = isRow ? ATTEMPTS_AT_REFUSED_ROW : ATTEMPTS_AT_FAULT;
  if (isDatabaseAway(error) || run.attempts + 1 < max) throw error;
  const what = isRow ? "Busbar cannot store what was read" : "Busbar failed while it read";
  const message = `${what}, ${run.attempts + 1} times: ${shorten(String(error), LONGEST_FAULT)}`;
  await fail(deps, run, owner, { error: { message }, calls, isPermanent: true });
}

const LONGEST_FAULT = 300;

/** Ends the run. The cursor stays: the next read of the object covers its range again. */
async function fail(
  deps: SettleServices,
  run: ClaimedRun,
  { installed, fields, definition, connector }: FailedOwner,
  { error, calls, isPermanent }: Failure,
): Promise<void> {
  const messageName = definition?.messageName ?? nameObject(run);
  const isOfProvider = error instanceof ProviderError;
  const text = `[${messageName}] ${isOfProvider ? "Error reading from provider: " : ""}${error.message}`;
  const countsAsFailure = isPermanent && run.kind === "scheduled";
  const pauses = run.kind === "backfill" || (countsAsFailure && (await isLastFailure(deps, run)));
  const failure = describeFailure(error, messageName, { definition, connector });
  const end: RunEnd = { status: "failure", result: text, countsAsFailure, failure };
  if (pauses) end.pause = { error: text, time: now().toISOString() };
  if (pauses) {
    const { content } = installed.installation.config;
    end.event = toEventRow(readSchedulePaused(fields, content, text));
  } else if (run.kind === "triggered") {
    const span = toReadSpan(run, messageName, run.untilTime);
    end.event = toEventRow(readTriggeredError(fields, span, error.message));
  }
  const counts = readCounts(run);
  counts.providerCalls += calls;
  const isCommitted = await retryWhileDatabaseIsDown(() =>
    deps.commit({
      operationId: run.operationId,
      workerId: deps.workerId(),
      untilTime: run.untilTime,
      stage: run.stage,
      checkpoint: run.checkpoint,
      metadata: buildMetadata(run, { messageName, untilTime: run.untilTime }, counts),
      log: [{ severity: "ERROR", msg: "Given up", error: error.message }],
      messages: [],
      seen: [],
      fingerprints: [],
      forgotten: [],
      release: true,
      end,
    }),
  );
  if (isCommitted) deps.readMeter?.ended("failure");
}

/** Returns what a failure is about: a required field that the provider does not know, the object, or the read as such. */
function describeFailure(
  error: Failure["error"],
  messageName: string,
  { definition, connector }: Pick<FailedOwner, "definition" | "connector">,
): NonNullable<RunEnd["failure"]> {
  const detail = shorten(error.message, LONGEST_FAULT);
  if (!(error instanceof ProviderError)) return { type: "read", name: messageName, detail };
  const field = findRefusedField(error, definition, connector?.read);
  if (field !== undefined) return { type: "field", name: field, detail };
  return { type: error.kind === "not_found" ? "object" : "read", name: messageName, detail };
}

async function isLastFailure({ database, minuteMs }: SettleServices, run: ClaimedRun): Promise<boolean> {
  const object = await findReadObject(database.data, run.installationId, run.objectName);
  if (!object || object.failures + 1 < FAILURES_BEFORE_PAUSE) return false;
  return nowMs() - (object.failingSince?.getTime() ?? nowMs()) >= HOUR_MINUTES * minuteMs;
}
