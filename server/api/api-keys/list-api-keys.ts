/** GET /v1/projects/{projectIdOrName}/api-keys */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import { listApiKeys as listRows } from "../../store/api-keys.ts";
import type { Database } from "../../store/database.ts";
import { ApiKeySchema, toApiKey } from "./api-key.ts";

export const listApiKeys = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listApiKeys",
    tag: "API keys",
    summary: "List API keys",
    description: "Returns the beginning of each key. The complete key is shown on creation only.",
    query: Type.Object({
      active: Type.Optional(Type.Boolean({ description: "`true`: return active keys only. Default: all." })),
    }),
    hasEntityTag: true,
    success: {
      status: 200,
      description: "The API keys, shortened, oldest first.",
      schema: Type.Array(ApiKeySchema),
    },
    handle: async ({ project, query }) =>
      (await listRows(deps.database.queries, project.id, query.active || undefined)).map((row) =>
        toApiKey(row),
      ),
  });
