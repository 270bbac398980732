/** Carries out a turn of a claimed subscription: its set-up, then its events. */
import { findRefusedField } from "../read/records/vanished-fields.ts";
import { mustBeMended, ProviderError } from "../../connector-kit/calls/provider-error.ts";
import { ClosedGateError } from "../calls/gates/closed-gate-error.ts";
import { subscribeCreateError } from "../events/new-events.ts";
import { recordEvent } from "../events/record-event.ts";
import { nowMs } from "../../ground/clock.ts";
import { computeBackoffMs } from "../jobs/backoff.ts";
import type { RunResult } from "../jobs/fair-slots.ts";
import { retryWhileDatabaseIsDown } from "../store/database/database-outage.ts";
import { transactData } from "../store/database/database.ts";
import { dropScan } from "../store/subscriptions/subscription-scans.ts";
import {
  releaseClaim,
  postponeSubscription,
  type ClaimedSubscription,
  type SubscriptionState,
} from "../store/subscriptions/subscriptions.ts";
import { findChanges } from "./process/find-changes.ts";
import { filterEvents, processEvents } from "./process/process-events.ts";
import { setUpSubscription, type SetUpServices } from "./setup/set-up-subscription.ts";
import { wantsEvents } from "./definition/subscribe-definition.ts";
import { findSubscriptionTarget, type SubscriptionTarget } from "./definition/subscription-target.ts";

export type SubscriptionRunServices = SetUpServices;

const LONGEST_RETRY_MS = 60_000;
/** The subscription is due as soon as the stream is open. */
const STREAM_WAIT_MS = 10_000;
/** Until a destination exists again, or is enabled. */
const DESTINATION_WAIT_MS = 10_000;

/** Gives a subscription its turn; it has been put back when this returns. Never throws for what a provider or a customer does. */
export async function runSubscription(
  deps: SubscriptionRunServices,
  subscription: ClaimedSubscription,
  onAnswer: (result: RunResult) => void,
): Promise<void> {
  let target: SubscriptionTarget | undefined;
  let result: RunResult = "sent";
  try {
    target = await findSubscriptionTarget(deps, subscription);
    if (await runOnce(deps, subscription, target)) {
      const turn = { ...subscription.claim, windowMs: deps.windowMs };
      await retryWhileDatabaseIsDown(() => releaseClaim(deps.database.data, turn));
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    result = await putBack(deps, subscription, target, error);
  }
  onAnswer(result);
}

/** Returns false if the subscription was put back for later. */
async function runOnce(
  deps: SubscriptionRunServices,
  subscription: ClaimedSubscription,
  target: SubscriptionTarget | undefined,
): Promise<boolean> {
  // The installation was deleted, and the subscription with it.
  if (!target) return true;
  const { definition, destination } = target;
  if (!definition || !wantsEvents(definition)) {
    await filterEvents(deps, subscription, "every event of the object is off");
    await dropScan(deps.database.data, subscription.claim);
    return true;
  }
  if (needsSetUp(subscription)) {
    if (!(await setUpSubscription(deps, subscription, target))) {
      await postponeSubscription(deps.database.data, {
        ...subscription.claim,
        retryTime: new Date(nowMs() + STREAM_WAIT_MS),
        attempts: 0,
        state: "pending",
        reason: "The provider's stream of events is being opened.",
        unlessDue: true,
      });
      return false;
    }
  }
  if (!destination) {
    await postponeSubscription(deps.database.data, {
      ...subscription.claim,
      retryTime: new Date(nowMs() + DESTINATION_WAIT_MS),
      attempts: 0,
      state: "degraded",
      reason: `The destination \`${definition.destination}\` does not exist, or is disabled. Events wait for it.`,
    });
    return false;
  }
  await processEvents(deps, subscription, { ...target, definition, destination });
  await findChanges(deps, subscription, { ...target, definition });
  return true;
}

/** Returns whether to set the subscription up: it is new, failed, or on a fallback whose preferred source is due for a retry. */
const needsSetUp = ({ state, sourceRetryTime }: ClaimedSubscription): boolean =>
  state === "pending" ||
  state === "failed" ||
  (sourceRetryTime !== null && sourceRetryTime.getTime() <= nowMs());

/** Puts the subscription back after a failure, and reports the failure of a set-up that a person must mend. */
async function putBack(
  deps: SubscriptionRunServices,
  subscription: ClaimedSubscription,
  target: SubscriptionTarget | undefined,
  error: ProviderError,
): Promise<RunResult> {
  const isGate = error instanceof ClosedGateError;
  const attempts = isGate ? subscription.attempts : subscription.attempts + 1;
  const isSetUp = subscription.state === "pending" || subscription.state === "failed";
  const isPermanent = mustBeMended(error.kind);
  const isFailed = isSetUp && isPermanent;
  const delayMs = isPermanent
    ? LONGEST_RETRY_MS
    : Math.min(
        LONGEST_RETRY_MS,
        computeBackoffMs({ attempts: Math.max(1, attempts), baseMs: deps.retryBaseMs }),
      );
  const retryMs = Math.max(nowMs() + delayMs, error.retryAt?.getTime() ?? 0);
  const report = `[${subscription.objectName}] ${error.message}`;
  const isNew = isFailed && target !== undefined && subscription.reportedError !== report;
  const state: SubscriptionState = isFailed ? "failed" : isSetUp ? "pending" : "degraded";
  await retryWhileDatabaseIsDown(() =>
    transactData(deps.database, async (queries) => {
      await postponeSubscription(queries, {
        ...subscription.claim,
        retryTime: new Date(retryMs),
        attempts,
        state,
        reason: error.message,
        failedField: findRefusedField(error, target?.definition?.read, target?.connector.read),
        ...(isNew && { reportedError: report }),
      });
      if (isNew) await recordEvent(queries, subscribeCreateError(target.fields, report));
    }),
  );
  return isGate ? "not-sent" : error.kind === "rate_limited" ? "rate-limited" : "sent";
}
