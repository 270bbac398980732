/** Processes the waiting events of a claimed subscription: filters, groups, reads the records again, stores messages. */
import { elapsedMs } from "../../../ground/clock.ts";
import { packSeen } from "../../../ground/pack-seen.ts";
import { callProvider } from "../../operations/call-provider.ts";
import type { MessageDestination } from "../../read/definition/read-target.ts";
import { retryWhileDatabaseIsDown } from "../../store/database/database-outage.ts";
import { transactInTurn, type Database } from "../../store/database/database.ts";
import type { SeenRow } from "../../store/reads/seen-records.ts";
import {
  commitSubscription,
  listDeliveredEvents,
  listReadyEvents,
  type EndedEvent,
  type SubscriptionCommit,
  type WaitingEvent,
} from "../../store/subscriptions/subscription-events.ts";
import { listDeliveredHashes } from "../../store/subscriptions/subscription-scans.ts";
import type { ClaimedSubscription } from "../../store/subscriptions/subscriptions.ts";
import { chooseGroups, endFiltered, type ChosenGroups } from "./choose-groups.ts";
import { compareByTime, type EventGroup, type InboxEvent } from "./group-events.ts";
import { SAME_CHANGE_MS, splitOtherReports } from "./other-reports.ts";
import { eraseOnControl, eraseOnData, type ErasedRecord } from "./erase-records.ts";
import { dropRepeats, type NewGroups } from "./drop-repeats.ts";
import { groupEntries, needsRecords, readGroupRecords, type GroupRecords } from "./shape-groups.ts";
import { leaveOutOwn, withOwnOperations } from "./own-events.ts";
import { subscribeMessages, type CutEntries } from "./subscribe-message.ts";
import type { SubscribeServices } from "../definition/subscribe-services.ts";
import type { SubscribeDefinition } from "../definition/subscribe-definition.ts";
import type { SubscriptionTarget } from "../definition/subscription-target.ts";
import { resolveWatchedFields, listWatchNames } from "../definition/watched-fields.ts";

/** After this time the subscription goes behind the others. */
const TURN_MS = 2_000;
/** Events of one commit. */
const MAX_EVENTS = 500;

interface ProcessableTarget extends SubscriptionTarget {
  definition: SubscribeDefinition;
  destination: MessageDestination;
}

/** Throws `ProviderError` when records cannot be read; what was committed before stays. */
export async function processEvents(
  deps: SubscribeServices,
  subscription: ClaimedSubscription,
  target: ProcessableTarget,
): Promise<void> {
  const { data } = deps.database;
  const startedMs = elapsedMs();
  while (elapsedMs() - startedMs < TURN_MS) {
    const limits = { windowMs: deps.windowMs, max: MAX_EVENTS };
    const waiting = await listReadyEvents(data, subscription, limits);
    if (waiting.length === 0) return;
    if (!(await processBatch(deps, subscription, target, waiting))) return;
  }
}

/** Ends all waiting events without delivering them. */
export async function filterEvents(
  deps: SubscribeServices,
  subscription: ClaimedSubscription,
  reason: string,
): Promise<void> {
  for (;;) {
    const waiting = await listReadyEvents(deps.database.data, subscription, {
      windowMs: 0,
      max: MAX_EVENTS,
    });
    if (waiting.length === 0) return;
    const ended = waiting.map((event) => endFiltered(event, reason));
    if (!(await commit(deps, subscription, { ended, messages: [], seen: [] }))) return;
  }
}

