/** Checks and stores the routes that the body of a topic names: event types that lead to it, destinations that it leads to. */
import { Type } from "typebox";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { lookUpMember, memberProblem } from "../../../ground/member-problem.ts";
import type { Queries } from "../../store/database.ts";
import { eventTopicRoutes, topicDestinationRoutes } from "../../store/topic-routes.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationId } from "../members.ts";

/** A project has as many destinations as its operator allows; no topic needs more than these. */
const MOST_DESTINATIONS = 1_000;

export const TopicRoutesSchema = {
  eventTypes: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 100,
      description: `Types of the events that are published under the topic, each one of ${EVENT_TYPES.join(", ")}.`,
    }),
  ),
  destinationIds: Type.Optional(
    Type.Array(DestinationId, {
      maxItems: MOST_DESTINATIONS,
      description: "Ids of the destinations that get the topic's events.",
    }),
  ),
};

interface Wanted {
  eventTypes?: string[];
  destinationIds?: string[];
}

/** Throws a 422 Problem for an event type that does not exist. */
export function checkEventTypes(eventTypes: string[] = []): void {
  eventTypes.forEach((eventType, index) => {
    if (EVENT_TYPES.some((known) => known === eventType)) return;
    const detail = `must be one of ${EVENT_TYPES.join(", ")}`;
    throw memberProblem(`eventTypes.${index}`, detail, { slug: "semantically-invalid", value: eventType });
  });
}

/**
 * Makes the named sets the topic's routes; a set that is absent stays. Throws a 404 Problem for a destination that the
 * project does not have. Call it in the transaction of the topic.
 */
export async function replaceTopicRoutes(
  queries: Queries,
  projectId: string,
  topicId: string,
  { eventTypes, destinationIds }: Wanted,
): Promise<void> {
  if (eventTypes) await eventTopicRoutes.replace(queries, projectId, topicId, [...new Set(eventTypes)]);
  if (!destinationIds) return;
  const found = new Set<string>();
  for (const [index, id] of destinationIds.entries()) {
    const destination = getDestinationRow(queries, projectId, id);
    found.add((await lookUpMember(`destinationIds.${index}`, id, destination)).id);
  }
  await topicDestinationRoutes.replace(queries, projectId, topicId, [...found]);
}
