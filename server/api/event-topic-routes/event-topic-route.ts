/** The route from an event type to a topic, as the API shows it. */
import { Type, type Static } from "typebox";
import { EVENT_TYPES, type EventType } from "../../events/event-types.ts";
import { described } from "../../../ground/described.ts";
import type { EventTopicRouteRow } from "../../store/topic-routes.ts";
import { ProjectId, TopicId } from "../members.ts";
import { CreateTime, times, UpdateTime } from "../times.ts";

export const EventTypeSchema = Type.Enum([...EVENT_TYPES], {
  description: "Return only routes of this event type.",
});

export const EventTopicRouteSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the route." }),
    eventType: described(EventTypeSchema, "Type of the event, for example `write.async.done`."),
    topicId: TopicId,
    projectId: ProjectId,
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "EventTopicRoute", description: "Sends all events of one type to a topic." },
);

export const toEventTopicRoute = (row: EventTopicRouteRow): Static<typeof EventTopicRouteSchema> => ({
  id: row.id,
  // Checked before it was stored.
  eventType: row.eventType as EventType,
  topicId: row.topicId,
  projectId: row.projectId,
  ...times(row),
});