async function processBatch(
  deps: SubscribeServices,
  subscription: ClaimedSubscription,
  target: ProcessableTarget,
  waiting: WaitingEvent[],
): Promise<boolean> {
  const read = waiting.map((row) => toInboxEvent(row, subscription, target));
  const unreadable = waiting.filter((_, index) => read[index] === undefined);
  const events = await withOwnOperations(
    deps,
    subscription,
    target,
    read.flatMap((event) => event ?? []),
  );
  const earlier = await listEarlierReports(deps, subscription, target, events);
  const { groups: wanted, filtered, reported } = chooseAll(deps, target, events, earlier);
  const { groups, filtered: own } = leaveOutOwn(target, wanted);
  const { fresh, missingFields, messages, messageIds } = await buildMessages(deps, subscription, target, {
    groups,
    reported,
  });
  const ended = [
    ...unreadable.map((event) => endFiltered(event, "the event cannot be read")),
    ...filtered,
    ...own,
    ...fresh.repeated,
    ...fresh.groups.flatMap((group, index) =>
      endReported(group, messageIds[index] ?? null, fresh.hashes[index] ?? null),
    ),
  ];
  const seen = listSeen(fresh.groups, messageIds);
  const erasing = fresh.groups.flatMap(({ shown }) => (shown.erases ? shown : []));
  return commit(deps, subscription, { ended, messages, seen, missingFields }, erasing);
}

function toInboxEvent(
  row: WaitingEvent,
  { objectName, objectKey }: ClaimedSubscription,
  { connector }: SubscriptionTarget,
): InboxEvent | undefined {
  const { id, recordId, providerEventType, foundType: type, occurredTime: time, raw } = row;
  if (type !== null) {
    const key = objectKey ?? objectName;
    return { id, recordId, objectKey: key, type, providerEventType, time, raw, isFound: true };
  }
  const event = connector.subscribe.readEvent(raw);
  return event && { ...event, id, time };
}

async function buildMessages(
  deps: SubscribeServices,
  { projectId, connectionId, installationId, objectName, accountRef }: ClaimedSubscription,
  target: ProcessableTarget,
  { groups, reported }: Pick<AllGroups, "groups" | "reported">,
): Promise<CutEntries & { fresh: NewGroups } & Pick<GroupRecords, "missingFields">> {
  const { connector, destination } = target;
  // Deletions are delivered while the connection has bad credentials, too.
  const records = needsRecords(target, groups)
    ? await callProvider(deps, { projectId, connectionId }, ({ connection, fetch }) =>
        readGroupRecords({ ...deps, connector, connection, fetch }, target, groups),
      )
    : NO_RECORDS;
  const doubtful = groups.flatMap((group) =>
    group.shown.isFound || reported.has(group) ? group.shown.recordId : [],
  );
  const delivered = await listDeliveredHashes(deps.database.data, {
    installationId,
    objectName,
    recordIds: doubtful,
  });
  const fresh = dropRepeats(groups, { fingerprints: records.fingerprints, delivered, reported });
  const place = { target, objectName, destination, workspace: accountRef ?? undefined };
  const { missingFields } = records;
  return { fresh, missingFields, ...subscribeMessages(place, groupEntries(target, fresh.groups, records)) };
}

/** Lists what was delivered of the same records at about the same times, if the provider reports changes in several ways. */
async function listEarlierReports(
  { database: { data } }: SubscribeServices,
  { installationId, objectName }: ClaimedSubscription,
  { connector }: ProcessableTarget,
  events: readonly InboxEvent[],
): Promise<InboxEvent[]> {
  const reports = events.filter(({ report }) => report !== undefined);
  if (reports.length === 0) return [];
  const times = reports.map(({ time }) => time.getTime());
  const rows = await listDeliveredEvents(data, {
    installationId,
    objectName,
    recordIds: [...new Set(reports.map(({ recordId }) => recordId))],
    from: new Date(Math.min(...times) - SAME_CHANGE_MS),
    until: new Date(Math.max(...times) + SAME_CHANGE_MS),
  });
  return rows.flatMap(({ id, occurredTime: time, raw }) => {
    const event = connector.subscribe.readEvent(raw);
    return event ? [{ ...event, id, time }] : [];
  });
}

interface AllGroups extends ChosenGroups {
  /** Groups of changes that were reported in another way. */
  reported: ReadonlySet<EventGroup>;
}

