/** Members, times, parameters and filters that many endpoints share, each described once. */
import { Type } from "typebox";
import { describeTime } from "../../ground/described.ts";

export const ProjectIdOrName = Type.String({ description: "Id or name of the project." });
export const IntegrationIdOrName = Type.String({ description: "Id or name of the integration." });
export const DestinationIdOrName = Type.String({ description: "Id or name of the destination." });
export const ObjectName = Type.String({ description: "Name of the object. May contain slashes." });

export const OrgId = Type.String({ description: "Id of the organisation." });
export const ProjectId = Type.String({ description: "Id of the project." });
export const ProviderAppId = Type.String({ description: "Id of the provider app." });
export const ConnectionId = Type.String({ description: "Id of the connection." });
export const IntegrationId = Type.String({ description: "Id of the integration." });
export const InstallationId = Type.String({ description: "Id of the installation." });
export const OperationId = Type.String({ description: "Id of the operation." });
export const DestinationId = Type.String({ description: "Id of the destination." });
export const TopicId = Type.String({ description: "Id of the topic." });

export const ProviderName = Type.String({
  description: "The provider's name in the catalog (`GET /v1/providers`).",
});

/** A builder's own reference or name: free text, stored and shown. */
const reference = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });

export const GroupRef = reference(
  "Your own id for the customer, for example an organisation or workspace id.",
);
export const GroupName = reference("Display name of the group. Default: `groupRef`.");
export const ConsumerRef = reference("Your own id for the person in the group, for example a user id.");
export const ConsumerName = reference("Display name of the person. Default: `consumerRef`.");

export const CreateTime = describeTime("When it was created.");
export const UpdateTime = describeTime("When it was last changed. Absent if it never was.");

/** Leaves out an absent `updateTime`: published clients cannot read null or an empty string. */
export const toTimes = (row: { createTime: Date; updateTime: Date | null }) => ({
  createTime: row.createTime.toISOString(),
  ...(row.updateTime && { updateTime: row.updateTime.toISOString() }),
});

/** The filter of lists by an HTTP status, or by a class of statuses. */
export const StatusFilter = Type.Optional(
  Type.String({
    pattern: "^([1-5][0-9]{2}|[1-5]xx)$",
    description: "Return only those with this status, `404`, or of this class, `4xx`.",
  }),
);

/** Returns the lowest and the highest status; undefined without a filter. */
export function parseStatusFilter(filter: string | undefined): { from: number; to: number } | undefined {
  if (filter === undefined) return undefined;
  if (!filter.endsWith("xx")) return { from: Number(filter), to: Number(filter) };
  const from = Number(filter.charAt(0)) * 100;
  return { from, to: from + 99 };
}
