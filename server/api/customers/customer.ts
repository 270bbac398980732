/** Groups and consumers as the API shows them. */
import { Type, type Static } from "typebox";
import { timeOfId } from "../../ground/ids.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import type { GroupRow } from "../../store/customer-lists.ts";
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

const count = (what: string) => Type.Integer({ description: `Number of ${what}.` });

/** A group with what is known of its connections and installations. */
export const CustomerSchema = Type.Object(
  {
    ...GroupSchema.properties,
    connectionCount: count("connections"),
    installationCount: count("installations"),
    healthStatus: Type.Optional(
      Type.Enum(["healthy", "unhealthy"], {
        description:
          "`unhealthy` while a connection has bad credentials, or Busbar has paused reading an object after failures. " +
          "Absent without connections.",
      }),
    ),
    lastActivityTime: Type.Optional(
      Type.String({ format: "date-time", description: "When the latest operation began." }),
    ),
  },
  { title: "Customer", description: "A group, and what is known of its connections and installations." },
);

export const toCustomer = (row: GroupRow): Static<typeof CustomerSchema> => ({
  ...toGroup(row),
  connectionCount: row.connectionCount,
  installationCount: row.installationCount,
  ...(row.healthStatus && { healthStatus: row.healthStatus }),
  ...(row.lastOperationId && { lastActivityTime: timeOfId(row.lastOperationId).toISOString() }),
});

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
