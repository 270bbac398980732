/** The route from an event type to a topic, as the API shows it. */
import { Type, type Static } from "typebox";
import { EVENT_TYPES, type EventType } from "../../events/event-types.ts";
import type { EventTopicRouteRow } from "../../store/topic-routes.ts";
import { times, TimeSchema } from "../times.ts";

export const EventTypeSchema = Type.Enum([...EVENT_TYPES]);

export const EventTopicRouteSchema = Type.Object(
  {
    id: Type.String(),
    eventType: EventTypeSchema,
    topicId: Type.String(),
    projectId: Type.String(),
    createTime: TimeSchema,
    updateTime: Type.Optional(TimeSchema),
  },
  { title: "EventTopicRoute" },
);

export const toEventTopicRoute = (row: EventTopicRouteRow): Static<typeof EventTopicRouteSchema> => ({
  id: row.id,
  // Checked when it was stored.
  eventType: row.eventType as EventType,
  topicId: row.topicId,
  projectId: row.projectId,
  ...times(row),
});
