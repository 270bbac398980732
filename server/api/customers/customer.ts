/** Groups and consumers as the API shows them. */
import { Type, type Static } from "typebox";
import { timeOfId } from "../../../ground/ids.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { HEALTH_REASON_TYPES } from "../../store/installation-health.ts";
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

export const HealthReasonsSchema = Type.Array(
  Type.Object(
    {
      type: Type.Enum([...HEALTH_REASON_TYPES], {
        description:
          "`connection`: the provider refuses the credentials. `destination`: it is missing, disabled or failing. `field`: the provider does " +
          "not know it any more. `object`: the provider does not know it, or does not show it. `read`: reading fails. `subscription`: changes " +
          "are not reported.",
      }),
      name: Type.String({ description: "Of the provider, destination, field or object." }),
      detail: Type.String({ description: "What is known of it." }),
      since: Type.String({ format: "date-time", description: "Since when." }),
    },
    { title: "HealthReason", description: "One reason why something is not healthy." },
  ),
  { description: "Busbar's own: why it is `unhealthy`, the oldest first; empty while it is healthy." },
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
        description: "`unhealthy` while there is any of `healthReasons`. Absent without connections.",
      }),
    ),
    healthReasons: HealthReasonsSchema,
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
  healthReasons: (row.healthReasons ?? []).map(({ since, ...reason }) => ({
    ...reason,
    since: new Date(since).toISOString(),
  })),
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
