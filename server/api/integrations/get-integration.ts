/** GET /v1/projects/{projectIdOrName}/integrations/{integrationIdOrName} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { IntegrationIdOrName } from "../members.ts";
import { getIntegrationRow, IntegrationSchema, toIntegration } from "../integration.ts";

export const getIntegration = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getIntegration",
    tag: "Integrations",
    summary: "Get an integration",
    description: "By id or name, with its latest revision.",
    params: Type.Object({ integrationIdOrName: IntegrationIdOrName }),
    success: { status: 200, description: "The integration.", schema: IntegrationSchema },
    handle: async ({ project, params }) =>
      toIntegration(await getIntegrationRow(deps.database.queries, project.id, params.integrationIdOrName)),
  });
