/** Groups the events of an object into entries: one for a burst of changes of one record. Pure. */
import type { ProviderEvent } from "../../../connector-kit/subscribe-connector.ts";

/** An event with its row in the inbox. */
export interface InboxEvent extends Omit<ProviderEvent, "accountRef" | "dedupeKey"> {
  id: string;
  /** Time of the change, or of its arrival if the provider reports none. */
  time: Date;
  /** Found by reading: the receiver may have the change already. */
  isFound?: true;
  /** The event shows only what the operation wrote; that is certain. */
  isOwn?: true;
  /** One of our operations that may have made it. */
  possibleOperationId?: string;
}

/** Events that become one entry. */
export interface EventGroup {
  /** The one that the entry shows: of a create the create, otherwise the newest, and rather a reported one than one found by reading. */
  shown: InboxEvent;
  events: [InboxEvent, ...InboxEvent[]];
  /** All fields that changed, sorted; undefined where the provider did not tell. */
  changedFields: string[] | undefined;
  /** Compound fields of which parts changed. */
  changedCompounds?: string[];
  /** The newest of our operations, if each of the events is a change by one. */
  operationId?: string;
  /** Otherwise the newest that may have made one, if no event is certainly somebody else's. */
  possibleOperationId?: string;
}

export interface GroupOptions {
  /** Without it each event is a group. */
  coalesce: boolean;
  /** The events arrive in the order in which they happened: times of one transaction are equal. */
  inOrder: boolean;
}

/**
 * Returns the groups in the order in which they happened; events of one record keep their order. Updates in a row of one
 * record become one group, and those behind its create belong to the create.
 */
export function groupEvents(
  events: readonly InboxEvent[],
  { coalesce, inOrder }: GroupOptions,
): EventGroup[] {
  const groups: [InboxEvent, ...InboxEvent[]][] = [];
  const openGroups = new Map<string, [InboxEvent, ...InboxEvent[]]>();
  for (const event of inOrder ? events : events.toSorted(compareByTime)) {
    const open = openGroups.get(event.recordId);
    if (coalesce && event.type === "update" && open) open.push(event);
    else {
      const group: [InboxEvent, ...InboxEvent[]] = [event];
      groups.push(group);
      if (event.type === "create" || event.type === "update") openGroups.set(event.recordId, group);
      else openGroups.delete(event.recordId);
    }
  }
  return groups.map(toGroup);
}

function toGroup(events: [InboxEvent, ...InboxEvent[]]): EventGroup {
  const [first] = events;
  const newest = events.findLast(({ isFound }) => !isFound) ?? events.at(-1) ?? first;
  const shown = first.type === "create" ? first : newest;
  const updates = events.filter(({ type }) => type === "update");
  const isKnown = updates.every(({ changedFields }) => changedFields !== undefined);
  const names = new Set(updates.flatMap(({ changedFields = [] }) => changedFields));
  const changedCompounds = updates.flatMap((update) => update.changedCompounds ?? []);
  const isOwn = events.every(({ operationId }) => operationId !== undefined);
  const operationId = isOwn ? events.at(-1)?.operationId : undefined;
  const possible = events.map((event) => event.operationId ?? event.possibleOperationId);
  const possibleOperationId = isOwn || possible.includes(undefined) ? undefined : possible.at(-1);
  return {
    shown,
    events,
    changedFields: isKnown ? [...names].toSorted() : undefined,
    changedCompounds,
    ...(operationId !== undefined && { operationId }),
    ...(possibleOperationId !== undefined && { possibleOperationId }),
  };
}

/** Order of events with the same time: a record is created first and deleted last. */
const RANK = { create: 0, update: 1, other: 2, associationUpdate: 2, delete: 3 };

/** Compares events that have no order but their times. */
export const compareByTime = (one: InboxEvent, other: InboxEvent): number =>
  one.time.getTime() - other.time.getTime() ||
  RANK[one.type] - RANK[other.type] ||
  (one.id < other.id ? -1 : 1);
