/** PUT /v1/projects/{projectIdOrName}/integrations/{integrationId}/object-metadata */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { IntegrationIdOrName } from "../members.ts";
import { connectionOfInstallation } from "./customer-account.ts";
import { RefusedUpsertSchema, UpsertAnswerSchema, UpsertRequestSchema } from "./field-definition.ts";
import { PROVIDER_REFUSALS } from "../../operations/provider-problem.ts";
import { upsertFields, type UpsertServices } from "./upsert-fields.ts";
import { UPSERT_DESCRIPTION } from "./upsert-metadata-for-connection.ts";

export const upsertMetadataForInstallation = (deps: UpsertServices) =>
  projectEndpoint({
    operationId: "upsertMetadataForInstallation",
    tag: "Objects & fields",
    summary: "Upsert custom fields through an installation",
    description: UPSERT_DESCRIPTION,
    params: Type.Object({ integrationId: IntegrationIdOrName }),
    body: UpsertRequestSchema,
    success: { status: 200, description: "All fields match their definitions.", schema: UpsertAnswerSchema },
    refusals: PROVIDER_REFUSALS,
    refusalMembers: RefusedUpsertSchema,
    async handle({ project, params, body }) {
      const asked = { integrationId: params.integrationId, groupRef: body.groupRef };
      const { integration, connectionId } = await connectionOfInstallation(deps, project.id, asked);
      const { provider, latestRevision } = integration;
      const { module } = latestRevision.content;
      return upsertFields(deps, { projectId: project.id, connectionId, provider, module }, body.fields);
    },
  });
