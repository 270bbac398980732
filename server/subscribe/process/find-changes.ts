/**
 * Finds changes by reading, page by page: in the time of a reconciliation, and since the last turn of polling. What it finds
 * waits among the provider's events, and is delivered like them.
 */
import type { Checkpoint, ReadPage, ReadPlan } from "../../../connector-kit/read-connector.ts";
import { mustBeMended, ProviderError } from "../../../connector-kit/provider-error.ts";
import { elapsedMs, now, nowMs } from "../../../ground/clock.ts";
import { newId } from "../../../ground/ids.ts";
import { callProvider, type ProviderCall } from "../../operations/call-provider.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import {
  beginWalk,
  commitWalkStep,
  listDeliveredHashes,
  type FoundEvent,
  type SubscriptionWalk,
  type WalkStep,
} from "../../store/subscriptions/subscription-walks.ts";
import type { ClaimedSubscription } from "../../store/subscriptions/subscriptions.ts";
import { foundDeletions, foundRecords } from "./found-events.ts";
import type { SubscribeServices } from "../definition/subscribe-services.ts";
import type { SubscribeDefinition } from "../definition/subscribe-definition.ts";
import type { SubscriptionTarget } from "../definition/subscription-target.ts";

export type WalkedTarget = SubscriptionTarget & { definition: SubscribeDefinition };

/** After this time the subscription goes behind the others. */
const TURN_MS = 2_000;
/** A look for deletions that lists everything that was ever deleted happens every tenth turn of polling. */
const TURNS_PER_LISTING = 10;

/** Throws `ProviderError` when a page cannot be read; the pages before it are kept. */
export async function findChanges(
  deps: SubscribeServices,
  subscription: ClaimedSubscription,
  target: WalkedTarget,
): Promise<void> {
  const startedMs = elapsedMs();
  let walk = await currentWalk(deps, subscription);
  while (walk && elapsedMs() - startedMs < TURN_MS) {
    const step = await takeStep(deps, { subscription, target, walk });
    const isCommitted = await retryWhileDatabaseIsDown(() => commitWalkStep(deps.database.queries, step));
    if (!isCommitted) return;
    deps.subscribeMeter?.found(step.events.length);
    walk = step.walk ?? undefined;
    subscription.walk = step.walk;
  }
}

/** Returns the walk to go on with, which may begin now. A reconciliation comes before the next turn of polling. */
async function currentWalk(
  deps: SubscribeServices,
  subscription: ClaimedSubscription,
): Promise<SubscriptionWalk | undefined> {
  if (subscription.walk) return subscription.walk;
  const { reconcileSince, reconcileReason, polledUntil, pollTime } = subscription;
  const begun = { id: newId(), until: null, stage: "records", checkpoint: null, found: 0 } as const;
  let walk: SubscriptionWalk | undefined;
  if (reconcileSince) {
    const since = reconcileSince.toISOString();
    walk = { ...begun, kind: "reconciliation", since, reason: reconcileReason };
  } else if (pollTime && pollTime.getTime() <= nowMs()) {
    walk = { ...begun, kind: "polling", since: (polledUntil ?? now()).toISOString(), reason: null };
  }
  return walk && (await beginWalk(deps.database.queries, subscription.claim, walk)) ? walk : undefined;
}

interface Walking {
  subscription: ClaimedSubscription;
  target: WalkedTarget;
  walk: SubscriptionWalk;
}

async function takeStep(deps: SubscribeServices, walking: Walking): Promise<WalkStep> {
  const { claim, installationId, objectName } = walking.subscription;
  const step = { ...claim, installationId, objectName };
  try {
    const { events, until, stage, next } = await readStep(deps, walking);
    const { walk } = walking;
    const moved = { ...walk, until: until.toISOString(), found: walk.found + events.length };
    if (next) return { ...step, events, walk: { ...moved, stage, checkpoint: next } };
    if (stage === "records" && readsDeletions(walking)) {
      return { ...step, events, walk: { ...moved, stage: "deletions", checkpoint: null } };
    }
    return { ...step, events, walk: null, ...buildEnd(deps, walking, moved) };
  } catch (error) {
    if (walking.walk.kind === "polling" || !isFinal(error)) throw error;
    deps.log.warn(
      { installationId, objectName, error: error.message },
      "a reconciliation ended with an error",
    );
    return { ...step, events: [], walk: null, ...buildEnd(deps, walking, walking.walk, error.message) };
  }
}

