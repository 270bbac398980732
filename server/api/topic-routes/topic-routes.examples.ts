/** Calls the operations of routes from event types to topics and from topics to destinations. */
import type { ResourceExamples } from "../../../tests/journeys/every-operation/recording.ts";

export const examples: ResourceExamples = {
  after: ["topics", "destinations"],
  async run({ call, facts }) {
    const { topicId, destinationId } = facts;
    await call("createEventTopicRoute", { body: { topicId, eventType: "installation.created" } });
    const toTopic = await call("createEventTopicRoute", { body: { topicId, eventType: "write.async.done" } });
    await call("listEventTopicRoutes", { query: { topicId } });
    await call("deleteEventTopicRoute", { path: { routeId: toTopic.id } });
    const route = await call("createTopicDestinationRoute", { body: { topicId, destinationId } });
    await call("listTopicDestinationRoutes", { query: { topicId } });
    await call("deleteTopicDestinationRoute", { path: { routeId: route.id } });
    await call("createTopicDestinationRoute", { body: { topicId, destinationId } });
  },
};
