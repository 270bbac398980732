/** GET /v1/projects/{projectIdOrName}/provider-apps */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listProviderApps as listRows } from "../../store/provider-apps.ts";
import { ProviderAppSchema, toProviderApp } from "./provider-app.ts";

export const listProviderApps = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "listProviderApps",
    tag: "Provider apps",
    summary: "List provider apps",
    description: "Your OAuth clients at providers, without their secrets.",
    success: {
      status: 200,
      description: "The provider apps, without secrets.",
      schema: Type.Array(ProviderAppSchema),
    },
    handle: async ({ project }) => (await listRows(deps.database.queries, project.id)).map(toProviderApp),
  });
