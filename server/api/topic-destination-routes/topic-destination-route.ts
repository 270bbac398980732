/** The route from a topic to a destination, as the API shows it. */
import { Type, type Static } from "typebox";
import type { TopicDestinationRouteRow } from "../../store/topic-routes.ts";
import { DestinationId, ProjectId, TopicId } from "../members.ts";
import { CreateTime } from "../times.ts";

export const TopicDestinationRouteSchema = Type.Object(
  {
    id: Type.String({ description: "Id of the route." }),
    topicId: TopicId,
    destinationId: DestinationId,
    projectId: ProjectId,
    createTime: CreateTime,
  },
  { title: "TopicDestinationRoute", description: "Sends the events of a topic to a destination." },
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
