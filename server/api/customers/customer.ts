/** Groups and consumers as the API shows them. */
import { Type, type Static } from "typebox";
import type { ConnectionRow } from "../../store/connections.ts";
import { times, TimeSchema } from "../times.ts";

export const GroupSchema = Type.Object(
  {
    groupRef: Type.String({ description: "The builder's own reference of the customer." }),
    groupName: Type.String(),
    projectId: Type.String(),
    createTime: TimeSchema,
    updateTime: Type.Optional(TimeSchema),
  },
  { title: "Group" },
);

export const ConsumerSchema = Type.Object(
  {
    consumerRef: Type.String({ description: "The builder's own reference of the person who connected." }),
    consumerName: Type.String(),
    projectId: Type.String(),
    createTime: TimeSchema,
    updateTime: Type.Optional(TimeSchema),
  },
  { title: "Consumer" },
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
