/** GET /v1/projects/{projectIdOrName}/providers */
import { Type } from "typebox";
import type { Catalog } from "../../../connectors/catalog.ts";
import { projectEndpoint } from "../../http/endpoint.ts";
import type { Database } from "../../store/database.ts";
import { listOwnProviders } from "../../store/own-providers.ts";
import { OwnProviderSchema, toOwnProvider } from "./own-provider.ts";

export const listProjectProviders = (deps: { database: Database; catalog: Catalog }) =>
  projectEndpoint({
    operationId: "listProjectProviders",
    tag: "Providers",
    summary: "List providers of your own",
    description: "Busbar's own. The providers that were added to this project, by key.",
    hasEntityTag: true,
    success: { status: 200, description: "The providers.", schema: Type.Array(OwnProviderSchema) },
    async handle({ project }) {
      const rows = await listOwnProviders(deps.database.queries, project.id);
      return rows.flatMap((row) => toOwnProvider(row, deps.catalog) ?? []);
    },
  });
