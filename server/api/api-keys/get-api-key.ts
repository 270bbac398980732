/** GET /v1/projects/{projectIdOrName}/api-keys/{apiKey} */
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { ApiKeySchema, getApiKeyRow, NameParams, toApiKey } from "./api-key.ts";

export const getApiKey = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getApiKey",
    tag: "API keys",
    summary: "Get an API key",
    description: "By the key itself or by its id. The answer contains only the beginning of the key.",
    params: NameParams,
    success: { status: 200, description: "The API key, shortened.", schema: ApiKeySchema },
    handle: async ({ project, params }) =>
      toApiKey(await getApiKeyRow(deps.database.queries, project.id, params.apiKey)),
  });