/** Events of the provider must not wait for a reconciliation that the account does not permit. */
const isFinal = (error: unknown): error is ProviderError =>
  error instanceof ProviderError && mustBeMended(error.kind);

interface ReadStep {
  events: FoundEvent[];
  until: Date;
  stage: SubscriptionWalk["stage"];
  next: Checkpoint | undefined;
}

async function readStep(deps: SubscribeServices, walking: Walking): Promise<ReadStep> {
  const { subscription, target, walk } = walking;
  const { projectId, connectionId, objectName } = subscription;
  const { read } = target.connector;
  const startTime = now();
  const checkpoint = walk.checkpoint ?? undefined;
  return callProvider(deps, { projectId, connectionId }, async (call) => {
    const fetch = deps.paces.paced(connectionId, read, call.fetch);
    const { account } = call.connection;
    const { stage } = walk;
    if (stage === "deletions") {
      const until = walk.until ? new Date(walk.until) : startTime;
      // Up to now, because the provider's clock often gives whole seconds: a deletion in the last one would be missed.
      const period = { objectName, since: deletionsSince(walking), until: startTime, account };
      const page = await read.readDeletions(period, checkpoint, fetch);
      return { events: foundDeletions(walking, page.records, until), until, stage, next: page.next };
    }
    const plan = await planWalk(deps, walking, call);
    const page = await read.readPage({ ...plan, until: findLatest(walk, startTime) }, checkpoint, fetch);
    const bound = walk.until ? new Date(walk.until) : chooseBound(page, startTime);
    const known = await listDeliveredHashes(deps.database.queries, {
      installationId: subscription.installationId,
      objectName,
      recordIds: page.records.map(({ id }) => id),
    });
    return {
      events: foundRecords(walking, { page, until: bound, known }),
      until: bound,
      stage,
      next: page.next,
    };
  });
}

/** A change of the last moment must be found although the provider's clock is ahead of ours. */
const CLOCK_MARGIN_MS = 60_000;

const findLatest = ({ until }: SubscriptionWalk, startTime: Date): Date =>
  new Date((until === null ? startTime.getTime() : Date.parse(until)) + CLOCK_MARGIN_MS);

/** Returns the time of the walk's begin by the provider's clock, but never later than by ours. */
const chooseBound = ({ providerTime }: ReadPage, startTime: Date): Date =>
  providerTime && providerTime < startTime ? providerTime : startTime;

/** Only ids and times are read: the records themselves are read when they are delivered. */
async function planWalk(
  { metadata }: SubscribeServices,
  { subscription: { objectName }, target: { connector }, walk }: Walking,
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
    since: new Date(Date.parse(walk.since) - read.abilities.overlapMs),
    filters: [],
    associations: [],
    ...(described && { metadata: described }),
    account: connection.account,
  };
}

function readsDeletions({ subscription, target, walk }: Walking): boolean {
  const { abilities } = target.connector.read;
  if (!target.definition.events.delete || !abilities.deletions) return false;
  const isListing = abilities.deletionsEveryMs !== undefined;
  return walk.kind === "reconciliation" || !isListing || subscription.polls % TURNS_PER_LISTING === 0;
}

function deletionsSince({ subscription, target, walk }: Walking): Date {
  const last = walk.kind === "polling" ? subscription.deletionsUntil : undefined;
  const sinceMs = last?.getTime() ?? Date.parse(walk.since);
  return new Date(sinceMs - target.connector.read.abilities.overlapMs);
}

function buildEnd(
  deps: SubscribeServices,
  walking: Walking,
  { since, until, reason, found }: SubscriptionWalk,
  error?: string,
): Pick<WalkStep, "reconciled" | "polled"> {
  const end = until ?? since;
  if (walking.walk.kind === "reconciliation") {
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
  return {
    polled: {
      until: untilTime,
      deletionsUntil: readsDeletions(walking) ? untilTime : null,
      nextTime: new Date(nowMs() + deps.pollMs),
    },
  };
}
