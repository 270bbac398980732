/** GET /v1/projects/{projectIdOrName}/providers/{provider} */
import { Type } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { findOwnProvider } from "../../store/own-providers.ts";
import { noOwnProvider, OwnProviderKey, OwnProviderSchema, toOwnProvider } from "./own-provider.ts";

export const getProjectProvider = (deps: { database: Database; catalog: Catalog }) =>
  projectEndpoint({
    operationId: "getProjectProvider",
    tag: "Providers",
    summary: "Get a provider of your own",
    description: "Busbar's own. The document as it was sent, and the provider as customers see it.",
    params: Type.Object({ provider: OwnProviderKey }),
    success: { status: 200, description: "The provider.", schema: OwnProviderSchema },
    async handle({ project, params }) {
      const row = await findOwnProvider(deps.database.queries, project.id, params.provider);
      const shown = row && toOwnProvider(row, deps.catalog);
      if (shown) return shown;
      throw noOwnProvider(params.provider);
    },
  });
