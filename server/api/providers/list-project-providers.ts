/** GET /v1/projects/{projectIdOrName}/providers */
import { setImmediate } from "node:timers/promises";
import { Type, type Static } from "typebox";
import type { Catalog } from "../../../connector-kit/catalog.ts";
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
      const shown: Static<typeof OwnProviderSchema>[] = [];
      for (const row of rows) {
        // Other requests take their turn: a large document takes some tenths of a second.
        await setImmediate();
        const one = toOwnProvider(row, deps.catalog);
        if (one) shown.push(one);
      }
      return shown;
    },
  });
