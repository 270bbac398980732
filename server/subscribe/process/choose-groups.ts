/** Chooses which events are delivered, and says why the others are not. Pure. */
import type { SubscribeConnector } from "../../../connector-kit/subscribe-connector.ts";
import type { EndedEvent } from "../../store/subscriptions/subscription-events.ts";
import { groupEvents, type EventGroup, type GroupOptions, type InboxEvent } from "./group-events.ts";
import type { SubscribeDefinition } from "../definition/subscribe-definition.ts";
import type { WatchedFields } from "../definition/watched-fields.ts";

export interface ChosenGroups {
  groups: EventGroup[];
  filtered: EndedEvent[];
}

/** Leaves out events that are switched off, then groups the others. */
export function chooseGroups(
  events: readonly InboxEvent[],
  definition: SubscribeDefinition,
  {
    connector,
    watched,
    ...options
  }: { connector: SubscribeConnector; watched: WatchedFields } & GroupOptions,
): ChosenGroups {
  const filtered: EndedEvent[] = [];
  const wanted = events.filter((event) => {
    const reason = findReasonOff(event, definition, connector);
    if (reason !== undefined) filtered.push(endFiltered(event, reason));
    return reason === undefined;
  });
  const groups = groupEvents(wanted, options).filter((group) => {
    const { changedFields, changedCompounds = [] } = group;
    const touched = changedFields && [...changedFields, ...changedCompounds];
    if (group.shown.type !== "update" || watched.isTouched(touched)) return true;
    const reason = `watched fields: changed ${formatNames(group.changedFields)}; watched ${formatNames(watched.names)}`;
    filtered.push(...group.events.map((event) => endFiltered(event, reason)));
    return false;
  });
  return { groups, filtered };
}

const EVENT_OF = {
  create: "createEvent",
  update: "updateEvent",
  delete: "deleteEvent",
  associationUpdate: "associationChangeEvent",
} as const;

function findReasonOff(
  event: InboxEvent,
  { events }: SubscribeDefinition,
  connector: SubscribeConnector,
): string | undefined {
  if (event.type === "other") {
    return connector.isListed(events.other, event)
      ? undefined
      : `otherEvents: \`${event.providerEventType}\` is not listed`;
  }
  const isOn = event.type === "associationUpdate" ? events.associationChange : events[event.type];
  return isOn ? undefined : `${EVENT_OF[event.type]} is not enabled`;
}

/** Ends an event that is not delivered. */
export const endFiltered = (
  { id }: { id: string },
  reason: string,
  outcome: "filtered" | "repeated" = "filtered",
): EndedEvent => ({
  id,
  outcome,
  reason: reason.slice(0, LONGEST_REASON),
  messageId: null,
  deliveredHash: null,
});

const LONGEST_REASON = 500;
const formatNames = (names: string[] | undefined): string => names?.join(", ") || "none";
