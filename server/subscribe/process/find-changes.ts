/**
 * Finds changes by reading, page by page: in the time of a reconciliation, and since the last turn of polling. What it finds
 * waits among the provider's events, and is delivered like them.
 */
import type { Checkpoint, ReadPage, ReadPlan } from "../../../connector-kit/read-connector.ts";
import { mustBeMended, ProviderError } from "../../../connector-kit/calls/provider-error.ts";
import { elapsedMs, now, nowMs } from "../../../ground/clock.ts";
import { newId } from "../../../ground/ids.ts";
import { callProvider, type ProviderCall } from "../../operations/call-provider.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import {
  beginScan,
  commitScanStep,
  listDeliveredHashes,
  type FoundEvent,
  type SubscriptionScan,
  type ScanStep,
} from "../../store/subscriptions/subscription-scans.ts";
import type { ClaimedSubscription } from "../../store/subscriptions/subscriptions.ts";
import { listFoundDeletions, listFoundRecords } from "./found-events.ts";
import type { SubscribeServices } from "../definition/subscribe-services.ts";
import type { SubscribeDefinition } from "../definition/subscribe-definition.ts";
import type { SubscriptionTarget } from "../definition/subscription-target.ts";

type ScannedTarget = SubscriptionTarget & { definition: SubscribeDefinition };

/** After this time the subscription goes behind the others. */
const TURN_MS = 2_000;
/** A check for deletions that lists everything that was ever deleted happens every tenth turn of polling. */
const TURNS_PER_LISTING = 10;

/** Throws `ProviderError` when a page cannot be read; the pages before it are kept. */
export async function findChanges(
  deps: SubscribeServices,
  subscription: ClaimedSubscription,
  target: ScannedTarget,
): Promise<void> {
  const startedMs = elapsedMs();
  let scan = await getCurrentScan(deps, subscription);
  while (scan && elapsedMs() - startedMs < TURN_MS) {
    const step = await takeStep(deps, { subscription, target, scan });
    const isCommitted = await retryWhileDatabaseIsDown(() => commitScanStep(deps.database.data, step));
    if (!isCommitted) return;
    deps.subscribeMeter?.found(step.events.length);
    scan = step.scan ?? undefined;
    subscription.scan = step.scan;
  }
}

/** Returns the scan to go on with, which may begin now. A reconciliation comes before the next turn of polling. */
async function getCurrentScan(
  deps: SubscribeServices,
  subscription: ClaimedSubscription,
): Promise<SubscriptionScan | undefined> {
  if (subscription.scan) return subscription.scan;
  const { reconcileSince, reconcileReason, polledUntil, pollTime } = subscription;
  const begun = { id: newId(), until: null, stage: "records", checkpoint: null, found: 0 } as const;
  let scan: SubscriptionScan | undefined;
  if (reconcileSince) {
    const since = reconcileSince.toISOString();
    scan = { ...begun, kind: "reconciliation", since, reason: reconcileReason };
  } else if (pollTime && pollTime.getTime() <= nowMs()) {
    scan = { ...begun, kind: "polling", since: (polledUntil ?? now()).toISOString(), reason: null };
  }
  return scan && (await beginScan(deps.database.data, subscription.claim, scan)) ? scan : undefined;
}

interface Scanning {
  subscription: ClaimedSubscription;
  target: ScannedTarget;
  scan: SubscriptionScan;
}

async function takeStep(deps: SubscribeServices, scanning: Scanning): Promise<ScanStep> {
  const { claim, installationId, objectName } = scanning.subscription;
  const step = { ...claim, installationId, objectName };
  try {
    const { events, until, stage, next, coveredUntil } = await readStep(deps, scanning);
    const { scan } = scanning;
    const moved = { ...scan, until: until.toISOString(), found: scan.found + events.length };
    if (next) return { ...step, events, scan: { ...moved, stage, checkpoint: next } };
    if (stage === "records" && readsDeletions(scanning)) {
      return { ...step, events, scan: { ...moved, stage: "deletions", checkpoint: null } };
    }
    return { ...step, events, scan: null, ...buildEnd(deps, scanning, moved, { coveredUntil }) };
  } catch (error) {
    if (scanning.scan.kind === "polling" || !isFinal(error)) throw error;
    deps.log.warn(
      { installationId, objectName, error: error.message },
      "a reconciliation ended with an error",
    );
    return {
      ...step,
      events: [],
      scan: null,
      ...buildEnd(deps, scanning, scanning.scan, { error: error.message }),
    };
  }
}

/** Events of the provider must not wait for a reconciliation that the account does not permit. */
const isFinal = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && mustBeMended(error.kind);

interface ReadStep {
  events: FoundEvent[];
  until: Date;
  stage: SubscriptionScan["stage"];
  next: Checkpoint | undefined;
  /** Until when the provider had all deletions, if that is not the end of the scan. */
  coveredUntil?: Date | undefined;
}

