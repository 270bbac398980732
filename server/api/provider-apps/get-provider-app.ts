/** GET /v1/projects/{projectIdOrName}/provider-apps/{providerAppId} */
import { Type } from "typebox";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { ProviderAppId } from "../members.ts";
import { getProviderAppRow, ProviderAppSchema, toProviderApp } from "./provider-app.ts";

export const getProviderApp = (deps: { database: Database }) =>
  projectEndpoint({
    operationId: "getProviderApp",
    tag: "Provider apps",
    summary: "Get a provider app",
    description: "By its id, without its secret.",
    params: Type.Object({ providerAppId: ProviderAppId }),
    success: { status: 200, description: "The provider app, without its secret.", schema: ProviderAppSchema },
    handle: async ({ project, params }) =>
      toProviderApp(await getProviderAppRow(deps.database.queries, project.id, params.providerAppId)),
  });
