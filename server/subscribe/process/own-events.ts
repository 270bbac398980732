/** Finds which events only show what Busbar wrote, and leaves them out where that is wanted. */
import { listKnownOperations } from "../../store/operations/operations.ts";
import { listOwnWrites, type OwnWrite } from "../../store/operations/own-writes.ts";
import {
  listOwnKeys,
  findPossibleWrite,
  writeOfRecord,
  writeOfReport,
} from "../../operations/own-changes.ts";
import type { MessageDestination } from "../../read/definition/read-target.ts";
import { readSet } from "../../read/definition/read-set.ts";
import type { EndedEvent } from "../../store/subscriptions/subscription-events.ts";
import type { ClaimedSubscription } from "../../store/subscriptions/subscriptions.ts";
import { endFiltered } from "./choose-groups.ts";
import type { EventGroup, InboxEvent } from "./group-events.ts";
import type { SubscribeDefinition } from "../definition/subscribe-definition.ts";
import type { SubscribingConnector } from "../definition/subscription-target.ts";
import type { SubscribeServices } from "../definition/subscribe-services.ts";

interface OwnContext {
  connector: SubscribingConnector;
  definition: SubscribeDefinition;
  destination: MessageDestination;
}

/**
 * Names the operation of each event that is a change by one of the project's, and marks those that certainly show nothing else.
 * Drops operations that are none of the project: another Busbar may write to the account as well.
 */
export async function withOwnOperations(
  { database: { data } }: SubscribeServices,
  { projectId, connectionId, objectName }: ClaimedSubscription,
  { connector, definition }: OwnContext,
  events: InboxEvent[],
): Promise<InboxEvent[]> {
  const ids = new Set(events.flatMap(({ operationId }) => operationId ?? []));
  const doubtful = events.filter(({ isByAnother }) => !isByAnother);
  if (doubtful.length === 0) return events;
  const known = ids.size > 0 ? await listKnownOperations(data, projectId, [...ids]) : new Set<string>();
  const { objectKey, recordKey } = listOwnKeys(connector, objectName);
  const recordIds = [...new Set(doubtful.map(({ recordId }) => recordKey(recordId)))];
  const writes = await listOwnWrites(data, { connectionId, objectKey }, recordIds);
  const fields = listShownFields(definition.read, connector.read);
  return events.map(({ operationId, ...event }) => {
    const named = operationId !== undefined && known.has(operationId) ? operationId : undefined;
    // Another Busbar wrote it.
    if (operationId !== undefined && named === undefined) return event;
    const written = writes.get(recordKey(event.recordId)) ?? [];
    const shown = findShown({ ...event, operationId: named }, fields, written);
    const cause = named ?? shown?.operationId;
    const possible =
      cause === undefined && !event.isByAnother
        ? findPossibleWrite(event.time, written)?.operationId
        : undefined;
    return {
      ...event,
      ...(cause !== undefined && { operationId: cause }),
      ...(shown && { isOwn: true as const }),
      ...(possible !== undefined && { possibleOperationId: possible }),
    };
  });
}

function findShown(
  event: Omit<InboxEvent, "operationId"> & { operationId: string | undefined },
  fields: string[] | undefined,
  written: readonly OwnWrite[],
): OwnWrite | undefined {
  if (!event.isFound) return writeOfReport(event, written);
  return event.type === "delete" ? undefined : writeOfRecord({ changeTime: event.time, fields }, written);
}

/** Returns the fields that an entry shows of a record; undefined where more than fields is shown, or all of them. */
function listShownFields(
  read: SubscribeDefinition["read"],
  names: Parameters<typeof readSet>[2],
): string[] | undefined {
  if (!read || read.fields.all || read.associatedObjects.length > 0) return undefined;
  return readSet(read, undefined, names).fields;
}

/** Drops groups that only show what Busbar wrote, if manifest, configuration or destination say so. */
export function leaveOutOwn(
  { definition, destination }: OwnContext,
  groups: EventGroup[],
): { groups: EventGroup[]; filtered: EndedEvent[] } {
  if ((definition.ownWrites ?? destination.ownWrites) !== "exclude") return { groups, filtered: [] };
  const isOwn = ({ events }: EventGroup): boolean => events.every((event) => event.isOwn === true);
  return {
    groups: groups.filter((group) => !isOwn(group)),
    filtered: groups
      .filter(isOwn)
      .flatMap(({ events }) => events.map((event) => endFiltered(event, "own write"))),
  };
}
