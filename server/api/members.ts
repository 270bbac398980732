/** Members and parameters that many endpoints share, each described once. */
import { Type } from "typebox";

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
