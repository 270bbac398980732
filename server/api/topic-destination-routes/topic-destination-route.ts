/** The route from a topic to a destination, as the API shows it. */
import { Type, type Static } from "typebox";
import type { TopicDestinationRouteRow } from "../../store/topic-routes.ts";
import { TimeSchema } from "../times.ts";

export const TopicDestinationRouteSchema = Type.Object(
  {
    id: Type.String(),
    topicId: Type.String(),
    destinationId: Type.String(),
    projectId: Type.String(),
    createTime: TimeSchema,
  },
  { title: "TopicDestinationRoute" },
);

export const toTopicDestinationRoute = (
  row: TopicDestinationRouteRow,
): Static<typeof TopicDestinationRouteSchema> => ({
  id: row.id,
  topicId: row.topicId,
  destinationId: row.destinationId,
  projectId: row.projectId,
  createTime: row.createTime.toISOString(),
});
