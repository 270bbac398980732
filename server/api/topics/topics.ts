/** Topics, the names under which events are published: shape and endpoints. */
import { type Static, Type } from "typebox";
import { Problem } from "../../../ground/errors.ts";
import { lookUpMember, refuseUnknownValue } from "../../../ground/member-problem.ts";
import { EVENT_TYPES } from "../../events/event-types.ts";
import { projectEndpoint, route, type Route } from "../../http/endpoint.ts";
import { type Database, isUniqueViolation, transactControl } from "../../store/database/database.ts";
import type { ControlQueries, SharedQueries } from "../../store/database/sides.ts";
import { eventTopicRoutes, topicDestinationRoutes } from "../../store/deliveries/topic-routes.ts";
import {
  findTopic,
  insertTopic,
  listTopics as listRows,
  removeTopic,
  type TopicRow,
  updateTopic as updateRow,
} from "../../store/deliveries/topics.ts";
import { getDestinationRow } from "../destinations/destination.ts";
import { DestinationId, ProjectId, TopicId, CreateTime, toTimes, UpdateTime } from "../members.ts";
import { checkName } from "../names.ts";
import { PROJECT } from "../paths.ts";

export const listTopicRoutes = (deps: { database: Database }): Route[] => [
  route(`GET ${PROJECT}/topics`, "full", listTopics(deps)),
  route(`POST ${PROJECT}/topics`, "full", createTopic(deps)),
  route(`GET ${PROJECT}/topics/{topicId}`, "full", getTopic(deps)),
  route(`PATCH ${PROJECT}/topics/{topicId}`, "full", updateTopic(deps)),
  route(`DELETE ${PROJECT}/topics/{topicId}`, "full", deleteTopic(deps)),
];

const TopicSchema = Type.Object(
  {
    id: TopicId,
    name: Type.String({ description: "Name of the topic, unique in the project." }),
    projectId: ProjectId,
    eventTypes: Type.Array(Type.String(), {
      description: "Types of the events that are published under the topic: those with a route to it.",
    }),
    destinationIds: Type.Array(DestinationId, {
      description: "Ids of the destinations that get its events: those with a route from it.",
    }),
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "Topic", description: "A topic connects event types with destinations." },
);

const toTopic = (row: TopicRow): Static<typeof TopicSchema> => ({
  id: row.id,
  name: row.name,
  projectId: row.projectId,
  eventTypes: row.eventTypes,
  destinationIds: row.destinationIds,
  ...toTimes(row),
});

const refuseUnknownTopic = (id: string): Problem =>
  new Problem("not-found", { detail: `There is no topic \`${id}\` in this project.` });

const refuseTopicName = (name: string, cause: unknown): Problem =>
  new Problem("conflict", {
    detail: `There is a topic \`${name}\` in this project already. Choose another name.`,
    cause,
  });

/** Throws a 404 Problem. */
export async function getTopicRow(queries: SharedQueries, projectId: string, id: string): Promise<TopicRow> {
  const row = await findTopic(queries, projectId, id);
  if (row) return row;
  throw refuseUnknownTopic(id);
}

const listTopics = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listTopics",
    tag: "Topics",
    summary: "List topics",
    description: "The project's topics.",
    hasEntityTag: true,
    success: { status: 200, description: "The topics.", schema: Type.Array(TopicSchema) },
    handle: async ({ project }) => (await listRows(deps.database.control, project.id)).map(toTopic),
  });

const getTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getTopic",
    tag: "Topics",
    summary: "Get a topic",
    description: "By its id.",
    params: Type.Object({ topicId: TopicId }),
    success: { status: 200, description: "The topic.", schema: TopicSchema },
    handle: async ({ project, params }) =>
      toTopic(await getTopicRow(deps.database.control, project.id, params.topicId)),
  });

const createTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "createTopic",
    tag: "Topics",
    summary: "Create a topic",
    description:
      "A topic connects event types with destinations. `eventTypes` and `destinationIds` create its routes in the " +
      "same transaction; routes can also be created one by one (`notification-event-topic-routes`, " +
      "`topic-destination-routes`).",
    body: Type.Object({
      name: Type.String({ description: "Letters, digits and dashes, at most 64." }),
      ...TopicRoutesSchema,
    }),
    success: { status: 201, description: "The topic.", schema: TopicSchema },
    refusals: {
      404: "The project has no such destination.",
      409: "The project has a topic of this name.",
      422: "The name is not valid: letters, digits and dashes, at most 64. Or an event type is unknown.",
    },
    async handle({ project, body }) {
      const name = checkName(body.name);
      checkEventTypes(body.eventTypes);
      try {
        return await transactControl(deps.database, async (queries) => {
          const { id } = await insertTopic(queries, project.id, name);
          await replaceTopicRoutes(queries, project.id, id, body);
          return toTopic(await getTopicRow(queries, project.id, id));
        });
      } catch (error) {
        throw isUniqueViolation(error, "topics_project_id_name_key") ? refuseTopicName(name, error) : error;
      }
    },
  });

const updateTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "updateTopic",
    tag: "Topics",
    summary: "Update a topic",
    description:
      "Changes the name and the routes. `eventTypes` and `destinationIds` are each the whole new set; what is absent " +
      "stays as it is.",
    params: Type.Object({ topicId: TopicId }),
    body: Type.Object({
      name: Type.Optional(Type.String({ description: "Letters, digits and dashes, at most 64." })),
      ...TopicRoutesSchema,
    }),
    success: { status: 200, description: "The updated topic.", schema: TopicSchema },
    refusals: {
      404: "The project has no such topic or destination.",
      409: "The project has a topic of this name.",
      422: "The name is not valid: letters, digits and dashes, at most 64. Or an event type is unknown.",
    },
    async handle({ project, params, body }) {
      const { id } = await getTopicRow(deps.database.control, project.id, params.topicId);
      const change = body.name === undefined ? {} : { name: checkName(body.name) };
      checkEventTypes(body.eventTypes);
      try {
        return await transactControl(deps.database, async (queries) => {
          if (!(await updateRow(queries, project.id, id, change))) throw refuseUnknownTopic(id);
          await replaceTopicRoutes(queries, project.id, id, body);
          return toTopic(await getTopicRow(queries, project.id, id));
        });
      } catch (error) {
        if (body.name === undefined || !isUniqueViolation(error, "topics_project_id_name_key")) throw error;
        throw refuseTopicName(body.name, error);
      }
    },
  });

const deleteTopic = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "deleteTopic",
    tag: "Topics",
    summary: "Delete a topic",
    description: "Deletes its routes as well. Deliveries that already started continue.",
    params: Type.Object({ topicId: TopicId }),
    success: { status: 204, description: "Deleted." },
    async handle({ project, params }) {
      const { id } = await getTopicRow(deps.database.control, project.id, params.topicId);
      await removeTopic(deps.database.control, project.id, id);
    },
  });

/** A project has as many destinations as its operator allows; no topic needs more than these. */
const MAX_DESTINATIONS = 1_000;

const TopicRoutesSchema = {
  eventTypes: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 100,
      description: `Types of the events that are published under the topic, each one of ${EVENT_TYPES.join(", ")}.`,
    }),
  ),
  destinationIds: Type.Optional(
    Type.Array(DestinationId, {
      maxItems: MAX_DESTINATIONS,
      description: "Ids of the destinations that get the topic's events.",
    }),
  ),
};

interface Wanted {
  eventTypes?: string[];
  destinationIds?: string[];
}

/** Throws a 422 Problem for an event type that does not exist. */
function checkEventTypes(eventTypes: string[] = []): void {
  eventTypes.forEach((eventType, index) => {
    if (EVENT_TYPES.some((known) => known === eventType)) return;
    throw refuseUnknownValue(`eventTypes.${index}`, eventType, EVENT_TYPES);
  });
}

/**
 * Makes the named sets the topic's routes; a set that is absent stays. Throws a 404 Problem for a destination that the
 * project does not have. Call it in the transaction of the topic.
 */
async function replaceTopicRoutes(
  queries: ControlQueries,
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