async function readStep(deps: SubscribeServices, scanning: Scanning): Promise<ReadStep> {
  const { subscription, target, scan } = scanning;
  const { projectId, connectionId, objectName } = subscription;
  const { read } = target.connector;
  const startTime = now();
  const checkpoint = scan.checkpoint ?? undefined;
  return callProvider(deps, { projectId, connectionId }, async (call) => {
    const fetch = deps.paces.paced(connectionId, read, call.fetch);
    const { account } = call.connection;
    const { stage } = scan;
    if (stage === "deletions") {
      const until = scan.until ? new Date(scan.until) : startTime;
      // Up to now, because the provider's clock often gives whole seconds: a deletion in the last one would be missed.
      const period = { objectName, since: chooseDeletionsSince(scanning), until: startTime, account };
      const page = await read.readDeletions(period, checkpoint, fetch);
      if (page.warning !== undefined) deps.log.warn({ objectName }, page.warning);
      const { next, coveredUntil } = page;
      return { events: listFoundDeletions(scanning, page.records, until), until, stage, next, coveredUntil };
    }
    const plan = await planScan(deps, scanning, call);
    const page = await read.readPage({ ...plan, until: findLatest(scan, startTime) }, checkpoint, fetch);
    const bound = scan.until ? new Date(scan.until) : chooseBound(page, startTime);
    const known = await listDeliveredHashes(deps.database.data, {
      installationId: subscription.installationId,
      objectName,
      recordIds: page.records.map(({ id }) => id),
    });
    return {
      events: listFoundRecords(scanning, { page, until: bound, known }),
      until: bound,
      stage,
      next: page.next,
    };
  });
}

/** A change of the last moment must be found although the provider's clock is ahead of ours. */
const CLOCK_MARGIN_MS = 60_000;

const findLatest = ({ until }: SubscriptionScan, startTime: Date): Date =>
  new Date((until === null ? startTime.getTime() : Date.parse(until)) + CLOCK_MARGIN_MS);

/** Returns the time of the scan's begin by the provider's clock, but never later than by ours. */
const chooseBound = ({ providerTime }: ReadPage, startTime: Date): Date =>
  providerTime && providerTime < startTime ? providerTime : startTime;

/** Only ids and times are read: the records themselves are read when they are delivered. */
async function planScan(
  { metadata }: SubscribeServices,
  { subscription: { objectName }, target: { connector }, scan }: Scanning,
  { connection, fetch }: ProviderCall,
): Promise<ReadPlan> {
  const { read, fields, subscribe } = connector;
  const needed = fields && read.needsMetadata({ objectName, associations: [] });
  const described = needed
    ? await metadata.get(connection, objectName, () => fields.describe(objectName, fetch, connection.account))
    : undefined;
  return {
    objectName,
    fields: subscribe.createTimeField === undefined ? [] : [subscribe.createTimeField],
    since: new Date(Date.parse(scan.since) - read.abilities.overlapMs),
    filters: [],
    associations: [],
    ...(described && { metadata: described }),
    account: connection.account,
  };
}

function readsDeletions({ subscription, target, scan }: Scanning): boolean {
  const { abilities } = target.connector.read;
  if (!target.definition.events.delete || !abilities.deletions) return false;
  const isListing = abilities.deletionsEveryMs !== undefined;
  return scan.kind === "reconciliation" || !isListing || subscription.polls % TURNS_PER_LISTING === 0;
}

function chooseDeletionsSince({ subscription, target, scan }: Scanning): Date {
  const last = scan.kind === "polling" ? subscription.deletionsUntil : undefined;
  const sinceMs = last?.getTime() ?? Date.parse(scan.since);
  const { overlapMs, deletionsOverlapMs = overlapMs } = target.connector.read.abilities;
  return new Date(sinceMs - deletionsOverlapMs);
}

function buildEnd(
  deps: SubscribeServices,
  scanning: Scanning,
  { since, until, reason, found }: SubscriptionScan,
  { error, coveredUntil }: { error?: string; coveredUntil?: Date | undefined },
): Pick<ScanStep, "reconciled" | "polled"> {
  const end = until ?? since;
  if (scanning.scan.kind === "reconciliation") {
    const endTime = now().toISOString();
    return {
      reconciled: {
        since,
        until: end,
        reason: reason ?? "",
        found,
        ...(error !== undefined && { error }),
        endTime,
      },
    };
  }
  const untilTime = new Date(end);
  const deletionsUntil = coveredUntil && coveredUntil < untilTime ? coveredUntil : untilTime;
  return {
    polled: {
      until: untilTime,
      deletionsUntil: readsDeletions(scanning) ? deletionsUntil : null,
      nextTime: new Date(nowMs() + deps.pollMs),
    },
  };
}
