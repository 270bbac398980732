/** Calls the operations of routes from event types to topics. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["topics"],
  async run({ call, facts }) {
    const { topicId } = facts;
    await call("createEventTopicRoute", { body: { topicId, eventType: "installation.created" } });
    const { id } = await call("createEventTopicRoute", { body: { topicId, eventType: "write.async.done" } });
    await call("listEventTopicRoutes", { query: { topicId } });
    await call("deleteEventTopicRoute", { path: { routeId: id } });
  },
};
