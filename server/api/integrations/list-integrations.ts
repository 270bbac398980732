/** GET /v1/projects/{projectIdOrName}/integrations */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { ManifestIntegration } from "../../manifest/manifest.ts";
import type { Database } from "../../store/database.ts";
import { listIntegrations as listRows } from "../../store/integrations.ts";
import { IntegrationSchema, toIntegration } from "../integration.ts";

export const listIntegrations = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listIntegrations",
    tag: "Integrations",
    summary: "List integrations",
    description: "All integrations of the project with their latest revisions.",
    hasEntityTag: true,
    success: { status: 200, description: "The integrations.", schema: Type.Array(IntegrationSchema) },
    async handle({ project }) {
      const rows = await listRows<ManifestIntegration>(deps.database.queries, project.id);
      return rows.map(toIntegration);
    },
  });
