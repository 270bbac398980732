/** Groups and consumers as the API shows them. */
import { Type, type Static } from "typebox";
import type { ConnectionRow } from "../../store/connections.ts";
import { ProjectId } from "../members.ts";
import { CreateTime, times, UpdateTime } from "../times.ts";

export const GroupSchema = Type.Object(
  {
    groupRef: Type.String({ description: "Your own id for the customer." }),
    groupName: Type.String({ description: "Display name of the group." }),
    projectId: ProjectId,
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  {
    title: "Group",
    description:
      "A customer of yours, for example a company. Its people share connections and installations.",
  },
);

export const ConsumerSchema = Type.Object(
  {
    consumerRef: Type.String({ description: "Your own id for the person." }),
    consumerName: Type.String({ description: "Display name of the person." }),
    projectId: ProjectId,
    createTime: CreateTime,
    updateTime: Type.Optional(UpdateTime),
  },
  { title: "Consumer", description: "The person in a group who created a connection." },
);

export const toGroup = (group: ConnectionRow["group"]): Static<typeof GroupSchema> => ({
  groupRef: group.groupRef,
  groupName: group.groupName,
  projectId: group.projectId,
  ...times(group),
});

export const toConsumer = (consumer: ConnectionRow["consumer"]): Static<typeof ConsumerSchema> => ({
  consumerRef: consumer.consumerRef,
  consumerName: consumer.consumerName,
  projectId: consumer.projectId,
  ...times(consumer),
});
