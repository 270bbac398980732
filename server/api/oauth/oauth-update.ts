/** PATCH /v1/projects/{projectIdOrName}/connections/{connectionId}:oauth-update: starts an OAuth flow for a connection. */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { getConnectionRow } from "../connections/connection.ts";
import { ConnectionId } from "../members.ts";
import { beginConsent, type ConsentServices } from "./begin-consent.ts";

export const oauthUpdate = (deps: ConsentServices) =>
  projectEndpoint({
    operationId: "oauthUpdate",
    tag: "OAuth",
    summary: "Start reconnecting an account",
    description:
      "Like `POST /v1/oauth-connect`, for an existing connection: it keeps its id and gets new tokens.",
    params: Type.Object({ connectionId: ConnectionId }),
    success: {
      status: 200,
      description: "The URL to open.",
      schema: Type.String(),
      media: "text/plain",
    },
    async handle({ project, params }) {
      const row = await getConnectionRow(deps.database.queries, project.id, params.connectionId);
      return beginConsent(deps, {
        projectId: project.id,
        provider: row.provider,
        providerAppId: row.providerAppId,
        connectionId: row.id,
        groupRef: row.group.groupRef,
        groupName: row.group.groupName,
        consumerRef: row.consumer.consumerRef,
        consumerName: row.consumer.consumerName,
        providerWorkspaceRef: row.providerWorkspaceRef,
        providerMetadata: row.providerMetadata,
      });
    },
  });
