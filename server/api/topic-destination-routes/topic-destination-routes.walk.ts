/** Calls the operations of routes from topics to destinations. */
import type { ResourceWalk } from "../../../tests/journeys/every-operation/walk.ts";

export const walk: ResourceWalk = {
  after: ["topics", "destinations"],
  async run({ call, facts }) {
    const { topicId, destinationId } = facts;
    const { id } = await call("createTopicDestinationRoute", { body: { topicId, destinationId } });
    await call("listTopicDestinationRoutes", { query: { topicId } });
    await call("deleteTopicDestinationRoute", { path: { routeId: id } });
    await call("createTopicDestinationRoute", { body: { topicId, destinationId } });
  },
};