/** Groups repeats apart from the other events, so that each can be left out without the others. */
function chooseAll(
  { windowMs }: SubscribeServices,
  { connector, definition }: ProcessableTarget,
  events: readonly InboxEvent[],
  earlier: readonly InboxEvent[],
): AllGroups {
  const inOrder = connector.stream !== undefined;
  const watched = resolveWatchedFields(definition, listWatchNames(connector));
  const options = { connector: connector.subscribe, watched, coalesce: windowMs > 0, inOrder };
  const { fresh, repeats } = splitOtherReports(events, earlier);
  if (repeats.length === 0) return { ...chooseGroups(events, definition, options), reported: new Set() };
  const [first, second] = [fresh, repeats].map((some) => chooseGroups(some, definition, options));
  const groups = [...(first?.groups ?? []), ...(second?.groups ?? [])];
  return {
    groups: groups.toSorted((one, other) => compareByTime(one.events[0], other.events[0])),
    filtered: [...(first?.filtered ?? []), ...(second?.filtered ?? [])],
    reported: new Set(second?.groups),
  };
}

const NO_RECORDS: GroupRecords = {
  own: new Map(),
  others: new Map(),
  fingerprints: new Map(),
  missingFields: undefined,
};

function endReported(
  { shown, events }: EventGroup,
  messageId: string | null,
  deliveredHash: Buffer | null,
): EndedEvent[] {
  return events.map(({ id }) =>
    id === shown.id
      ? { id, outcome: "delivered", reason: null, messageId, deliveredHash }
      : {
          id,
          outcome: "coalesced",
          reason: `became one entry with event ${shown.id}`,
          messageId,
          deliveredHash: null,
        },
  );
}

/** Returns which records each message contains. */
function listSeen(groups: readonly EventGroup[], messageIds: readonly string[]): SeenRow[] {
  const shown = groups.map(({ shown: { recordId, time } }, index) => ({
    messageId: messageIds[index] ?? "",
    record: { id: recordId, changeTime: time },
  }));
  return [...Map.groupBy(shown, ({ messageId }) => messageId)].map(([id, some]) => ({
    id,
    isMessage: true,
    entries: packSeen(some.map(({ record }) => record)),
  }));
}

/** Commits a batch. Its last commit also removes what is kept of records that events of the batch erase. */
async function commit(
  deps: SubscribeServices,
  { claim, installationId }: ClaimedSubscription,
  outcomes: Pick<SubscriptionCommit, "ended" | "messages" | "seen" | "missingFields">,
  erasing: readonly Pick<InboxEvent, "id" | "recordId">[] = [],
): Promise<boolean> {
  const batch = { ...claim, installationId, ...outcomes };
  const records = erasing.map(({ id, recordId }) => ({ installationId, recordId, except: [id] }));
  const isCommitted = await retryWhileDatabaseIsDown(() =>
    records.length === 0
      ? commitSubscription(deps.database.data, batch)
      : commitErasing(deps.database, batch, records),
  );
  if (isCommitted) {
    const count = (wanted: EndedEvent["outcome"]): number =>
      outcomes.ended.filter(({ outcome }) => outcome === wanted).length;
    deps.subscribeMeter?.ended({
      inMessage: count("delivered"),
      coalesced: count("coalesced"),
      filtered: count("filtered"),
      repeated: count("repeated"),
    });
  }
  return isCommitted;
}

async function commitErasing(
  database: Database,
  batch: SubscriptionCommit,
  records: readonly ErasedRecord[],
): Promise<boolean> {
  const lost = new Error("another worker has the subscription");
  try {
    await transactInTurn(
      database,
      (queries) => eraseOnControl(database, queries, records),
      async (queries, erased) => {
        if (!(await commitSubscription(queries, batch))) throw lost;
        await eraseOnData(queries, erased);
      },
    );
    return true;
  } catch (error) {
    if (error === lost) return false;
    throw error;
  }
}
