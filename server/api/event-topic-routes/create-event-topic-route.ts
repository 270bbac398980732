/** POST /v1/projects/{projectIdOrName}/notification-event-topic-routes */
import { Type } from "typebox";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { Problem } from "../../../ground/errors.ts";
import { lookUpMember, memberProblem } from "../../../ground/member-problem.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import { isUniqueViolation, transact, type Database } from "../../store/database.ts";
import { eventTopicRoutes } from "../../store/topic-routes.ts";
import { TopicId } from "../members.ts";
import { getTopicRow } from "../topics/topic.ts";
import { EventTopicRouteSchema, toEventTopicRoute } from "./event-topic-route.ts";

export const createEventTopicRoute = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createEventTopicRoute",
    tag: "Topics",
    summary: "Route an event type to a topic",
    description: "Future events of the type are sent to the topic's destinations.",
    body: Type.Object({
      eventType: Type.String({ description: `One of ${EVENT_TYPES.join(", ")}.` }),
      topicId: TopicId,
    }),
    success: { status: 201, description: "The route.", schema: EventTopicRouteSchema },
    refusals: {
      404: "The project has no such topic.",
      409: "The route already exists.",
      422: "The event type is unknown.",
    },
    async handle({ project, body }) {
      const { eventType, topicId } = body;
      if (!EVENT_TYPES.some((known) => known === eventType)) {
        const detail = `must be one of ${EVENT_TYPES.join(", ")}`;
        throw memberProblem("eventType", detail, { slug: "semantically-invalid", value: eventType });
      }
      try {
        const row = await transact(deps.database, async (queries) => {
          const topic = await lookUpMember("topicId", topicId, getTopicRow(queries, project.id, topicId));
          return eventTopicRoutes.insert(queries, project.id, { topicId: topic.id, eventType });
        });
        return toEventTopicRoute(row);
      } catch (error) {
        if (!isUniqueViolation(error, "event_topic_routes_topic_id_event_type_key")) throw error;
        throw new Problem("conflict", {
          detail: `\`${eventType}\` is routed to the topic \`${topicId}\` already.`,
          cause: error,
        });
      }
    },
  });
